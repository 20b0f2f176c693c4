"""Repeats and panels: how far verdicts on one item agree, and what one more of them is worth in items.

The mean of verdicts on an item varies with the item, and with each verdict. With s² the variance of items and e² that
of one more verdict on an item, a mean over n items of k verdicts each has variance (s² + e² / k) / n: so another
verdict on each is worth n (s² + e² / k) / (s² + e² / (k + 1)) - n further items. For repeats e² is the variance of the
verdicts of one judge on one item; for judges it is what is left of verdicts after the means of the item and of the
judge (the leniency of a judge is the same for all systems). Items vary about the mean of their system.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from dialeval.core import Floats, Integers, Resampling
from dialeval.judge.beside import weighted_kappa
from dialeval.judge.metric import Judge
from dialeval.judge.record import judged_subjects
from dialeval.judge.repeat_record import JudgeAgreement, PanelRecord
from dialeval.metrics.rows import mean_of_rows, rows_of_values
from dialeval.ratings.preferences import units_of
from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.bootstrap import Aggregate
from dialeval.stats.resampling.intervals import spread_of
from dialeval.stats.resampling.jackknife import jackknife_interval, leave_out

_FEW: Final = "fewer than two items have all verdicts"


def panel_record(judge: Judge, subjects: Iterable[object], resampling: Resampling) -> PanelRecord | None:
    """Agreement within and between judges, and what one more verdict is worth; None of single verdicts."""
    members, repeats = len(judge.models), judge.repeats
    if members * repeats < 2:
        return None
    systems: list[str] = []
    items: list[str] = []
    values: list[list[float]] = []
    for subject in judged_subjects(judge, subjects):
        given = [verdict.value for verdict in judge.recalled(subject)]
        if len(given) == members * repeats and None not in given:
            systems.append(subject.system)
            items.append(subject.item)
            values.append([value for value in given if value is not None])
    table = np.array(values, dtype=np.float64).reshape(-1, members, repeats)
    return record_of_table(table, items, systems, judge.models, judge.limits, resampling)


def record_of_table(
    table: Floats,
    items: Sequence[str],
    systems: Sequence[str],
    judges: Sequence[str],
    limits: tuple[float, float],
    resampling: Resampling,
) -> PanelRecord:
    """The record of verdicts of shape (answers, judges, repeats), none of them lacking."""
    n, members, repeats = table.shape
    design = _Design(units_of(items, resampling), resampling.confidence)
    within = list(combinations(range(repeats), 2))
    between = list(combinations(range(members), 2))
    means = table.mean(axis=2)
    pairs_within = [(table[:, :, a], table[:, :, b]) for a, b in within]
    pairs_between = [
        (table[:, a, r][:, None], table[:, b, s][:, None])
        for a, b in between
        for r in range(repeats)
        for s in range(repeats)
    ]
    values = table.reshape(n, members * repeats)
    spread = values.max(axis=1) - values.min(axis=1) if n else np.empty(0)
    wide = (0.0, limits[1] - limits[0])
    worth = _Worth(table, systems, design)
    return PanelRecord(
        judges=tuple(judges),
        repeats=repeats,
        n=n,
        equal_within=design.share(pairs_within, "there is one verdict of each judge"),
        equal_between=design.share(pairs_between, "there is one judge"),
        spread=design.mean(spread, wide),
        pairs=tuple(
            JudgeAgreement(
                judges[a],
                judges[b],
                design.share([(means[:, [a]], means[:, [b]])], ""),
                design.kappa(means[:, a], means[:, b]),
                design.mean(means[:, a] - means[:, b], (-wide[1], wide[1])),
            )
            for a, b in between
        ),
        second_repeat=worth.of_repeats(1),
        further_repeat=worth.of_repeats(repeats),
        second_judge=worth.of_judges(1),
        further_judge=worth.of_judges(members),
    )


class _Design(NamedTuple):
    """The units that intervals rest on."""

    units: Integers
    confidence: float

    def mean(self, values: Floats, limits: tuple[float, float]) -> Estimate:
        """The mean of values, one for each answer."""
        if len(values) < 2:
            return Estimate.undefined(_FEW, len(values))
        spread = spread_of(
            rows_of_values(values),
            mean_of_rows,
            clusters=self.units,
            yes_no=False,
            limits=limits,
            values=values,
        )
        return spread.interval(self.confidence).estimate._replace(n=len(values))

    def share(self, pairs: Sequence[tuple[Floats, Floats]], otherwise: str) -> Estimate:
        """The share of equal pairs of verdicts on an answer; each is of shape (answers, verdicts)."""
        if not pairs:
            return Estimate.undefined(otherwise)
        equal = np.mean([np.isclose(a, b).mean(axis=1) for a, b in pairs], axis=0)
        return self.mean(np.asarray(equal), (0.0, 1.0))

    def kappa(self, a: Floats, b: Floats) -> Estimate:
        """Cohen's kappa with squared distances."""
        rows = np.column_stack([np.ones(len(a)), a, b, a * a, b * b, a * b])
        return self.jackknifed(rows, weighted_kappa, len(a), (-1.0, 1.0), "no verdicts vary")

    def jackknifed(
        self, rows: Floats, aggregate: Aggregate, n: int, limits: tuple[float, float], otherwise: str
    ) -> Estimate:
        """A function of sums of rows."""
        if n < 2:
            return Estimate.undefined(_FEW, n)
        found = leave_out(rows, aggregate, self.units)
        if not np.isfinite(found.score):
            return Estimate.undefined(otherwise, n)
        low, high = jackknife_interval(found.score, found.without, self.confidence)
        reason = None
        if not high - low > 1e-12:
            low = high = math.nan
            constant = bool(np.isfinite(found.without).all())
            reason = (
                "it is the same whichever item is left out"
                if constant
                else "without one of the items it is undefined"
            )
        return Estimate.of(found.score, max(low, limits[0]), min(high, limits[1]), n, reason)


