"""Systems behind a filter: an n-best system whose contradictory candidates are dropped before it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from dialeval.core import (
    AnswerRule,
    PartlyAnswered,
    Priced,
    Replayer,
    Selective,
    Served,
    Signature,
    System,
    resources_of,
    served,
)
from dialeval.core.answers import generate
from dialeval.data.types import Context, Prompt, Response, Usage
from dialeval.errors import DialevalError, Unsuitable
from dialeval.nbest.detectors import SHIPPED
from dialeval.nbest.filtering.rule import Chosen, FilterRule, Method, Otherwise
from dialeval.nbest.measuring.lists import decoded_by
from dialeval.systems.decoding import Decoding

EMPTIED: Final = "the filter dropped every candidate"


@dataclass(frozen=True, slots=True)
class _Filter:
    name: str
    system: Any
    """The system itself, or as a study names it: its name there, a line of text, or its keys."""
    n: int = 10
    """Candidates that it is asked for."""
    detector: str = SHIPPED
    method: Method = "drop"
    otherwise: Otherwise = "first"
    threshold: float | None = None

    def __post_init__(self) -> None:
        if self.n < 1:
            raise DialevalError(f"n: found {self.n}, expected a whole number of at least 1.")
        FilterRule(self.detector, self.method, self.otherwise, self.threshold)

    @property
    def rule(self) -> FilterRule:
        """What is dropped, and what is said if nothing is left."""
        return FilterRule(self.detector, self.method, self.otherwise, self.threshold)

    @property
    def wraps(self) -> System:
        """The system whose candidates are filtered, decoded so that it gives as many."""
        return decoded_by(self.system, None, self.n)

    @property
    def signature(self) -> Signature:
        """All that could move its responses: those of the system and of the detector."""
        rule = self.rule
        parameters = (
            ("system", str(self.wraps.signature)),
            ("n", self.n),
            ("detector", str(rule.judge.signature)),
            ("method", self.method),
            ("otherwise", self.otherwise),
            ("threshold", self.threshold),
        )
        return Signature("filtered", parameters)

    @property
    def resources(self) -> Mapping[str, str]:
        """Those of the system and of the detector."""
        return {**resources_of(self.system), **self.rule.resources}

    def around(self, system: System, folder: Path) -> System:
        """The filter around a system; a detector's path is relative to ``folder``."""
        beside = folder / self.detector
        detector = str(beside) if self.detector != SHIPPED and beside.exists() else self.detector
        kind: Any = Filtered
        if isinstance(system, Replayer):
            kind = FilteredRecording
        elif served(system) is not None:
            kind = FilteredServer
        made: System = kind(self.name, system, self.n, detector, self.method, self.otherwise, self.threshold)
        if kind is FilteredServer:
            _check_samples(system, self.n)
        return made

    def _filtered(
        self, contexts: Sequence[Context], lists: Sequence[Sequence[Response]], n: int
    ) -> list[tuple[Response, ...]]:
        chosen = self.rule.choose(contexts, lists)
        return [_remaining(given, each)[:n] for given, each in zip(lists, chosen, strict=True)]


def _check_samples(server: System, n: int) -> None:
    """Unsuitable if a server gives fewer than ``n`` candidates: beams, which others then take, it does not have."""
    own = getattr(server, "decoding", None)
    if isinstance(own, Decoding) and own.most is not None and own.most < n:
        raise Unsuitable(
            f"{server.name} decodes greedily and gives {own.most} candidate of {n}. Let it sample, as with "
            "'decoding: {method: nucleus, top_p: 0.9}'; a server has no beam search."
        )


