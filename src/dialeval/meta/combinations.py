"""Several measures as one: averages of z-scores, and linear combinations judged on held-out items."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats, Integers, Signature
from dialeval.errors import Unsuitable
from dialeval.ratings.joined import Grid, Joined, MeasureGrid
from dialeval.stats.correlation.coefficients import kendall, pearson, spearman
from dialeval.stats.estimate import Statistic

Flags: TypeAlias = NDArray[np.bool_]

COLLINEAR: Final = 1e-10
"""A direction of the measures with less than this share of the largest spread is none."""


@dataclass(frozen=True, slots=True)
class Weight:
    """Weight of a measure in a combination: points of the human criterion per standard deviation of the measure."""

    measure: str
    weight: float
    """Mean over the folds."""
    least: float
    greatest: float


@dataclass(frozen=True, slots=True, eq=False)
class Combination:
    """A measure made of others, fitted to people's ratings, and how it agrees with ratings it was not fitted to."""

    measure: MeasureGrid
    """Held-out predictions, a measure like any other: ``joined.plus(combination.measure)``."""
    signature: Signature
    weights: tuple[Weight, ...]
    fold: Integers
    """The fold of each item, -1 if none of its answers could be used for fitting."""
    pearson: Statistic
    """Held out, over all rated answers, as are the other two."""
    spearman: Statistic
    kendall: Statistic
    left_out: int
    """Answers without a prediction, because one of the measures has no value for them."""


def zscore_average(
    joined: Joined,
    names: Sequence[str] | None = None,
    *,
    lower_is_better: Collection[str] = (),
    name: str = "zscore_average",
) -> MeasureGrid:
    """The mean of the measures' z-scores, all measures if none are named; measures lower_is_better count negatively.

    Mean and standard deviation (n in the denominator) of each measure are those over all answers, of all systems and
    items, that every one of the measures has scored; answers that one of them lacks have no average. No rating is
    looked at, so nothing is fitted and nothing needs to be held out.
    """
    measures = _named(joined, names)
    for wrong in sorted(set(lower_is_better) - {measure.name for measure in measures}):
        joined.measure_named(wrong)
        raise Unsuitable(f"{wrong!r} is lower_is_better but not among the measures that are averaged.")
    cube = np.stack([measure.values for measure in measures])
    complete = ~np.isnan(cube).any(axis=0)
    cells = cube[:, complete]
    mean, spread = _scale(cells.T)
    signs = np.array([-1.0 if measure.name in lower_is_better else 1.0 for measure in measures])
    values = np.full(complete.shape, np.nan)
    values[complete] = signs @ ((cells - mean[:, None]) / spread[:, None]) / len(measures)
    reversed_ = ", ".join(measure.name for measure in measures if measure.name in lower_is_better)
    parameters = (
        ("measures", ", ".join(measure.name for measure in measures)),
        ("lower_is_better", reversed_),
    )
    signature = Signature("zscore_average", parameters, (("over", "all answers"),))
    return MeasureGrid(name, str(signature), signature.name, Grid(joined.systems, joined.items, values))


def linear_combination(
    joined: Joined,
    names: Sequence[str] | None = None,
    *,
    folds: int = 10,
    seed: int = 0,
    ridge: float = 0.1,
    new_systems: bool = False,
    fill: bool = False,
    name: str = "linear_combination",
) -> Combination:
    """The ridge regression of people's ratings on the measures, each answer predicted by a fit that never saw its item.

    Items are dealt into ``folds``; each is predicted by a fit to the others, with ``new_systems`` also without the
    system of the answer, as when a new system comes along: without it a fit has seen how the system's other answers
    were rated, so it may serve for estimates and for levels within a system, but not to rank systems. With ``fill``,
    a score that an answer lacks is the mean of those fitted to. Standardisation is part of the fit. ``ridge`` is the
    penalty as a share of the number of rated answers, 0 for least squares. Items without ratings get the mean
    prediction of all folds, as in cross-prediction-powered inference (Zrnic & Candès, 2024). There is no in-sample
    prediction to be had. The correlation of measures that know nothing scatters around 0 and often falls below it,
    since what is left out leans the other way.
    """
    if ridge < 0:
        raise Unsuitable(f"Found ridge={ridge:g}, expected 0 or more.")
    measures = _named(joined, names)
    cube = np.stack([measure.values for measure in measures], axis=-1)
    scored = np.isfinite(cube)
    complete: Flags = np.asarray(scored.any(axis=-1) if fill else scored.all(axis=-1))
    usable = complete & ~np.isnan(joined.human.values)
    fold = _deal(np.asarray(usable.any(axis=0)), folds, seed)
    plan = _Plan(np.where(scored, cube, np.nan), joined.human.values, complete, usable, fold, ridge)
    values, weights = plan.predictions(new_systems=new_systems)
    signature = Signature(
        "linear_combination",
        (("measures", ", ".join(measure.name for measure in measures)), ("ridge", ridge)),
        (
            ("folds", str(folds)),
            ("held_out", "items and systems" if new_systems else "items"),
            ("seed", str(seed)),
            *((("absent", "filled with the mean"),) if fill else ()),
        ),
    )
    table = zip(measures, weights.mean(axis=0), weights.min(axis=0), weights.max(axis=0), strict=True)
    human, held_out = joined.human.values[usable], values[usable]
    return Combination(
        measure=MeasureGrid(name, str(signature), signature.name, Grid(joined.systems, joined.items, values)),
        signature=signature,
        weights=tuple(
            Weight(measure.name, float(w), float(low), float(high)) for measure, w, low, high in table
        ),
        fold=fold,
        pearson=pearson(human, held_out),
        spearman=spearman(human, held_out),
        kendall=kendall(human, held_out),
        left_out=int((~complete & (~np.isnan(cube).all(axis=-1) | ~np.isnan(joined.human.values))).sum()),
    )


