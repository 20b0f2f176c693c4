"""Single raters: Cohen's kappa of every two, counts for each, and qualification tests."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import nan
from typing import Final, NamedTuple

import numpy as np

from dialeval.core import Floats, Integers
from dialeval.display.notes import Note
from dialeval.errors import Unsuitable
from dialeval.ratings.table import Ratings, Unit
from dialeval.stats.agreement.kappa import cohen_kappa, not_categories, pairwise_cohen
from dialeval.stats.estimate import Statistic

THRESHOLDS: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
"""The kappas that Sharma et al. (2017, Table 3) count pairs above."""

MOST_CELLS: Final = 1 << 27
"""The largest table of units by raters that is made, in cells."""

ANONYMOUS: Final = (
    "raters are positions in a list (#1, #2 ...), not people, so none can be compared with another"
)
"""Why nothing is said of one rater if a corpus does not name them."""


class Pair(NamedTuple):
    """Two raters, their kappa and the number of units both rated."""

    a: str
    b: str
    kappa: float
    n: int
    equal: float
    """Share of these units to which both gave the same value."""


@dataclass(frozen=True, slots=True, eq=False)
class KappaTable:
    """Cohen's kappa between every two raters of one criterion."""

    raters: tuple[str, ...]
    kappa: Floats
    """Shape (raters, raters), symmetric; NaN on the diagonal, where two share no unit, or both chose one category."""
    n: Integers
    """Number of units that both rated, shape (raters, raters); on the diagonal, that a rater rated."""
    same: Integers
    """Number of those to which both gave the same value."""

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs that have a kappa, each once."""
        rows, columns = np.nonzero(
            ~np.isnan(np.triu(self.kappa, 1)) & np.triu(np.ones_like(self.n), 1).astype(bool)
        )
        return tuple(
            Pair(
                self.raters[i],
                self.raters[j],
                float(self.kappa[i, j]),
                int(self.n[i, j]),
                float(self.same[i, j] / self.n[i, j]),
            )
            for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
        )

    @property
    def exceeding(self) -> Mapping[float, int]:
        """Numbers of pairs with a kappa above .1, .2 ... .6 (Sharma et al., 2017, Table 3)."""
        kappas = np.array([pair.kappa for pair in self.pairs])
        return {threshold: int((kappas > threshold).sum()) for threshold in THRESHOLDS}

    @property
    def means(self) -> Floats:
        """Each rater's mean kappa with the others, shape (raters,); NaN if there is none."""
        defined = ~np.isnan(self.kappa)
        count = defined.sum(axis=1)
        sums = np.where(defined, self.kappa, 0.0).sum(axis=1)
        return np.asarray(np.divide(sums, count, out=np.full(len(count), np.nan), where=count > 0))

    @property
    def others(self) -> Integers:
        """With how many others each rater shares a unit, shape (raters,)."""
        shared = (self.n > 0).astype(np.int64)
        np.fill_diagonal(shared, 0)
        return np.asarray(shared.sum(axis=1))

    def without(self, rater: str) -> KappaTable:
        """The table of the other raters."""
        kept = np.array([name != rater for name in self.raters])
        names = tuple(name for name in self.raters if name != rater)
        both = np.ix_(kept, kept)
        return KappaTable(names, self.kappa[both], self.n[both], self.same[both])


def pairwise_kappas(ratings: Ratings, criterion: str) -> KappaTable:
    """Cohen's kappa of every two raters on a criterion, over the units both rated."""
    chosen = ratings.criterion_named(criterion)
    reason = incomparable(chosen, len(chosen.packed(criterion))) or not_categories(chosen.value)
    if reason is not None:
        raise Unsuitable(f"There are no pairwise kappas of {criterion!r}: {reason}.")
    return kappa_table(chosen.raters, chosen.matrix(criterion))


def kappa_table(raters: tuple[str, ...], matrix: Floats) -> KappaTable:
    """Cohen's kappa of every two raters of a table of shape (units, raters)."""
    compared = pairwise_cohen(matrix.T)
    return KappaTable(raters, compared.kappa, compared.n, _same_values(matrix))


def _same_values(matrix: Floats) -> Integers:
    """On how many units every two raters gave the same value, shape (raters, raters)."""
    from scipy.sparse import csr_array

    same = np.zeros((matrix.shape[1],) * 2, dtype=np.int64)
    for value in np.unique(matrix[~np.isnan(matrix)]):
        chosen = csr_array((matrix == value).astype(np.int64))
        same += (chosen.T @ chosen).toarray()
    return same


def incomparable(ratings: Ratings, units: int) -> str | None:
    """Why raters are not compared with one another over this many units; None if they can be."""
    return ANONYMOUS if ratings.anonymous else too_large(units, len(ratings.raters))


def too_large(units: int, raters: int) -> str | None:
    """Why this many units by this many raters are not laid out in one table; None if they can be."""
    cells = units * raters
    if cells <= MOST_CELLS:
        return None
    return f"a table of {cells:,} cells, a row for each item and a column for each rater, is too large"


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """Counts of one rater, and agreement with the others."""

    rater: str
    ratings: int
    could_not_say: int
    mean: float
    """The mean of the rater's values; NaN if there are none."""
    mean_kappa: float
    """Mean of Cohen's kappa with each other rater; NaN if there is none."""
    others: int
    """With how many other raters it shares at least one unit."""
    flags: tuple[Note, ...]
    """Oddities of this rater, in words; empty if nothing is."""


