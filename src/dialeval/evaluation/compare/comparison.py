"""Comparison of two systems, as it is computed and as documents hold it, and its verdict in a sentence."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import ClassVar

from dialeval.core import Interval
from dialeval.files.documents import FINITE, finite


@dataclass(frozen=True, slots=True)
class Basis:
    """What a comparison was computed from, which files do not keep."""

    signature: str
    """The measure's, in full."""
    score_a: float
    """Over the paired items, so it may differ from a's score over all of its own."""
    score_b: float
    confidence: float
    alpha: float
    higher_is_better: bool | None
    corrected: bool = False
    """Whether p was corrected for other pairs that were compared along with this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two systems under one measure, over the items that have a value from both.

    Fields are in the order of docs/files.md; a number that is undefined is None.
    """

    __pydantic_config__: ClassVar = FINITE

    measure: str | None = None
    """As a study calls it; None, and left out of documents, where there is only one measure."""
    a: str
    b: str
    difference: float | None
    """a's score minus b's."""
    low: float | None
    """Where the difference plausibly lies: a percentile bootstrap over items, a jackknife for corpus measures."""
    high: float | None
    p_bootstrap: float | None
    p_permutation: float | None
    p_mcnemar: float | None
    """Only for yes/no measures over independent items, so None where clusters were given."""
    p_jackknife: float | None = None
    """Only for corpus measures, which have no other test, no effect size, and no item that could win."""
    p_adjusted: float | None
    """The deciding p-value, after Holm's correction where several pairs were compared."""
    significant: bool
    better: str | None
    """The system shown to be better; None where none is, or where the measure has no better."""
    effect_size: float | None
    """Cohen's d of the per-item differences."""
    wins: int | None
    """Items on which a does better; where the measure has no better, on which a's value is higher.

    None, as are ties and losses, under corpus measures, which have no per-item values.
    """
    ties: int | None
    losses: int | None
    n: int
    unpaired: int
    """Items without a value from either system, or that only one of them was given."""
    more_items: int | None
    """Further items that would settle it with 80 % power; 0 where it is settled, None where no number would."""
    basis: Basis | None = None
    """None where the comparison was read from a file."""

    @property
    def interval(self) -> Interval | None:
        """The ends of the interval with their confidence; None where undefined, or read from a file."""
        if self.basis is None or self.low is None or self.high is None:
            return None
        return Interval(self.low, self.high, self.basis.confidence)

    @property
    def verdict(self) -> str:
        """Who is better and by how much, or what it would take to know, in plain words."""
        return _verdict(self)

    def json_value(self) -> dict[str, object]:
        """The fields that documents hold."""
        names = [field.name for field in dataclasses.fields(self) if field.name != "basis"]
        return {name: getattr(self, name) for name in names if name != "measure" or self.measure is not None}


def decided(comparison: Comparison, *, corrected: float | None = None) -> Comparison:
    """The comparison with what follows from its p-value, or from ``corrected``, where other pairs were compared too."""
    basis, difference = comparison.basis, comparison.difference
    if basis is None:
        raise ValueError("a comparison that was read from a file is decided already")
    p = comparison.p_adjusted if corrected is None else finite(corrected)
    significant = p is not None and p < basis.alpha
    better = None
    if significant and basis.higher_is_better is not None and difference is not None:
        better = comparison.a if (difference > 0) is basis.higher_is_better else comparison.b
    return dataclasses.replace(
        comparison,
        p_adjusted=p,
        significant=significant,
        better=better,
        more_items=0 if significant else comparison.more_items,
        basis=dataclasses.replace(basis, corrected=corrected is not None),
    )


def _verdict(c: Comparison) -> str:
    if c.difference is None or c.low is None or c.high is None:
        return f"No difference shown: {c.a} or {c.b} has no defined score."
    up = c.difference >= 0
    high, low = (c.a, c.b) if up else (c.b, c.a)
    ends = (c.low, c.high) if up else (-c.high, -c.low)
    gap, *bounds = _numbers(abs(c.difference), *ends)
    evidence = f"({_confidence(c)}interval {bounds[0]} to {bounds[1]}, {_p(c)})"
    if c.better is not None:
        return f"{c.better} is better than {c.b if c.better == c.a else c.a} by {gap} {evidence}."
    if c.significant:
        return f"{high} scores higher than {low} by {gap} {evidence}."
    if c.difference == 0:
        return f"No difference shown: {c.a} and {c.b} score the same on {c.n:,} items."
    return f"No difference shown: {high} scores {gap} higher than {low} {evidence}{_prospect(c)}."


def _confidence(c: Comparison) -> str:
    return f"{100 * c.basis.confidence:g} % " if c.basis else ""


def _prospect(c: Comparison) -> str:
    if c.more_items is None:
        return "; too few items to tell how many would settle it"
    magnitude = 10 ** max(0, len(str(c.more_items)) - 2)
    about = math.ceil(c.more_items / magnitude) * magnitude
    return f"; about {about:,} more item{'s' * (about > 1)} would settle a difference of this size"


def _numbers(*values: float) -> list[str]:
    """The values with as many decimals as give the largest three significant digits."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    places = 3 if largest == 0 else min(12, max(0, 2 - math.floor(math.log10(largest))))
    return [f"{value:z.{places}f}" for value in values]


def _p(c: Comparison) -> str:
    p = c.p_adjusted
    if p is None:
        return "p undefined"
    corrected = " after Holm's correction" if c.basis and c.basis.corrected else ""
    return ("p < 0.001" if p < 0.001 else f"p = {p:.3f}") + corrected