@dataclass(frozen=True, slots=True)
class Filtered(_Filter):
    """Answers with the first of a system's n best responses that a detector does not call contradictory.

    ``system`` is another system of the study by its name, a line of text as ``dialeval chat`` takes it, or keys of its
    own. It is asked for ``n`` candidates. If ``method`` is ``rerank``, the least contradictory one comes first. If all
    are contradictory, ``otherwise`` says what comes: the system's ``first`` candidate, the ``least``
    contradictory one, or ``none``; such responses are counted. ``threshold`` is the detector's own unless given.
    """

    def generate(
        self, contexts: Sequence[Context], *, n: int = 1, seed: int = 0
    ) -> list[tuple[Response, ...]]:
        """At most ``n`` of the candidates that remain, best first."""
        if n < 1 or not contexts:
            return [() for _ in contexts]
        source: Any = self.wraps
        try:
            lists = generate(source, contexts, n=self.n, seed=seed)
        except PartlyAnswered as partial:
            raise self._partly(contexts, partial, n) from partial
        return self._filtered(contexts, lists, n)

    def refuses(self, context: Context) -> str | None:
        """Why the system cannot answer here; None where it can."""
        return self.system.refuses(context) if isinstance(self.system, Selective) else None

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """What this many tokens cost by the system's prices; None where these are not known."""
        return self.system.cost(prompt_tokens, completion_tokens) if isinstance(self.system, Priced) else None

    def _partly(self, contexts: Sequence[Context], partial: PartlyAnswered, n: int) -> PartlyAnswered:
        places = [place for place, given in enumerate(partial.answers) if given is not None]
        lists = [partial.answers[place] or () for place in places]
        known = dict(zip(places, self._filtered([contexts[p] for p in places], lists, n), strict=True))
        answers = [known.get(place) for place in range(len(contexts))]
        failed = PartlyAnswered(str(partial), answers, partial.why)
        failed.cause = partial.cause
        return failed


@dataclass(frozen=True, slots=True)
class FilteredServer(Filtered):
    """The same of a system behind a server, whose answers may be cached."""

    @property
    def repeatable(self) -> bool:
        """Whether a server that has not changed gives the same answer again."""
        return self._server.repeatable

    @property
    def reused(self) -> Sequence[float | None]:
        """When each cached candidate was asked."""
        return self._server.reused

    def with_rule(self, rule: AnswerRule) -> System:
        """The system under this rule for cached answers."""
        return replace(self, system=self._server.with_rule(rule))

    def recall(self, contexts: Sequence[Context], *, seed: int = 0) -> list[Response | None]:
        """None: the server's own cache holds candidates, of which no single one is the answer."""
        return [None] * len(contexts)

    def ask_again(self, contexts: Sequence[Context], *, seed: int = 0) -> list[tuple[Response, ...]]:
        """Answers by the candidates of the server as it is now; no cached one is used or replaced."""
        now = replace(self, system=self._server.with_rule(AnswerRule("none", fresh=True)))
        return now.generate(contexts, seed=seed)

    @property
    def _server(self) -> Served:
        server: Served = self.system
        return server


@dataclass(frozen=True, slots=True)
class FilteredRecording(_Filter):
    """The same of recorded n-best lists."""

    def replay(self, prompts: Sequence[Prompt]) -> list[tuple[Response, ...]]:
        """What remains of the candidates that were recorded for each prompt."""
        lists = [given[: self.n] for given in self.system.replay(prompts)]
        return self._filtered([prompt.context for prompt in prompts], lists, self.n)


def _remaining(given: Sequence[Response], chosen: Chosen) -> tuple[Response, ...]:
    """The responses at the chosen places, with what all candidates took; where nothing was said, as it was given."""
    if not any(response.missing is None for response in given):
        return tuple(given[:1])
    usage = _usage(given, chosen.emptied)
    if not chosen.places:
        why = f"{EMPTIED} of {len(given)}" if chosen.emptied else "every candidate is blank"
        return (Response("", missing=why, usage=usage, cause="silent"),)
    return tuple(replace(given[place], usage=usage) for place in chosen.places)


def _usage(given: Sequence[Response], emptied: bool) -> Usage | None:
    """What it took to get all candidates, since all had to be asked for."""
    known = [response.usage for response in given if response.usage is not None]
    if not known:
        return Usage(emptied=True) if emptied else None
    asked = [usage.asked for usage in known if usage.asked is not None]
    return Usage(
        _total([usage.seconds for usage in known]),
        _whole(_total([usage.prompt_tokens for usage in known])),
        _whole(_total([usage.completion_tokens for usage in known])),
        min(asked, default=None),
        known[0].cut,
        emptied,
        all(usage.cached for usage in known),
    )


def _total(numbers: Sequence[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None


def _whole(number: float | None) -> int | None:
    return None if number is None else int(number)
