"""What a comparison found, and how to say it in plain words."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dialeval.core import Interval


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems under one measure, over the items that have a value from both."""

    measure: str
    """The metric's signature in full."""
    a: str
    b: str
    score_a: float
    """Over the paired items, so it may differ from a's score over all of its own."""
    score_b: float
    difference: float
    """a's score minus b's."""
    interval: Interval
    """Where the difference plausibly lies: a percentile bootstrap over items, a jackknife for corpus measures."""
    p_bootstrap: float
    p_permutation: float
    p_mcnemar: float | None
    """Only for yes/no measures over independent items, so None where clusters were given."""
    p_adjusted: float | None
    """The deciding p-value after Holm's correction; None where one pair stands alone."""
    effect_size: float | None
    """Cohen's d of the per-item differences; None where undefined."""
    wins: int | None
    """Items on which a does better; where the measure has no better, on which a's value is higher.

    None, as are ties and losses, under corpus measures, where no item has a value of its own.
    """
    ties: int | None
    losses: int | None
    n: int
    unpaired: int
    """Items without a value from either system, or that only one of them was given."""
    more_items: int | None
    """Further items that would settle it with 80 % power; 0 where it is settled, None where no number would."""
    alpha: float
    higher_is_better: bool | None
    p_jackknife: float | None = None
    """Only for corpus measures, which have no other test, no effect size, and no item that could win."""

    @property
    def p(self) -> float:
        """The p-value that decides: the adjusted one, else the jackknife's, McNemar's or the permutation test's."""
        if self.p_adjusted is not None:
            return self.p_adjusted
        if self.p_jackknife is not None:
            return self.p_jackknife
        return self.p_permutation if self.p_mcnemar is None else self.p_mcnemar

    @property
    def significant(self) -> bool:
        """Whether the deciding p-value is below alpha."""
        return self.p < self.alpha

    @property
    def better(self) -> str | None:
        """The system shown to be better; None where none is, or where the measure has no better."""
        if not self.significant or self.higher_is_better is None:
            return None
        return self.a if (self.difference > 0) is self.higher_is_better else self.b

    @property
    def verdict(self) -> str:
        """Who is better and by how much, or what it would take to know, in plain words."""
        return _verdict(self)

    def as_json(self) -> dict[str, object]:
        """The fields that our files keep, under the names of docs/files.md; null where a number is undefined."""
        return {
            "a": self.a,
            "b": self.b,
            "difference": _finite(self.difference),
            "low": _finite(self.interval.low),
            "high": _finite(self.interval.high),
            "p_bootstrap": _finite(self.p_bootstrap),
            "p_permutation": _finite(self.p_permutation),
            "p_mcnemar": _finite(self.p_mcnemar),
            "p_jackknife": _finite(self.p_jackknife),
            "p_adjusted": _finite(self.p),
            "significant": self.significant,
            "better": self.better,
            "effect_size": _finite(self.effect_size),
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "n": self.n,
            "unpaired": self.unpaired,
            "more_items": self.more_items,
        }


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _verdict(c: Comparison) -> str:
    up = c.difference >= 0
    high, low = (c.a, c.b) if up else (c.b, c.a)
    ends = (c.interval.low, c.interval.high) if up else (-c.interval.high, -c.interval.low)
    gap, *bounds = _numbers(abs(c.difference), *ends)
    corrected = "" if c.p_adjusted is None else " after Holm's correction"
    evidence = (
        f"({100 * c.interval.confidence:g} % interval {bounds[0]} to {bounds[1]}, {_p(c.p)}{corrected})"
    )
    if c.better is not None:
        return f"{c.better} is better than {c.b if c.better == c.a else c.a} by {gap} {evidence}."
    if c.significant:
        return f"{high} scores higher than {low} by {gap} {evidence}."
    if math.isnan(c.difference):
        return f"No difference shown: {c.a} or {c.b} has no defined score."
    if c.difference == 0:
        return f"No difference shown: {c.a} and {c.b} score the same on {c.n:,} items."
    return f"No difference shown: {high} scores {gap} higher than {low} {evidence}{_prospect(c)}."


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


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
