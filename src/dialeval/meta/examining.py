"""Everything there is to find about measures and people, in one go."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from dialeval.engine import SILENT, Progress
from dialeval.errors import Unsuitable
from dialeval.meta.ceiling import Ceiling, LeftOut, leave_one_out, split_half
from dialeval.meta.combining import Combination, linear_combination, zscore_average
from dialeval.meta.estimating import Estimates, estimate_systems
from dialeval.meta.instability import Instability, over_test_sets
from dialeval.meta.joined import Joined, MeasureGrid
from dialeval.meta.levels import LEVELS, Row, correlate
from dialeval.meta.rivals import Rivalry, compare_measures, with_clusters
from dialeval.stats.correlation_bootstrap import Resample
from dialeval.stats.estimate import Coefficient
from dialeval.stats.levels import Level

Watch: TypeAlias = Callable[[str, int], AbstractContextManager[Progress]]
"""Makes a progress bar from what is being done and how many steps it will take."""

FOLDS: Final = 10
AVERAGE: Final = "zscore_average"


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What is asked about measures and people; all that can move a number beside the judgements."""

    levels: tuple[Level, ...] = LEVELS
    coefficient: Coefficient = "spearman"
    trials: int = 1000
    """Resamples behind each interval and permutations behind each test; 0 gives neither."""
    seed: int = 0
    level: float = 0.95
    resample: Resample = "items"
    repeats: int = 100
    """Of the splits of the raters, and of the small test sets."""
    estimate: bool = False
    """Whether systems' mean ratings over all items are estimated."""
    estimate_by: str | None = None
    """The measure that stands in for ratings; None takes all together, fitted to ratings of other items."""
    combine: bool = False
    """Whether combinations of the measures are looked at as further measures."""


class Spread(NamedTuple):
    """A measure's correlations over small test sets, and over all items."""

    small: Instability
    whole: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """What was found; ``joined`` has the combinations among its measures."""

    inquiry: Inquiry
    joined: Joined
    rows: tuple[Row, ...]
    rivals: tuple[Rivalry, ...]
    ceiling: tuple[Ceiling, ...]
    raters: tuple[LeftOut, ...]
    instability: tuple[Spread, ...]
    combination: Combination | None
    estimates: Estimates | None
    notes: tuple[str, ...]


def examine(
    joined: Joined,
    inquiry: Inquiry | None = None,
    watch: Watch = lambda _what, _steps: nullcontext(SILENT),
) -> Findings:
    """Agreement at every level, the ceiling, rivals, instability; estimates and combinations where asked for."""
    inquiry = inquiry or Inquiry()
    notes = list(joined.notes)
    combination = None
    with_estimates, plain = None, joined
    if inquiry.combine:
        joined, combination = _combined(joined, inquiry, notes)
    if inquiry.estimate:
        with_estimates = _estimates(plain, inquiry, notes)
    with watch("measures against people", 2 * len(inquiry.levels)) as progress:
        rows: list[Row] = []
        rivals: list[Rivalry] = []
        for level in inquiry.levels:
            rows += _rows(joined, level, inquiry)
            progress.advance(1)
            rivals += _rivals(joined, level, inquiry)
            progress.advance(1)
    main = "item" if "item" in inquiry.levels else inquiry.levels[0]
    return Findings(
        inquiry=inquiry,
        joined=joined,
        rows=with_clusters(rows, rivals),
        rivals=tuple(rivals),
        ceiling=tuple(_ceiling(joined, level, inquiry) for level in inquiry.levels),
        raters=leave_one_out(joined, level=main, coefficient=inquiry.coefficient),
        instability=_instability(joined, inquiry),
        combination=combination,
        estimates=with_estimates,
        notes=tuple(notes),
    )


def _rows(joined: Joined, level: Level, inquiry: Inquiry) -> tuple[Row, ...]:
    return correlate(
        joined,
        levels=[level],
        coefficient=inquiry.coefficient,
        trials=inquiry.trials,
        seed=inquiry.seed,
        level=inquiry.level,
        resample=inquiry.resample,
    )


def _rivals(joined: Joined, level: Level, inquiry: Inquiry) -> tuple[Rivalry, ...]:
    if not inquiry.trials:
        return ()
    return compare_measures(
        joined,
        level=level,
        coefficient=inquiry.coefficient,
        trials=inquiry.trials,
        seed=inquiry.seed,
        alpha=1 - inquiry.level,
    )


def _ceiling(joined: Joined, level: Level, inquiry: Inquiry) -> Ceiling:
    return split_half(
        joined, level=level, coefficient=inquiry.coefficient, repeats=inquiry.repeats, seed=inquiry.seed
    )


def _instability(joined: Joined, inquiry: Inquiry) -> tuple[Spread, ...]:
    """None of fewer than three systems, whose correlation can only be plus or minus 1."""
    if not joined.measures or len(joined.systems) < 3 or "system" not in inquiry.levels:
        return ()
    kind = inquiry.coefficient
    small = over_test_sets(joined, trials=inquiry.repeats, seed=inquiry.seed, coefficient=kind)
    scored = np.any([~np.isnan(one.values).all(axis=0) for one in joined.measures], axis=0)
    # The test set of all items, so that the value is the same statistic as those it is shown among.
    whole = over_test_sets(joined, size=int(scored.sum()), trials=1, coefficient=kind)
    return tuple(
        Spread(one, float(every.values[0]) if every.values.size else None)
        for one, every in zip(small, whole, strict=True)
    )


def _combined(joined: Joined, inquiry: Inquiry, notes: list[str]) -> tuple[Joined, Combination | None]:
    if len(joined.measures) < 2:
        notes.append("one measure only: there is nothing to combine it with")
        return joined, None
    plus = joined.plus(zscore_average(joined, name=AVERAGE))
    try:
        fitted = linear_combination(joined, folds=FOLDS, seed=inquiry.seed)
    except Unsuitable as obstacle:
        notes.append(f"no linear combination: {obstacle}")
        return plus, None
    return plus.plus(fitted.measure), fitted


def _estimates(joined: Joined, inquiry: Inquiry, notes: list[str]) -> Estimates | None:
    if not joined.measures:
        notes.append("no estimates: there is no measure")
        return None
    try:
        return estimate_systems(joined, _predictor(joined, inquiry), level=inquiry.level)
    except Unsuitable as obstacle:
        notes.append(f"no estimates: {obstacle}")
        return None


def _predictor(joined: Joined, inquiry: Inquiry) -> MeasureGrid:
    """The measure that stands in for ratings.

    Picking the one that agrees best with the ratings at hand would make intervals too narrow. All measures together,
    fitted to the ratings of other items, need no picking (Zrnic & Candès, 2024).
    """
    if inquiry.estimate_by is not None:
        return joined.measure_named(inquiry.estimate_by)
    cells = {measure.name: int((~np.isnan(measure.values)).sum()) for measure in joined.measures}
    widest = [name for name, scored in cells.items() if scored == max(cells.values())]
    if len(widest) == 1:
        return joined.measure_named(widest[0])
    return linear_combination(joined, widest, folds=FOLDS, seed=inquiry.seed).measure
