"""Generators that ``dialeval train generator`` made, as systems that answer and give log-probabilities."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dialeval.core import Floats, Integers, Signature
from dialeval.data.types import Context, Response
from dialeval.errors import DialevalError, Unsuitable
from dialeval.resources.huggingface import require_torch
from dialeval.systems.decoding import Decoding, Hypothesis, context_seed, decode
from dialeval.systems.trained.config import LAYOUT, read_config
from dialeval.training.folder import ModelFolder

if TYPE_CHECKING:
    from dialeval.systems.huggingface.prompts import ModelPrompt
    from dialeval.systems.trained.generator import LoadedGenerator


@dataclass(frozen=True, slots=True)
class Trained:
    """A generator by its folder, as 'dialeval train generator' wrote it.

    It reads as many turns as it was trained with, without regard to who speaks; system prompts are left out. A context
    that is too long is cut on the left: ``dropped`` counts the turns it does not read, and a warning says how many
    contexts were cut. The end of a response is part of its probability.
    """

    name: str
    path: Path
    decoding: Decoding = field(default_factory=Decoding)
    batch_size: int = 64
    """Responses at once; changes no text."""
    device: str = "auto"

    def __post_init__(self) -> None:
        if self.batch_size < 1:
            raise DialevalError(
                f"batch_size: found {self.batch_size}, expected a whole number of at least 1."
            )

    @property
    def signature(self) -> Signature:
        """All that could move its responses, beside the seed."""
        files = self._files
        shape = read_config(files.folder).shape
        facts = (
            ("architecture", shape.architecture),
            ("weights", files.sha256[:12]),
            ("decoding", self.decoding.fact),
        )
        return Signature("trained", (), facts)

    @property
    def resources(self) -> Mapping[str, str]:
        """The model's files with their sha256."""
        return self._files.resources

    def generate(
        self, contexts: Sequence[Context], *, n: int = 1, seed: int = 0
    ) -> list[tuple[Response, ...]]:
        """At most ``n`` responses to each context, best first; greedy search has one, beams as many as there are.

        Beams give different texts; samples are drawn independently, so a text may come twice.
        """
        if not contexts or n < 1:
            return [() for _ in contexts]
        loaded = self._load()
        tokens = [read.tokens for read in self._read(loaded, contexts)]
        order = sorted(range(len(contexts)), key=lambda index: len(tokens[index]))
        rows = n if self.decoding.samples else self.decoding.most or 1
        width = max(self.batch_size // rows, 1)
        by_index: dict[int, tuple[Response, ...]] = {}
        for first in range(0, len(order), width):
            batch = order[first : first + width]
            prefixes, seeds = (
                [tokens[index] for index in batch],
                [context_seed(seed, contexts[index]) for index in batch],
            )
            lists = decode(loaded.model, prefixes, self.decoding, n=n, seeds=seeds)
            said = (self._responses(loaded, hypotheses) for hypotheses in lists)
            by_index.update(zip(batch, said, strict=True))
        return [by_index[index] for index in range(len(contexts))]

    def logprob(self, contexts: Sequence[Context], responses: Sequence[str]) -> Floats:
        """Natural-log probability of each whole response given its context, shape (responses,).

        Each different context is encoded once, wherever it stands in the call. An empty response has the probability of
        ending at once.
        """
        if len(contexts) != len(responses):
            counts = f"Found {len(contexts)} contexts and {len(responses)} responses"
            raise Unsuitable(f"{counts}; expected one for one.")
        if not contexts:
            return np.zeros(0)
        loaded = self._load()
        read = [prompt.tokens for prompt in self._read(loaded, contexts)]
        texts = {text: loaded.subwords.response(text) for text in dict.fromkeys(responses)}
        scores = loaded.model.logprobs(read, [texts[text] for text in responses], self.batch_size)
        return np.array(scores, dtype=np.float64)

    def tokens(self, responses: Sequence[str]) -> Integers:
        """Return how many tokens each response is scored by, its end counted."""
        subwords = self._load().subwords
        return np.array([len(subwords.response(text)) for text in responses], dtype=np.int64)

    def dropped(self, contexts: Sequence[Context]) -> Integers:
        """Return how many of each context's oldest turns the network does not read."""
        return np.array([read.dropped for read in self._read(self._load(), contexts)], dtype=np.int64)

    @property
    def _files(self) -> ModelFolder:
        return LAYOUT.find(self.path)

    def _load(self) -> LoadedGenerator:
        require_torch("Trained generators", "tokenizers", "safetensors")
        from dialeval.systems.trained.generator import load

        return load(self._files, self.device)

    def _read(self, loaded: LoadedGenerator, contexts: Sequence[Context]) -> list[ModelPrompt]:
        config = loaded.config
        by_context = {
            context: loaded.subwords.context(context, turns=config.turns, longest=config.longest_context)
            for context in dict.fromkeys(contexts)
        }
        cut = sum(read.cut for read in by_context.values())
        if cut:
            logging.getLogger(__name__).warning(
                "%s: %d of %d contexts are longer than the %d tokens it reads and were cut on the left.",
                self.name,
                cut,
                len(by_context),
                config.longest_context,
            )
        return [by_context[context] for context in contexts]

    def _responses(self, loaded: LoadedGenerator, hypotheses: Sequence[Hypothesis]) -> tuple[Response, ...]:
        said = [Response(loaded.subwords.text(each.tokens), each.logprob) for each in hypotheses]
        if self.decoding.samples:
            return tuple(said)
        # Two beams can be spelt differently and read alike; the likelier spelling stands first.
        different: dict[str, Response] = {}
        for response in said:
            different.setdefault(response.text, response)
        return tuple(different.values())