def _named(joined: Joined, names: Sequence[str] | None) -> list[MeasureGrid]:
    chosen = list(joined.measures) if names is None else [joined.measure_named(name) for name in names]
    if not chosen:
        raise Unsuitable("There is no measure to combine. Join judgements of at least one automatic measure.")
    if len({measure.name for measure in chosen}) < len(chosen):
        raise Unsuitable(f"A measure is named twice among {', '.join(measure.name for measure in chosen)}.")
    return chosen


def _scale(rows: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of each column; 1 for a column that does not vary, which then stays at zero."""
    if not len(rows):
        return np.zeros(rows.shape[1]), np.ones(rows.shape[1])
    constant = rows.min(axis=0) == rows.max(axis=0)
    # The mean of equal values may differ from them in the last digit.
    size = np.abs(rows).max(axis=0)
    size = np.where(size > 0, size, 1.0)  # squares of very small or large scores are beyond any float
    near = rows / size
    mean, spread = size * near.mean(axis=0), size * near.std(axis=0)
    return np.where(constant, rows[0], mean), np.where(constant, 1.0, spread)


def _deal(usable: Flags, folds: int, seed: int) -> Integers:
    """A fold for each usable item, at random and of equal sizes within one; -1 for the others."""
    count = int(usable.sum())
    if folds < 2:
        raise Unsuitable(
            f"Found folds={folds}, expected at least 2: a combination judged by the ratings it was fitted to would "
            "look better than it is, however poor its measures."
        )
    if count < folds:
        raise Unsuitable(
            f"Found {count} items with both ratings and scores, expected at least one for each of {folds} folds. "
            "Rate more items; from Python, take fewer folds."
        )
    fold = np.full(len(usable), -1, dtype=np.int64)
    fold[np.random.default_rng(seed).permutation(np.flatnonzero(usable))] = np.arange(count) % folds
    return fold


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """Centres, spreads and weights of the measures."""

    mean: Floats
    spread: Floats
    weights: Floats

    def __call__(self, scores: Floats) -> Floats:
        """Deviations from the mean rating predicted by these scores, shape (n, measures); absent ones add nothing."""
        standard = (scores - self.mean) / self.spread
        return np.asarray(np.where(np.isnan(standard), 0.0, standard) @ self.weights, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """Scores and ratings of a fit, and the items that are held out together."""

    cube: Floats
    """Scores, shape (systems, items, measures); NaN if absent."""
    human: Floats
    complete: Flags
    """Cells that can be predicted, shape (systems, items)."""
    usable: Flags
    """Cells that can be fitted to."""
    fold: Integers
    ridge: float

    def predictions(self, *, new_systems: bool) -> tuple[Floats, Floats]:
        """Predictions on the grid, and the weights of every fit, shape (fits, measures)."""
        # One mean for all folds. The mean of the training ratings would be lowest where the held-out ones are highest,
        # and a worthless combination would seem to disagree with people.
        values = np.where(self.complete, self.human[self.usable].mean(), np.nan)
        weights: list[Floats] = []
        for rows in self._systems() if new_systems else [np.ones((len(self.human), 1), dtype=bool)]:
            train = self.usable & ~rows if new_systems else self.usable
            weights += self._predict(values, self.complete & rows, train)
        return values, np.stack(weights)

    def _systems(self) -> list[Flags]:
        return [np.arange(len(self.human))[:, None] == row for row in range(len(self.human))]

    def _predict(self, values: Floats, target: Flags, train: Flags) -> list[Floats]:
        """Add the predictions of fits to the training cells to the values of the target cells, each fold held out."""
        folds, weights = int(self.fold.max()) + 1, []
        for held_out in range(folds):
            seen = train & (self.fold != held_out)
            if not seen.any():
                raise Unsuitable(
                    "No rated answer is left to fit on: new_systems needs ratings of two systems."
                )
            fit = _fit(self.cube[seen], self.human[seen], self.ridge)
            held, unrated = target & (self.fold == held_out), target & (self.fold == -1)
            values[held] += fit(self.cube[held])
            values[unrated] += fit(self.cube[unrated]) / folds
            weights.append(fit.weights)
        return weights


def _fit(scores: Floats, ratings: Floats, ridge: float) -> _Fit:
    """The ridge regression (Hoerl & Kennard, 1970) of ratings on scores, shape (n, measures), standardised here."""
    absent = np.isnan(scores)
    there = np.maximum((~absent).sum(axis=0), 1)
    scores = np.where(absent, np.where(absent, 0.0, scores).sum(axis=0) / there, scores)
    mean, spread = _scale(scores)
    left, sizes, right = np.linalg.svd((scores - mean) / spread, full_matrices=False)
    along = left.T @ (ratings - ratings.mean())
    # Directions in which the measures do not vary get no weight, where least squares would have no answer.
    kept = sizes > COLLINEAR * sizes.max(initial=0)
    shrunk = np.where(kept, sizes / np.where(kept, sizes**2 + ridge * len(scores), 1), 0)
    return _Fit(mean, spread, right.T @ (shrunk * along))
