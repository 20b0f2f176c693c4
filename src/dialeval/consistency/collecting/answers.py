"""Answers of systems to probes: one each, or the most contradictory or most probable of many candidates."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from dialeval.consistency.probing.probes import Kind, Probe
from dialeval.core import Detector, Generator, Missing, PartlyAnswered, Replayer, System, resources_of
from dialeval.core.answers import generate
from dialeval.data import digest
from dialeval.data.speakers import as_chat, speaks, with_response
from dialeval.data.types import Context, Example, Prompt, Response
from dialeval.engine import SILENT, Batch, Cache, Executor, InProcess, Job, Progress, run
from dialeval.errors import Unsuitable, described
from dialeval.evaluation.answers import ResponsesCodec
from dialeval.text.blank import is_blank
from dialeval.version import __version__

Candidates: TypeAlias = tuple[Response, ...]
Keep: TypeAlias = Literal["contradictory", "probable"]
"""Which of several candidates is kept: that of the highest probability of a contradiction, or of being said."""
NO_RESPONSE: Final = "the system gave no response"
PROBES_AT_ONCE: Final = 8
"""Probes between two savings: few, as each may ask for a hundred candidates."""


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """A system's answer to a probe."""

    example: Example
    referent: int
    """The place of the turn that the probe asks about."""
    kind: Kind = "follow-up"
    draw: str = "top"
    candidates: int = 1
    """From how many the answer was chosen."""
    chosen: float | None = None
    """The probability of a contradiction for which it was chosen, or the log-probability if ``keep`` is ``probable``.

    None if there was nothing to choose from.
    """
    keep: Keep = "contradictory"
    """By what it was chosen."""

    @property
    def item(self) -> str:
        """The probe's id."""
        return self.example.item

    @property
    def system(self) -> str:
        """Who answered."""
        return self.example.system

    @property
    def distance(self) -> int:
        """How many turns before the question its referent is, counting those that somebody says."""
        return sum(speaks(self.example.context)[self.referent + 1 :])

    @property
    def unanswered(self) -> bool:
        """Whether the answer is blank."""
        return is_blank(self.example.response.text)

    @property
    def turns(self) -> Context:
        """The dialogue with the answer as its last turn."""
        return with_response(self.example.context, self.example.response.text)


def ask_probes(
    system: System,
    probes: Sequence[Probe],
    *,
    detector: Detector,
    n: int = 1,
    keep: Keep = "contradictory",
    seed: int = 0,
    cache: Cache | None = None,
    progress: Progress = SILENT,
    executor: Executor | None = None,
) -> list[ProbeAnswer | Missing]:
    """The system's answer to each probe; of ``n`` candidates the most contradictory or the most probable one.

    Where the system fails in the middle, what it answered is kept and the rest is missing for that reason; with a
    cache, asking again asks for the rest only. Its error is raised where it answered nothing.
    """
    answers: list[ProbeAnswer | Missing] = []
    candidates = candidates_of(system, probes, n, seed, cache, progress, executor)
    for probe, given in zip(probes, candidates, strict=True):
        if isinstance(given, str):
            answers.append(Missing(probe.id, system.name, given, "failed"))
            continue
        lost = [each.missing or NO_RESPONSE for each in given if each.cause == "failed"]
        if lost and len(lost) == len(given):
            answers.append(Missing(probe.id, system.name, lost[0], "failed"))
            continue
        said = [each for each in given if each.missing is None]
        answers.append(_chosen(probe, system.name, said, detector if keep == "contradictory" else None))
    return answers


def _chosen(
    probe: Probe, system: str, given: Sequence[Response], detector: Detector | None
) -> ProbeAnswer | Missing:
    """The first of the candidates that the detector finds most contradictory or, without one, of the most probable."""
    if not given:
        return Missing(probe.id, system, NO_RESPONSE, "silent")
    keep: Keep = "probable" if detector is None else "contradictory"
    best, chosen = given[0], None
    if len(given) > 1:
        best, chosen = _likeliest(system, given) if detector is None else _worst(probe, given, detector)
    example = Example(probe.id, system, probe.context, best)
    return ProbeAnswer(example, probe.referent, probe.kind, probe.draw, len(given), chosen, keep)


