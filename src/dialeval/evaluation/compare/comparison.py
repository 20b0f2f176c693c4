"""Comparison of two systems, as it is computed and as documents hold it, and its verdict in a word and a sentence."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from dialeval.core import Estimate
from dialeval.data.framed import html_table
from dialeval.display.plots import Dot, draw_dots, new_axes
from dialeval.evaluation.compare.sentences import sentence_of
from dialeval.files.documents import FINITE, finite
from dialeval.stats.resampling.intervals import Absence
from dialeval.stats.tests.equivalence import Verdict, verdict
from dialeval.stats.tests.multiple import Correction, Role

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class MoreItems(NamedTuple):
    """Number of further items that would show a difference with 80 % power."""

    expected: int | None = None
    """If the difference is the one observed; None, as below, where no number is known."""
    fewest: int | None = None
    """If it is as large as the interval allows."""
    most: int | None = None
    """If it is as small as that; None where it may be 0."""


@dataclass(frozen=True, slots=True)
class Basis:
    """Scores that a comparison was computed from, which files do not keep."""

    signature: str
    """The measure's, in full."""
    score_a: float
    """Over the paired items, so it may differ from a's score over all of its own."""
    score_b: float
    confidence: float
    alpha: float
    higher_is_better: bool | None
    more: MoreItems
    """Items that would settle the comparison, should it not be settled."""
    p_equivalence: float | None = None
    """That of the difference being as large as the margin or larger, before any correction; None without a margin."""
    p_looks: float | None = None
    """The deciding p-value of these items and of those of a first look together; None without a first look."""


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
    difference: Estimate
    """a's score minus b's over the paired items, with its interval from the spread of the units."""
    p_bootstrap: float | None
    p_permutation: float | None
    p_mcnemar: float | None
    """Only for yes/no measures over independent items, so None where clusters were given."""
    p_jackknife: float | None = None
    """Only for mean ratings, and for corpus measures, which have no other test, no effect size and no item to win."""
    p_adjusted: float | None
    """The deciding p-value, corrected where it is one of several tests."""
    significant: bool
    """Whether it is below alpha; ``verdict`` may still be that the difference is too small to matter."""
    better: str | None
    """The system shown to be better; None where none is, or where the measure has no better."""
    effect_size: float | None
    """d_z: the difference in standard deviations of one item's part in it."""
    wins: int | None
    """Items on which a does better; where the measure has no better, on which a's value is higher.

    None, as are ties and losses, under corpus measures, which have no per-item values.
    """
    ties: int | None
    losses: int | None
    unpaired: int
    """Items without a value from either system, or that only one of them was given."""
    more_items: int | None
    """Further items that would show a difference as large as this one with 80 % power; 0 where it is settled.

    None where no number would. The difference observed is itself uncertain: see the range below.
    """
    verdict: Verdict = "undecided"
    """Verdict on a beside b."""
    margin: float | None = None
    """The smallest difference that matters; None where nobody said, so that equivalence cannot be shown."""
    largest: float | None = None
    """The largest difference still possible: the farther end of the interval from 0."""
    more_items_low: int | None = None
    """Further items that would show a difference with 80 % power, if it is as large as the interval allows.

    0 where it is settled, None where nothing is known.
    """
    more_items_high: int | None = None
    """The same if it is as small as the interval allows; None where it may be 0, so that perhaps no number would do."""
    units: int = 0
    """Number of units that were resampled: items, or clusters of them, such as dialogues."""
    role: Role | None = None
    """Whether the measure was declared primary beforehand; None where none was."""
    family: int = 1
    """Number of tests that were corrected together; 1 if this one stands alone."""
    correction: Correction | None = None
    absence: Absence | None = None
    """Why there is no interval."""
    p_equivalence: float | None = None
    """That of the difference being as large as the margin or larger, corrected over the same family."""
    design_effect: float | None = None
    """Variance of the difference by clusters over that of independent items; None where they are, or it is unknown."""
    basis: Basis | None = None
    """None where the comparison was read from a file."""

    @property
    def n(self) -> int:
        """Number of paired items."""
        return self.difference.n

    @property
    def identical(self) -> bool:
        """Whether both systems gave the same answers to all items: only then is the interval [0, 0]."""
        return self.difference.bounds == (0, 0)

    @property
    def sentence(self) -> str:
        """Finding in plain words: who is better and by how much, or what it would take to know."""
        return sentence_of(self)

    @property
    def p_value(self) -> float | None:
        """The deciding p-value before any correction: McNemar's, the jackknife's of corpora, or the permutation's."""
        both = None if self.basis is None else self.basis.p_looks
        tests = (both, self.p_mcnemar, self.p_jackknife, self.p_permutation)
        return next((p for p in tests if p is not None), None)

    def __str__(self) -> str:
        return self.sentence

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the difference with its interval beside no difference, and return the axes."""
        axes = ax or new_axes()
        axes.axvline(0, color="#777777", linestyle="--")
        draw_dots(axes, [Dot(f"{self.a} − {self.b}", self.difference.value, self.difference.bounds)])
        measure = self.measure or (self.basis.signature.partition("|")[0] if self.basis else "")
        axes.set_title(f"{measure}: difference".lstrip(": "))
        return axes

    def _repr_html_(self) -> str:
        value, low, high, n, _ = self.difference
        numbers = {"difference": value, "low": low, "high": high, "p_adjusted": self.p_adjusted}
        measure = {} if self.measure is None else {"measure": self.measure}
        cells = {**measure, "a": self.a, "b": self.b, **numbers, "verdict": self.verdict, "n": n}
        fields: dict[str, list[object]] = {name: [cell] for name, cell in cells.items()}
        return html_table(self.sentence, fields)

    def json_value(self) -> dict[str, object]:
        """The fields that documents hold."""
        names = [field.name for field in dataclasses.fields(self) if field.name != "basis"]
        return {name: getattr(self, name) for name in names if name != "measure" or self.measure is not None}


@dataclass(frozen=True, slots=True)
class Corrected:
    """P-values of one comparison after correction, and the family of tests it was made over."""

    p: float
    p_equivalence: float
    tests: int
    correction: Correction
    role: Role | None = None


def decided(comparison: Comparison, corrected: Corrected | None = None) -> Comparison:
    """The comparison with what follows from its p-values, or from corrected ones, where it is one of several tests."""
    basis, difference = comparison.basis, comparison.difference.value
    if basis is None:
        raise ValueError("a comparison that was read from a file is decided already")
    p = comparison.p_value if corrected is None else finite(corrected.p)
    p_equivalence = basis.p_equivalence if corrected is None else finite(corrected.p_equivalence)
    significant = p is not None and p < basis.alpha
    better = None
    if significant and basis.higher_is_better is not None and difference is not None:
        better = comparison.a if (difference > 0) is basis.higher_is_better else comparison.b
    equivalent = comparison.identical or (p_equivalence is not None and p_equivalence < basis.alpha)
    word = verdict(
        math.nan if difference is None else difference,
        math.nan if p is None else p,
        equivalent=equivalent,
        higher_is_better=basis.higher_is_better,
        alpha=basis.alpha,
    )
    more = MoreItems(0, 0, 0) if significant or equivalent else basis.more
    return dataclasses.replace(
        comparison,
        p_adjusted=p,
        significant=significant,
        better=better,
        more_items=more.expected,
        verdict=word,
        more_items_low=more.fewest,
        more_items_high=more.most,
        role=None if corrected is None else corrected.role,
        family=1 if corrected is None else corrected.tests,
        correction=None if corrected is None or corrected.tests < 2 else corrected.correction,
        p_equivalence=p_equivalence,
    )
