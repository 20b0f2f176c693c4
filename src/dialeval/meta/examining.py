"""Everything there is to find about measures and people, in one go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from dialeval.engine import SILENT, Progress
from dialeval.errors import Unsuitable
from dialeval.meta.accuracies import Accuracy, accuracies
from dialeval.meta.ceiling import Ceiling, LeftOut, leave_one_out, split_half
from dialeval.meta.combining import Combination, linear_combination, zscore_average
from dialeval.meta.directions import lower_is_better, turned, turned_rows
from dialeval.meta.estimating import Estimates, estimate_systems
from dialeval.meta.instability import Instability, over_test_sets
from dialeval.meta.instance_rules import InstanceRule
from dialeval.meta.instances import InstanceValidation
from dialeval.meta.joined import Joined, MeasureGrid
from dialeval.meta.joining import system_identity
from dialeval.meta.levels import LEVELS, Row, correlate
from dialeval.meta.rivals import Rivalry, compare_measures, with_clusters
from dialeval.stats.correlation_bootstrap import Resample
from dialeval.stats.estimate import Coefficient, Estimate
from dialeval.stats.levels import Level, level_correlation

Watch: TypeAlias = Callable[[str, int], AbstractContextManager[Progress]]
"""Makes a progress bar from what is being done and how many steps it will take."""

FOLDS: Final = 10
AVERAGE: Final = "zscore_average"
COVERS: Final = 0.95
"""A measure is fitted for estimates where it scores this share of the answers that the widest one does."""


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
    lower_is_better: tuple[str, ...] = ()
    """Patterns of measures with which lower is better, beside those of ours that say so themselves."""
    instances: tuple[InstanceRule, ...] = ()
    """Measures asked whether they are right about single answers."""

    @property
    def alpha(self) -> float:
        """What a p-value has to be below: 0.05 of level 0.95, without what rounding leaves of it."""
        return round(1 - self.level, 12)


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
    lower_is_better: tuple[str, ...]
    """The measures whose agreement with people is how far they fall as ratings rise."""
    identity: Estimate
    """The pooled correlation of a measure that gave every answer its system's mean rating, its own included."""
    accuracies: tuple[Accuracy, ...]
    instances: tuple[InstanceValidation, ...]


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
    lower = lower_is_better(joined, inquiry.lower_is_better)
    instances = tuple(rule.validate(joined, alpha=inquiry.alpha) for rule in inquiry.instances)
    if inquiry.combine:
        joined, combination = _combined(joined, lower, inquiry, notes)
    if inquiry.estimate:
        with_estimates = _estimates(plain, inquiry, notes)
    upright = turned(joined, lower)
    with watch("measures against people", 2 * len(inquiry.levels)) as progress:
        rows: list[Row] = []
        rivals: list[Rivalry] = []
        for level in inquiry.levels:
            rows += _rows(joined, level, inquiry)
            progress.advance(1)
            rivals += _rivals(upright, level, inquiry)
            progress.advance(1)
    main = "item" if "item" in inquiry.levels else inquiry.levels[0]
    return Findings(
        inquiry=inquiry,
        joined=joined,
        rows=turned_rows(with_clusters(turned_rows(rows, lower), rivals), lower),
        rivals=tuple(rivals),
        ceiling=tuple(_ceiling(joined.scored, level, inquiry) for level in inquiry.levels),
        raters=leave_one_out(joined.scored, level=main, coefficient=inquiry.coefficient),
        instability=_instability(joined, inquiry),
        combination=combination,
        estimates=with_estimates,
        notes=tuple(notes),
        lower_is_better=lower,
        identity=_identity(joined.scored, inquiry.coefficient),
        accuracies=accuracies(upright, levels=inquiry.levels, trials=inquiry.trials, seed=inquiry.seed),
        instances=instances,
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
        alpha=inquiry.alpha,
        resample=inquiry.resample,
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


def _identity(joined: Joined, kind: Coefficient) -> Estimate:
    rated = (~np.isnan(joined.human.values)).sum(axis=1)
    if rated.max(initial=0) < 2:
        return Estimate.undefined(
            "no system has two rated answers: its mean is the answer's own", int(rated.sum())
        )
    means = system_identity(joined).values
    found = level_correlation(joined.human.values, means, kind=kind, level="item")
    return Estimate(found.value, found.n, reason=found.reason)


def _combined(
    joined: Joined, lower: Sequence[str], inquiry: Inquiry, notes: list[str]
) -> tuple[Joined, Combination | None]:
    """Fits that rank systems must not have seen how their other answers were rated; one system has no rank."""
    if len(joined.measures) < 2:
        notes.append("one measure only: there is nothing to combine it with")
        return joined, None
    plus = joined.plus(zscore_average(joined, lower_is_better=lower, name=AVERAGE))
    several = int((~np.isnan(joined.human.values)).any(axis=1).sum()) > 1
    try:
        fitted = linear_combination(joined, folds=FOLDS, seed=inquiry.seed, new_systems=several)
    except Unsuitable as obstacle:
        notes.append(f"no linear combination: {obstacle}")
        return plus, None
    return plus.plus(fitted.measure), fitted


def _estimates(joined: Joined, inquiry: Inquiry, notes: list[str]) -> Estimates | None:
    if not joined.measures:
        notes.append("no estimates: there is no measure")
        return None
    try:
        return estimate_systems(joined, _predictor(joined, inquiry, notes), level=inquiry.level)
    except Unsuitable as obstacle:
        notes.append(f"no estimates: {obstacle}")
        return None


def _predictor(joined: Joined, inquiry: Inquiry, notes: list[str]) -> MeasureGrid:
    """The measure that stands in for ratings.

    Picking the one that agrees best with the ratings at hand would make intervals too narrow. All measures together,
    fitted to the ratings of other items, need no picking (Zrnic & Candès, 2024). Systems are not held out: a fit that
    knows them makes narrower intervals, which are valid all the same.
    """
    if inquiry.estimate_by is not None:
        return joined.measure_named(inquiry.estimate_by)
    cells = {measure.name: int((~np.isnan(measure.values)).sum()) for measure in joined.measures}
    most = max(cells.values())
    wide = [name for name, scored in cells.items() if scored >= COVERS * most]
    for name in (name for name in cells if name not in wide):
        notes.append(f"estimates are made without {name}, which scored {cells[name]:,} of {most:,} answers")
    if len(wide) == 1:
        return joined.measure_named(wide[0])
    return linear_combination(joined, wide, folds=FOLDS, seed=inquiry.seed, fill=True).measure