def _worst(probe: Probe, given: Sequence[Response], detector: Detector) -> tuple[Response, float]:
    texts = list(dict.fromkeys(each.text for each in given))
    scores = detector.contradiction([probe.context] * len(texts), texts)
    place = int(scores.argmax())
    return next(each for each in given if each.text == texts[place]), float(scores[place])


def _likeliest(system: str, given: Sequence[Response]) -> tuple[Response, float]:
    known = [(each, each.logprob) for each in given if each.logprob is not None]
    if len(known) < len(given):
        raise Unsuitable(
            f"{system} does not say how probable its responses are, so the most probable one is not known. Keep the "
            "most contradictory one, or ask for one response."
        )
    return max(known, key=lambda pair: pair[1])


def candidates_of(
    system: System,
    probes: Sequence[Probe],
    n: int,
    seed: int,
    cache: Cache | None,
    progress: Progress,
    executor: Executor | None = None,
) -> list[Candidates | str]:
    """At most ``n`` responses to each probe, or why there are none.

    A live system is asked as the assistant, whatever the corpus calls its speakers.
    """
    if isinstance(system, Replayer):
        progress.advance(len(probes))
        return [
            responses[:n]
            for responses in system.replay([Prompt(probe.id, probe.context) for probe in probes])
        ]
    if not isinstance(system, Generator):
        raise Unsuitable(f"{system.name} gives no responses, so it cannot be probed. Leave it out.")
    prompts = [Prompt(probe.id, as_chat(probe.context, probe.context[probe.referent])) for probe in probes]
    resources = sorted(resources_of(system).items())
    key = json.dumps(["probes", str(system.signature), resources, n, seed, __version__])
    task = _Ask(system, n, seed)
    job, where = Job(key, task, ResponsesCodec()), executor or InProcess()
    given: list[Candidates | str] = []
    while len(given) < len(prompts):
        starts = range(len(given), len(prompts), PROBES_AT_ONCE)
        chunks = (prompts[start : start + PROBES_AT_ONCE] for start in starts)
        batches = (Batch(chunk, digest(chunk)) for chunk in chunks)
        try:
            for part in run(job, batches, executor=where, cache=cache, progress=progress):
                given += part
        except PartlyAnswered as partial:
            why = f"not answered: {partial.why.splitlines()[0].rstrip('.')}"
            given += [why if answer is None else answer for answer in partial.answers]
            # From here on only the cache is asked; a task that failed elsewhere has not told this one.
            task.error, where = task.error or partial.cause or partial, InProcess()
    if task.error is not None and all(isinstance(each, str) for each in given):
        raise task.error
    return given


class _Ask:
    """Asks until the system fails; after that, what is not in the cache is left unanswered."""

    def __init__(self, system: Generator, n: int, seed: int) -> None:
        self.system, self.n, self.seed = system, n, seed
        self.error: Exception | None = None

    @property
    def resources(self) -> Mapping[str, str]:
        """Those of the system: where it has any, it is loaded once by each worker."""
        return resources_of(self.system)

    def __call__(self, prompts: Sequence[Prompt]) -> list[Candidates]:
        if self.error is None:
            try:
                contexts = [prompt.context for prompt in prompts]
                return generate(self.system, contexts, n=self.n, seed=self.seed)
            except PartlyAnswered as error:
                self.error = error
                raise
            except Exception as error:  # foreign code: what was answered before is kept
                self.error = error
        failed = PartlyAnswered(described(self.error), [None] * len(prompts), described(self.error))
        failed.cause = self.error
        raise failed from self.error
