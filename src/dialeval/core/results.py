"""Results of measuring subjects: scores, intervals, per-item values and provenance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from dialeval.core.metric import Metric
from dialeval.core.protocols import Floats, Integers
from dialeval.core.signature import Signature
from dialeval.data.framed import Framed
from dialeval.data.types import Example, Judgement, MissingCause
from dialeval.display.plots import Dot, draw_distribution, draw_dots, draw_line, new_axes
from dialeval.display.wording import which_bleu
from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.intervals import Absence

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Missing:
    """A subject that should be there and is not: it stays in every count, with its reason."""

    item: str
    system: str
    reason: str
    cause: MissingCause | None = field(default=None, compare=False)
    """Cause, whether the system or we; None if that is not known."""


def absence(subject: object) -> str | None:
    """Why there is nothing to measure; None where there is."""
    if isinstance(subject, Missing):
        return subject.reason
    return subject.response.missing if isinstance(subject, Example) else None


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
    confidence: float = 0.95
    """Confidence of the interval."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Result(Framed):
    """A metric's score over subjects, and every subject's own value or the reason it has none.

    Subjects of a corpus measure have no values of their own, so ``rows``, ``values`` and ``judgements`` are empty.
    """

    metric: Metric[Any]
    items: Sequence[str]
    systems: Sequence[str]
    """The system of each subject, beside ``items``."""
    rows: Floats
    """Statistics, shape (n, k); NaN throughout where unscored."""
    values: Floats
    """Each subject's own score, shape (n,); NaN where unscored."""
    estimate: Estimate
    """The score of all subjects with a value, and its interval."""
    provenance: Provenance
    reasons: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    """Position of each unscored subject, and why."""
    absence: Absence | None = None
    """Why there is no interval; None where there is one, or nobody asked for one."""
    units: int = 0
    """Number of units that were resampled: subjects with a value, or clusters of them, such as dialogues."""
    design_effect: float | None = None
    """Variance by clusters over variance as if subjects were independent; None where they are, or it is unknown."""
    answers: Integers | None = field(default=None, repr=False)
    """A hash of each subject's answer, shape (n,), by which results of one process tell that answers are the same;
    None if the answers are not known."""
    unanswered: int = 0
    """Subjects that the system left unanswered."""
    filled: int = 0
    """Those of them that have a value: the worst one."""
    uncounted: int = 0
    """Those of them that have none, although the metric could have judged an answer; 0 where silence has no rule."""
    subjects: Sequence[Any] = ()
    """Subjects of a corpus measure, in order, so that comparisons can measure fewer of them; else empty."""

    def __len__(self) -> int:
        return len(self.items)

    @property
    def signature(self) -> Signature:
        """The metric's signature."""
        return self.metric.signature

    @property
    def per_item(self) -> bool:
        """Whether subjects have values of their own; False for corpus measures."""
        return self.metric.per_item

    @property
    def score(self) -> float:
        """The score; NaN if it is undefined."""
        return self.estimate.number

    @property
    def scored(self) -> int:
        """Number of subjects that have a value."""
        return len(self.items) - len(self.reasons)

    @property
    def coverage(self) -> float:
        """Share of subjects with a value; NaN of none."""
        return self.scored / len(self.items) if self.items else float("nan")

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        """One judgement per subject, the metric being the rater; none of a corpus measure."""
        return tuple(self.each_judgement())

    def each_judgement(self) -> Iterator[Judgement]:
        """The judgements one at a time, where all of them would take much memory."""
        if not self.per_item:
            return
        rater, criterion = str(self.signature), self.signature.name
        for index, (item, system, value) in enumerate(
            zip(self.items, self.systems, map(float, self.values), strict=True)
        ):
            reason = self.reasons.get(index)
            yield Judgement(item, system, rater, criterion, value if reason is None else None, reason)

    def _columns(self) -> dict[str, list[object]]:
        if not self.per_item:
            return {
                "system": [next(iter(self.systems), None)],
                "measure": [str(self.signature)],
                "value": [self.score],
                "low": [self.estimate.low],
                "high": [self.estimate.high],
                "n": [self.scored],
            }
        values = self.values.tolist()
        return {
            "item": list(self.items),
            "system": list(self.systems),
            "measure": [str(self.signature)] * len(self.items),
            "value": [None if index in self.reasons else value for index, value in enumerate(values)],
            "reason": [self.reasons.get(index) for index in range(len(self.items))],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the distribution of the subjects' values, with the score and its interval; return the axes.

        Of a corpus measure, draw the score with its interval alone.
        """
        axes = ax or new_axes()
        axes.set_title(self.signature.call)
        if not self.per_item:
            draw_dots(axes, [Dot(next(iter(self.systems), ""), self.score, self.estimate.bounds)])
            return axes
        draw_distribution(axes, self.values[np.isfinite(self.values)])
        draw_line(axes, self.score, self.estimate.bounds)
        axes.set_xlabel(f"value of an item; line: the score, {self.score:.4g}")
        return axes

    def _caption(self) -> str:
        return _caption(self)

    def _heading(self) -> str:
        return f"{_heading(self)}\n" if self.per_item else _heading(self)

    def _shown(self) -> dict[str, list[object]]:
        if not self.per_item:
            return {}
        told = {"system": len(set(self.systems)) > 1, "measure": False, "reason": bool(self.reasons)}
        return {name: column for name, column in self._columns().items() if told.get(name, True)}


def _caption(result: Result) -> str:
    """Return the score in one line, as notebooks show it above the values; with the first reason of unscored items."""
    bounds = result.estimate.bounds
    limits = f" [{bounds[0]:.4f}, {bounds[1]:.4f}]" if bounds else ""
    silence = f", {_unanswered(result, ' unanswered')}" if result.unanswered else ""
    of_system = f" of {name}" if (name := _system(result)) else ""
    return f"{result.signature.call}{of_system}: {result.score:.4f}{limits}, {_valued(result)}{silence}"


def _heading(result: Result) -> str:
    """Return the score, its interval, what it rests on and how to cite it, on a line each."""
    told = {"system": name} if (name := _system(result)) else {}
    told |= {"score": f"{result.score:.4f}", "interval": _limits(result), "n": _valued(result)}
    told |= {"unanswered": _unanswered(result), "signature": str(result.signature)}
    whose = next(which_bleu({"it": str(result.signature)}), "").removeprefix("it is BLEU ")
    told |= {"BLEU": whose} if whose else {}
    width = max(map(len, told))
    return "\n".join([result.signature.call, *(f"  {key:<{width}}  {text}" for key, text in told.items())])


def _system(result: Result) -> str:
    """Return the name of the one system that the result is about; empty if it has none, or if there are several."""
    names = set(result.systems)
    return names.pop() if len(names) == 1 else ""


def _limits(result: Result) -> str:
    """Return the interval in words, or why there is none."""
    bounds = result.estimate.bounds
    if bounds is None:
        return f"none: {result.estimate.reason}" if result.estimate.reason else "none"
    return f"[{bounds[0]:.4f}, {bounds[1]:.4f}] ({100 * result.provenance.confidence:g} %)"


def _valued(result: Result) -> str:
    first = f" (the first without: {result.reasons[min(result.reasons)]})" if result.reasons else ""
    return f"{result.scored:,} of {len(result):,} items have a value{first}"


def _unanswered(result: Result, word: str = "") -> str:
    """Return how many items the system left unanswered, and what these count as."""
    share = f"{result.unanswered:,} of {len(result):,} items{word}"
    if not result.unanswered or not result.filled:
        return f"{share}, left out" if result.unanswered else share
    worst = result.metric.higher_is_better is not None and result.metric.silence is not None
    rule = "counted as the worst value" if worst else "counted as empty responses"
    return f"{share}, {'' if result.filled == result.unanswered else f'{result.filled:,} of them '}{rule}"
