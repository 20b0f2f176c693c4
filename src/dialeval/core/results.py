"""Results of measuring subjects: scores, intervals, per-item values and provenance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from dialeval.core.protocols import CorpusMeasure, Floats, Integers, Metric
from dialeval.core.signature import Signature
from dialeval.data.framed import Framed
from dialeval.data.types import Example, Judgement, MissingCause
from dialeval.display.plots import Dot, draw_distribution, draw_dots, draw_line, new_axes
from dialeval.stats.resampling.intervals import Absence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ABSENCES: Final[Mapping[Absence, str]] = {
    "undefined": "the score is undefined, or would be without one of the items",
    "one-unit": "a single item or dialogue shows no spread",
    "constant": "nothing varies from item to item",
    "unseen": "the score depends on matches that do not occur in any item, such as 4-grams for BLEU-4",
}
"""Why there is no interval, in words."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A subject that should be there and is not: it stays in every count, with its reason."""

    item: str
    system: str
    reason: str
    cause: MissingCause | None = field(default=None, compare=False)
    """Who is behind it; None if that is not known."""


def absence(subject: object) -> str | None:
    """Why there is nothing to measure; None where there is."""
    if isinstance(subject, Missing):
        return subject.reason
    return subject.response.missing if isinstance(subject, Example) else None


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the true score plausibly lies."""

    low: float
    high: float
    confidence: float = 0.95

    def json_value(self) -> dict[str, float]:
        """The fields as our files spell them."""
        return {"low": self.low, "high": self.high, "level": self.confidence}


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a number comes from: enough to compute it again, or to see why it would differ."""

    signature: Signature
    data: str
    """sha256 of the subjects in canonical form (see ``dialeval.data.digest``)."""
    package: str
    """Version of dialeval."""
    seed: int
    resamples: int
    resources: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Result(Framed):
    """A metric's score over subjects, and every subject's own value or the reason it has none."""

    metric: Metric[Any]
    items: Sequence[str]
    systems: Sequence[str]
    """The system of each subject, beside ``items``."""
    rows: Floats
    """Statistics, shape (n, k); NaN throughout where unscored."""
    values: Floats
    """Each subject's own score, shape (n,); NaN where unscored."""
    score: float
    """NaN where no subject could be scored."""
    interval: Interval | None
    provenance: Provenance
    reasons: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    """Position of each unscored subject, and why."""
    absence: Absence | None = None
    """Why there is no interval; None where there is one, or nobody asked for one."""
    units: int = 0
    """What was resampled: subjects with a value, or clusters of them, such as dialogues."""
    design_effect: float | None = None
    """Variance by clusters over variance as if subjects were independent; None where they are, or it is unknown."""
    answers: Integers | None = field(default=None, repr=False)
    """A hash of each subject's answer, shape (n,), by which results of one process tell that answers are the same;
    None if the answers are not known."""
    unanswered: int = 0
    """Subjects that the system left unanswered."""
    filled: int = 0
    """Those of them that have a value: the worst one."""

    def __len__(self) -> int:
        return len(self.items)

    @property
    def signature(self) -> Signature:
        """The metric's signature."""
        return self.metric.signature

    @property
    def scored(self) -> int:
        """How many subjects have a value."""
        return len(self.items) - len(self.reasons)

    @property
    def coverage(self) -> float:
        """Share of subjects with a value; NaN of none."""
        return self.scored / len(self.items) if self.items else float("nan")

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        """One judgement per subject, the metric being the rater."""
        return tuple(self.each_judgement())

    def each_judgement(self) -> Iterator[Judgement]:
        """The judgements one at a time, where all of them would take much memory."""
        rater, criterion = str(self.signature), self.signature.name
        for index, (item, system, value) in enumerate(
            zip(self.items, self.systems, map(float, self.values), strict=True)
        ):
            reason = self.reasons.get(index)
            yield Judgement(item, system, rater, criterion, value if reason is None else None, reason)

    def _columns(self) -> dict[str, list[object]]:
        values = self.values.tolist()
        return {
            "item": list(self.items),
            "system": list(self.systems),
            "measure": [str(self.signature)] * len(self.items),
            "value": [None if index in self.reasons else value for index, value in enumerate(values)],
            "reason": [self.reasons.get(index) for index in range(len(self.items))],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the distribution of the subjects' values, with the score and its interval; return the axes."""
        axes = ax or new_axes()
        draw_distribution(axes, self.values[np.isfinite(self.values)])
        draw_line(axes, self.score, _ends(self.interval))
        axes.set_title(self.signature.call)
        axes.set_xlabel(f"value of an item; line: the score, {self.score:.4g}")
        return axes

    def _caption(self) -> str:
        return _caption(self)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CorpusResult(Framed):
    """A corpus measure's score over a system's subjects, and the reason of every subject that is excluded from it."""

    measure: CorpusMeasure[Any]
    items: tuple[str, ...]
    systems: tuple[str, ...]
    """The system of each subject, beside ``items``."""
    subjects: tuple[Any, ...]
    """Those that were measured, in order."""
    score: float
    """NaN where it is undefined."""
    interval: Interval | None
    provenance: Provenance
    reasons: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    """Position of each subject that was left out, and why."""
    absence: Absence | None = None
    """Why there is no interval; None where there is one, or nobody asked for one."""
    units: int = 0
    """What was left out in turn: subjects, or clusters of them, such as dialogues."""
    design_effect: float | None = None
    """Variance by clusters over variance as if subjects were independent; None where they are, or it is unknown."""
    unanswered: int = 0
    """Subjects that the system left unanswered; none of them is measured."""
    filled: int = 0
    """None: a corpus has no values of single subjects."""

    def __len__(self) -> int:
        return len(self.items)

    @property
    def signature(self) -> Signature:
        """The measure's signature."""
        return self.measure.signature

    @property
    def scored(self) -> int:
        """How many subjects were measured."""
        return len(self.subjects)

    @property
    def coverage(self) -> float:
        """Share of subjects that were measured; NaN of none."""
        return self.scored / len(self.items) if self.items else float("nan")

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        """None: no subject has a value by itself."""
        return ()

    def each_judgement(self) -> Iterator[Judgement]:
        """The same."""
        return iter(())

    def _columns(self) -> dict[str, list[object]]:
        limits = self.interval
        return {
            "system": [next(iter(self.systems), None)],
            "measure": [str(self.signature)],
            "value": [self.score],
            "low": [limits.low if limits else None],
            "high": [limits.high if limits else None],
            "n": [self.scored],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the score with its interval, and return the axes."""
        axes = ax or new_axes()
        draw_dots(
            axes, [Dot(next(iter(self.systems), ""), self.score, *(_ends(self.interval) or (None, None)))]
        )
        axes.set_title(self.signature.call)
        return axes

    def _caption(self) -> str:
        return _caption(self)


def _caption(result: Result | CorpusResult) -> str:
    """Return the score in one line, as notebooks show it above the values; with the first reason of unscored items."""
    limits = f" [{result.interval.low:.4f}, {result.interval.high:.4f}]" if result.interval else ""
    reason = f" (the first without: {result.reasons[min(result.reasons)]})" if result.reasons else ""
    counts = f"{result.scored:,} of {len(result):,} items have a value{reason}"
    return f"{result.signature}: {result.score:.4f}{limits}, {counts}"


def _ends(interval: Interval | None) -> tuple[float, float] | None:
    return None if interval is None else (interval.low, interval.high)


Outcome: TypeAlias = Result | CorpusResult
"""What measuring a system's subjects comes to, one by one or as a corpus."""
