"""Coverage of the intervals of agreement among raters, and of correlations over systems."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain
from typing import Final, NamedTuple

import numpy as np

from bench.calibration.populations import as_rows, mean_of
from bench.calibration.table import Table, percent
from dialeval.stats import (
    AGREEMENTS,
    agreement_limits,
    bootstrap_level,
    percentile_interval,
    true_correlation,
    two_way_interval,
)
from dialeval.stats.agreement.coefficients import AgreementName, Raters
from dialeval.stats.resampling.bootstrap import Bounds, Floats, bootstrap

SAMPLES: Final = 400
COEFFICIENTS: Final[tuple[AgreementName, ...]] = (
    "fleiss_kappa",
    "alpha_ordinal",
    "alpha_interval",
    "icc_2_1",
)


class Row(NamedTuple):
    """Shares of samples: those whose interval holds the truth, before and after, and those without one after."""

    what: str
    units: int
    before: list[Bounds]
    after: list[Bounds | None]
    truth: float

    def cells(self) -> tuple[str, ...]:
        """The cells under the columns, in per cent."""
        before = np.mean([low <= self.truth <= high for low, high in self.before])
        given = [bounds for bounds in self.after if bounds is not None]
        after = np.mean([low <= self.truth <= high for low, high in given])
        none = 1 - len(given) / len(self.after)
        return self.what, str(self.units), percent(float(before)), percent(float(after)), percent(none)


def tables() -> Iterator[Table]:
    """One table of all coefficients and designs."""
    rows = chain(_these_raters(), _other_raters(), _tastes(), _true_means(), _few_rated())
    title = "Agreement, ratings and correlations over systems: 95 % nominal, shares in per cent"
    yield Table(title, ("what", "units", "before", "after", "none"), (row.cells() for row in rows))


def ratings(
    rng: np.random.Generator, units: int, raters: int, *, biases: Floats, rare: bool = False
) -> Floats:
    """Ratings from 1 to 5, or of a category that one answer in six has, half signal and half noise."""
    seen = math.sqrt(0.5) * (rng.normal(size=(units, 1)) + rng.normal(size=(units, raters))) + biases
    cuts = [1.0] if rare else [-1.2, -0.3, 0.6, 1.6]
    return np.searchsorted(cuts, seen).astype(np.float64) + 1


def _these_raters() -> Iterator[Row]:
    biases = np.array([-0.3, 0.0, 0.3])
    for rare in (False, True):
        rng = np.random.default_rng(7)
        many = ratings(rng, 60_000, 3, biases=biases, rare=rare)
        for name in COEFFICIENTS if not rare else COEFFICIENTS[:1]:
            truth = AGREEMENTS[name].estimate(many).value
            for units in (10, 30, 100):
                drawn = [ratings(rng, units, 3, biases=biases, rare=rare) for _ in range(SAMPLES)]
                yield _row(f"{name}{', rare category' * rare}, 3 raters", units, drawn, name, truth, "these")


def _other_raters() -> Iterator[Row]:
    rng = np.random.default_rng(8)
    many = ratings(rng, 3000, 400, biases=0.5 * rng.normal(size=400))
    for name in ("alpha_interval", "icc_2_1"):
        truth = AGREEMENTS[name].estimate(many).value
        for units, raters in ((10, 3), (30, 3), (100, 3), (100, 10)):
            drawn = [
                ratings(rng, units, raters, biases=0.5 * rng.normal(size=raters)) for _ in range(SAMPLES)
            ]
            yield _row(f"{name}, {raters} raters of many", units, drawn, name, truth, "like-these")


def _row(what: str, units: int, drawn: list[Floats], name: AgreementName, truth: float, who: Raters) -> Row:
    before = [
        percentile_interval(AGREEMENTS[name].resample(table, resamples=300, seed=place))
        for place, table in enumerate(drawn)
    ]
    limits = [agreement_limits(name, table, raters=who) for table in drawn]
    return Row(what, units, before, [each.bounds for each in limits], truth)


def _tastes() -> Iterator[Row]:
    """The difference of two equal systems, where raters prefer one or the other by a standard deviation of 0.3."""
    rng = np.random.default_rng(9)
    for items, raters in ((30, 3), (100, 3), (100, 10)):
        before: list[Bounds] = []
        after: list[Bounds | None] = []
        for place in range(SAMPLES):
            taste = 0.3 * math.sqrt(2) * rng.normal(size=(1, raters))
            table = taste + 0.5 * rng.normal(size=(items, 1)) + rng.normal(size=(items, raters))
            item, rater = (labels.ravel() for labels in np.indices(table.shape))
            rows = as_rows(table.ravel())
            before.append(
                percentile_interval(bootstrap(rows, mean_of, resamples=300, seed=place, clusters=item))
            )
            after.append(two_way_interval(rows, mean_of, item, rater))
        yield Row(f"difference of mean ratings, {raters} raters, taste .3", items, before, after, 0.0)


def _true_means() -> Iterator[Row]:
    for systems, items in ((6, 30), (6, 100), (15, 30), (15, 100)):
        rng = np.random.default_rng([systems, items])
        tables = [correlated(rng, systems, items, 0.9) for _ in range(SAMPLES)]
        before = [
            percentile_interval(
                bootstrap_level(x, y, kind="pearson", level="system", resamples=300, seed=place)
            )
            for place, (x, y) in enumerate(tables)
        ]
        after = [true_correlation(x, y).estimate.bounds for x, y in tables]
        yield Row(f"correlation .9 of true means, {systems} systems", items, before, after, 0.9)


def _few_rated() -> Iterator[Row]:
    """People on few items and a measure on 1,019, which have people's items among them or not; before, on people's."""
    items = 1019
    for systems, rated, shared in ((10, 30, 30), (10, 56, 56), (10, 56, 0), (20, 56, 56), (20, 56, 0)):
        rng = np.random.default_rng([systems, rated, shared])
        before, after = [], []
        for place in range(SAMPLES):
            x, y = correlated(rng, systems, items + rated - shared, 0.8)
            few = bootstrap_level(
                x[:, :rated], y[:, :rated], kind="pearson", level="system", resamples=300, seed=place
            )
            before.append(percentile_interval(few))
            x[:, rated:] = y[:, : rated - shared] = np.nan
            after.append(true_correlation(x, y).estimate.bounds)
        where = "all rated ones too" if shared else "none of the rated ones"
        yield Row(
            f"correlation .8, {systems} systems, 1,019 scored items, {where}", rated, before, after, 0.8
        )


def correlated(rng: np.random.Generator, systems: int, items: int, rho: float) -> tuple[Floats, Floats]:
    """Two tables whose systems' true means correlate by exactly ``rho``, with noise in common."""
    one, other = rng.normal(size=(2, systems))
    one = (one - one.mean()) / one.std()
    other -= other.mean()
    other -= one * (one @ other) / systems
    other = rho * one + math.sqrt(1 - rho**2) * other / other.std()
    noise = rng.normal(size=(2, systems, items))
    noise[1] = 0.4 * noise[0] + math.sqrt(1 - 0.4**2) * noise[1]
    item = 0.5 * rng.normal(size=(2, 1, items))
    return 0.3 * one[:, None] + item[0] + noise[0], 0.3 * other[:, None] + item[1] + noise[1]
