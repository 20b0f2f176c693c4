"""Use of the scale: how often a judge gives each score, beside how often people do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats, Integers, Resampling
from dialeval.files.documents import FINITE
from dialeval.metrics.rows import mean_of_rows, rows_of_values
from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.intervals import spread_of
from dialeval.stats.resampling.jackknife import jackknife_interval, leave_out


@dataclass(frozen=True, slots=True)
class ScoreShare:
    """How often one score of the scale is given, verdicts between two scores counting as the nearer one."""

    __pydantic_config__: ClassVar = FINITE

    score: float
    judge: Estimate
    people: Estimate


@dataclass(frozen=True, slots=True)
class ScaleUse:
    """How a judge and people use the scale, on the answers that both rated."""

    __pydantic_config__: ClassVar = FINITE

    shares: tuple[ScoreShare, ...]
    """Of each score of the judge's scale, lowest first."""
    spread: Estimate
    """Standard deviation of the judge's values over that of single ratings by people: below 1, it uses less of it."""


def scale_use(
    judge: Floats,
    ratings: Floats,
    rated: Integers,
    items: Sequence[str],
    *,
    scale: Sequence[float],
    resampling: Resampling,
) -> ScaleUse | None:
    """Use of the scale by a judge and by people; None if they share no answers, or people rated off the scale.

    ``judge`` has a value for each answer, NaN if there is none, ``items`` its item; ``ratings`` are those of single
    people, each of the answer that ``rated`` says. Intervals are for other items, or dialogues if ids show these.
    """
    known = np.isfinite(judge)
    kept = known[rated]
    ratings, rated = ratings[kept], rated[kept]
    shared = np.unique(rated)
    values = judge[shared]
    if len(shared) < 2 or ratings.min() < scale[0] or ratings.max() > scale[-1]:
        return None
    from dialeval.ratings.preferences import units_of

    units = units_of([items[place] for place in shared], resampling)
    of_answer = dict(zip(shared.tolist(), units.tolist(), strict=True))
    rating_units = np.array([of_answer[place] for place in rated.tolist()], dtype=np.int64)
    grid = np.asarray(scale, dtype=np.float64)
    nearest = [np.abs(given[:, None] - grid).argmin(axis=1) for given in (values, ratings)]
    shares = tuple(
        ScoreShare(
            float(score),
            _share(nearest[0] == place, units, resampling),
            _share(nearest[1] == place, rating_units, resampling),
        )
        for place, score in enumerate(scale)
    )
    return ScaleUse(shares, _spread(values, units, ratings, rating_units, resampling))


def _share(hits: NDArray[np.bool_], units: Integers, resampling: Resampling) -> Estimate:
    values = hits.astype(np.float64)
    spread = spread_of(
        rows_of_values(values), mean_of_rows, clusters=units, yes_no=True, limits=(0.0, 1.0), values=values
    )
    return spread.interval(resampling.confidence).estimate._replace(n=len(values))


def _spread(
    values: Floats, units: Integers, ratings: Floats, rating_units: Integers, resampling: Resampling
) -> Estimate:
    """Ratio of standard deviations, by the jackknife over units."""
    rows = np.zeros((len(values) + len(ratings), 6))
    rows[: len(values), :3] = np.column_stack([np.ones(len(values)), values, values**2])
    rows[len(values) :, 3:] = np.column_stack([np.ones(len(ratings)), ratings, ratings**2])

    def ratio(totals: Floats) -> Floats:
        n, x, xx, m, y, yy = np.moveaxis(totals, -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ours, theirs = xx / n - (x / n) ** 2, yy / m - (y / m) ** 2
            return np.where(theirs > 1e-12, np.sqrt(np.maximum(ours, 0) / theirs), np.nan)

    found = leave_out(rows, ratio, np.concatenate([units, rating_units]))
    if not np.isfinite(found.score):
        return Estimate.undefined("people gave one score to all answers", len(values))
    low, high = jackknife_interval(found.score, found.without, resampling.confidence)
    reason = None if np.isfinite(low) else "without one of the items people gave one score"
    return Estimate.of(found.score, max(low, 0.0), high, len(values), reason)


def scale_notes(use: ScaleUse) -> Iterator[str]:
    """A sentence on the distribution of scores."""
    listed = ", ".join(
        f"{share.score:g} in {share.judge.number:.0%} (people {share.people.number:.0%})"
        for share in use.shares
    )
    yield f"it gives {listed}"
    if use.spread.value is not None and use.spread.bounds is not None:
        low, high = use.spread.bounds
        yield f"its scores spread {use.spread.value:.2f} [{low:.2f}, {high:.2f}] times as wide as people's ratings"
