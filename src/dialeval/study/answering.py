"""A system's answers to a study's prompts, kept as they come."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dialeval.core import Generator, Replayer, Selective, System, UsesResources
from dialeval.data import Prompt, Response, digest
from dialeval.engine import Batch, Cache, InProcess, Job, run as run_batches
from dialeval.errors import DialevalError
from dialeval.evaluation.measure import Watch
from dialeval.version import __version__

ANSWERED_AT_ONCE: Final = 32
"""Prompts between two savings of a system's answers: few, as a language model may take seconds over each."""


def answers_of(
    system: System, prompts: Sequence[Prompt], seed: int, *, cache: Cache | None, watch: Watch
) -> list[tuple[Response, ...]]:
    """What the system says to each prompt, best first; nothing where it has no response.

    Answers are computed here and not in a pool: a model is loaded once, and brings its own threads.
    """
    if isinstance(system, Replayer):
        return system.replay(prompts)
    if not isinstance(system, Generator):
        raise DialevalError(f"{system.name} can neither generate nor replay responses")
    refused = _refused(system, prompts)
    asked = [prompt for prompt, reason in zip(prompts, refused, strict=True) if reason is None]
    given = iter(_generated(system, asked, seed, cache=cache, watch=watch))
    return [next(given) if reason is None else (Response("", missing=reason),) for reason in refused]


def _refused(system: Generator, prompts: Sequence[Prompt]) -> list[str | None]:
    """Why the system cannot answer each prompt; None where it can."""
    if not isinstance(system, Selective):
        return [None] * len(prompts)
    return [system.refuses(prompt.context) for prompt in prompts]


def _generated(
    system: Generator, prompts: Sequence[Prompt], seed: int, *, cache: Cache | None, watch: Watch
) -> list[tuple[Response, ...]]:
    resources = sorted(system.resources.items()) if isinstance(system, UsesResources) else []
    key = json.dumps(["responses", str(system.signature), resources, seed, __version__])
    job = Job(key, _Answer(system, seed), ResponsesCodec())
    batches = (
        Batch(chunk, digest(chunk))
        for start in range(0, len(prompts), ANSWERED_AT_ONCE)
        if (chunk := prompts[start : start + ANSWERED_AT_ONCE])
    )
    with watch(f"{system.name} answers", len(prompts)) as progress, InProcess() as here:
        parts = run_batches(job, batches, executor=here, cache=cache, progress=progress)
        return [answer for part in parts for answer in part]


@dataclass(frozen=True, slots=True)
class _Answer:
    system: Generator
    seed: int

    def __call__(self, prompts: Sequence[Prompt]) -> list[tuple[Response, ...]]:
        return self.system.generate([prompt.context for prompt in prompts], seed=self.seed)


class ResponsesCodec:
    """Responses on disk, as JSON."""

    def encode(self, result: list[tuple[Response, ...]]) -> bytes:
        """As lists of ``[text, logprob]``."""
        return json.dumps([[[r.text, r.logprob] for r in responses] for responses in result]).encode()

    def decode(self, payload: bytes) -> list[tuple[Response, ...]]:
        """Back from JSON."""
        return [tuple(Response(text, logprob) for text, logprob in pairs) for pairs in json.loads(payload)]