class _Worth:
    """Components of variance, and what follows from them."""

    def __init__(self, table: Floats, systems: Sequence[str], design: _Design) -> None:
        self._table, self._design = table, design
        self._names, self._codes = np.unique(list(systems), return_inverse=True)
        self._n, self._members, self._repeats = table.shape

    def of_repeats(self, now: int) -> Estimate:
        """Items that one more repeat is worth, by each judge, where there are so many now."""
        if self._repeats < 2:
            return Estimate.undefined("there is one verdict of each judge")
        cells = self._table.mean(axis=2, keepdims=True)
        squares = ((self._table - cells) ** 2).sum(axis=(1, 2))
        degrees = self._members * (self._repeats - 1)
        return self._estimate(squares, degrees, 0, self._members, self._repeats, now)

    def of_judges(self, now: int) -> Estimate:
        """Items that one more judge is worth, where there are so many now."""
        if self._members < 2:
            return Estimate.undefined("there is one judge")
        cells = self._table.mean(axis=2)
        cells = cells - cells.mean(axis=0) if self._n else cells
        squares = ((cells - cells.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        return self._estimate(squares, self._members - 1, 1, 1, self._members, now)

    def _estimate(
        self, squares: Floats, degrees: int, lost: int, others: int, had: int, now: int
    ) -> Estimate:
        """Of squares of each answer with so many degrees of freedom, ``lost`` items being spent on means of judges.

        A mean of an item is of ``others`` times ``had`` verdicts.
        """
        systems, items = len(self._names), self._n
        means = self._table.mean(axis=(1, 2))
        rows = np.zeros((items, 3 * systems + 1))
        place = 3 * self._codes
        rows[np.arange(items), place] = 1
        rows[np.arange(items), place + 1] = means
        rows[np.arange(items), place + 2] = means**2
        rows[:, -1] = squares
        per_system = items / systems if systems else 0.0

        def worth(totals: Floats) -> Floats:
            parts = totals[..., :-1].reshape(*totals.shape[:-1], systems, 3)
            count, total, square = np.moveaxis(parts, -1, 0)
            with np.errstate(divide="ignore", invalid="ignore"):
                about = np.where(count > 0, square - total**2 / count, 0).sum(axis=-1)
                n, free = count.sum(axis=-1), (np.maximum(count - 1, 0)).sum(axis=-1)
                between, error = about / free, totals[..., -1] / ((n - lost) * degrees)
                item = np.maximum(between - error / (others * had), 0)
                ratio = (item + error / (others * now)) / (item + error / (others * (now + 1)))
            return np.where(item + error > 1e-12, per_system * (ratio - 1), np.nan)

        return self._design.jackknifed(rows, worth, items, (0.0, per_system / now), "no verdicts vary")