def rater_agreements(ratings: Ratings, table: KappaTable | None) -> tuple[RaterAgreement, ...]:
    """Return counts and agreement of each rater, in order of first sight; ``table`` is None if there are no kappas.

    Names of categories have no mean.
    """
    count, said = len(ratings.raters), ~np.isnan(ratings.value)
    silent = np.bincount(ratings.rater[~said], minlength=count).tolist()
    order = np.argsort(ratings.rater[said], kind="stable")
    ends = np.cumsum(np.bincount(ratings.rater[said], minlength=count))[:-1]
    given = np.split(ratings.value[said][order], ends)
    means = [math.nan] * count if table is None else table.means.tolist()
    others = [0] * count if table is None else table.others.tolist()
    varied = len(np.unique(ratings.value[said])) > 1
    averaged = not ratings.nominal
    return tuple(
        RaterAgreement(
            rater=rater,
            ratings=len(given[index]),
            could_not_say=silent[index],
            mean=float(given[index].mean()) if averaged and len(given[index]) else math.nan,
            mean_kappa=means[index],
            others=others[index],
            flags=tuple(
                _flags(
                    given[index],
                    means[index],
                    varied,
                    alone=table is not None and count > 1 and not others[index],
                )
            ),
        )
        for index, rater in enumerate(ratings.raters)
    )


ONE_ANSWER: Final = 5
"""From how many ratings on it is odd that all are equal."""
ALONE: Final = "alone"
"""The code of a rater who shares no item with another."""


def _flags(given: Floats, mean_kappa: float, varied: bool, *, alone: bool) -> Iterator[Note]:
    if not len(given):
        yield Note("no_value", "gave no value")
    elif alone:
        yield Note(ALONE, "shares no item with another rater")
    if varied and len(given) >= ONE_ANSWER and given.min() == given.max():
        yield Note("one_answer", f"always answers {given[0]:g}")
    if mean_kappa <= 0:
        yield Note("chance", "agrees with the others no better than chance")


@dataclass(frozen=True, slots=True)
class Qualification:
    """Limits that a rater must reach on the items whose answers are known."""

    accuracy: float | None = None
    """The least share of right answers."""
    kappa: float | None = None
    """The least Cohen's kappa with the known answers."""
    answers: int = 1
    """Least number of the items that a rater must answer."""
    within: float = 0.0
    """Largest distance of a right answer from the known one."""

    def __post_init__(self) -> None:
        if self.accuracy is None and self.kappa is None:
            raise Unsuitable("A qualification test needs a least accuracy, a least kappa, or both.")


@dataclass(frozen=True, slots=True)
class Candidate:
    """Result of one rater."""

    rater: str
    answered: int
    right: int
    kappa: Statistic
    failures: tuple[str, ...]
    """Limits that were not reached, in words; empty if the rater passed."""

    @property
    def accuracy(self) -> float:
        """The share of right answers among those given; NaN if none were."""
        return self.right / self.answered if self.answered else nan

    @property
    def passed(self) -> bool:
        """Whether the rater qualify."""
        return not self.failures


@dataclass(frozen=True, slots=True)
class QualificationResult:
    """Results of all raters, in order of first sight."""

    candidates: tuple[Candidate, ...]

    @property
    def passed(self) -> tuple[str, ...]:
        """The names of those who qualify; ``ratings.by(raters=...)`` keeps theirs."""
        return tuple(candidate.rater for candidate in self.candidates if candidate.passed)


def gold_answers(ratings: Ratings, criterion: str, rater: str) -> dict[Unit, float]:
    """The answers of one rater, whose word is taken for the truth."""
    chosen = ratings.criterion_named(criterion).by(raters=[rater])
    if not len(chosen):
        raise Unsuitable(f"There is no answer of {rater!r} for {criterion!r} to be taken for the truth.")
    column = chosen.matrix(criterion)[:, 0]
    return {
        unit: float(value) for unit, value in zip(chosen.units, column, strict=True) if not np.isnan(value)
    }


def qualify(
    ratings: Ratings, criterion: str, gold: Mapping[Unit, float], test: Qualification
) -> QualificationResult:
    """Which raters pass the test on the units of a criterion whose answers ``gold`` gives."""
    chosen = ratings.criterion_named(criterion)
    known = np.array([gold.get(unit, nan) for unit in chosen.units])
    if np.isnan(known).all():
        raise Unsuitable(
            f"None of the {len(gold):,} known answers is for an item that was rated for {criterion!r}."
            " Items and systems must be named as in the ratings."
        )
    table = chosen.matrix(criterion)
    return QualificationResult(
        tuple(_candidate(rater, table[:, index], known, test) for index, rater in enumerate(chosen.raters))
    )


def _candidate(rater: str, answers: Floats, known: Floats, test: Qualification) -> Candidate:
    asked = ~np.isnan(answers) & ~np.isnan(known)
    right = int((np.abs(answers[asked] - known[asked]) <= test.within).sum())
    kappa = cohen_kappa(answers, known)
    answered = int(asked.sum())
    share = right / answered if answered else 0.0
    failures = []
    if answered < test.answers:
        failures.append(f"answered {answered} of at least {test.answers}")
    if test.accuracy is not None and answered and share < test.accuracy:
        failures.append(f"accuracy {share:.3f} is below {test.accuracy:g}")
    if test.kappa is not None and answered and not kappa.defined:
        failures.append(f"kappa is undefined: {kappa.reason}")
    elif test.kappa is not None and kappa.value < test.kappa:
        failures.append(f"kappa {kappa.value:.3f} is below {test.kappa:g}")
    return Candidate(rater, answered, right, kappa, tuple(failures))
