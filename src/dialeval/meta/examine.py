"""Everything there is to find about measures and people, in one go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from dialeval.core import Integers, by_dialogue
from dialeval.engine import SILENT, Progress
from dialeval.errors import Unsuitable
from dialeval.meta.correlation.accuracies import Accuracy, accuracies
from dialeval.meta.correlation.ceiling import Ceiling, LeftOut, leave_one_out, split_half
from dialeval.meta.correlation.directions import lower_is_better, turned, turned_rows
from dialeval.meta.correlation.instability import Instability, over_test_sets
from dialeval.meta.correlation.levels import Row, correlate
from dialeval.meta.correlation.rank_groups import with_clusters
from dialeval.meta.correlation.rivals import Rivalry, compare_measures
from dialeval.meta.estimation.combining import Combination
from dialeval.meta.estimation.estimating import Estimates
from dialeval.meta.estimation.standing_in import combined, estimated
from dialeval.meta.inquiry import Inquiry
from dialeval.meta.instances.instances import InstanceValidation
from dialeval.meta.planning.plans import Plan, plans
from dialeval.ratings.joined import Joined
from dialeval.ratings.joining import system_identity
from dialeval.stats.correlation.levels import Level, level_correlation
from dialeval.stats.estimate import Coefficient, Estimate

Watch: TypeAlias = Callable[[str, int], AbstractContextManager[Progress]]
"""Makes a progress bar from what is being done and how many steps it will take."""


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
    plans: tuple[Plan, ...] = ()


def examine(
    joined: Joined,
    inquiry: Inquiry | None = None,
    watch: Watch = lambda _what, _steps: nullcontext(SILENT),
) -> Findings:
    """Agreement at every level, the ceiling, rivals, instability; estimates and combinations where asked for."""
    inquiry = inquiry or Inquiry()
    _check_values(joined)
    notes = list(joined.notes)
    combination = None
    with_estimates, plain = None, joined
    lower = lower_is_better(joined, inquiry.lower_is_better)
    instances = tuple(rule.validate(joined, alpha=inquiry.alpha) for rule in inquiry.instances)
    if inquiry.combine:
        joined, combination = combined(joined, lower, inquiry.seed, notes)
    if inquiry.estimate:
        with_estimates = estimated(plain, inquiry, notes)
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
    planned = _plans(upright, [row for row in turned_rows(rows, lower) if row.level == main], inquiry, notes)
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
        lower_is_better=lower,
        identity=_identity(joined.scored, inquiry.coefficient),
        accuracies=accuracies(upright, levels=inquiry.levels, trials=inquiry.trials, seed=inquiry.seed),
        instances=instances,
        plans=planned,
        notes=tuple(notes),
    )


def _check_values(joined: Joined) -> None:
    """Refuse measures that have no value at all, as those of a run in which every system failed."""
    if joined.measures and all(np.isnan(measure.values).all() for measure in joined.measures):
        names = ", ".join(measure.name for measure in joined.measures)
        raise Unsuitable(
            f"Not one value of {names} is there to hold against people. Look at the run's failures, and run it again."
        )


def _plans(upright: Joined, rows: Sequence[Row], inquiry: Inquiry, notes: list[str]) -> tuple[Plan, ...]:
    """Planning from the measures that agree best; without resamples there is nothing to plan by."""
    if inquiry.plan and not inquiry.trials:
        notes.append("no planning: it draws from the data at hand, and no resamples were asked for")
    if not inquiry.plan or not inquiry.trials:
        return ()
    defined = sorted((row for row in rows if row.value is not None), key=lambda row: -(row.value or 0.0))
    return plans(
        upright.scored,
        [row.measure for row in defined],
        coefficient=inquiry.coefficient,
        trials=inquiry.trials,
        seed=inquiry.seed,
        alpha=inquiry.alpha,
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
        clusters=_clusters(joined, inquiry),
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
        clusters=_clusters(joined, inquiry),
    )


def _clusters(joined: Joined, inquiry: Inquiry) -> Integers | None:
    """The dialogue of each item, as a number; None where items stand alone."""
    if inquiry.cluster is None:
        return None
    dialogues = [by_dialogue(item) for item in joined.items]
    codes = {name: at for at, name in enumerate(dict.fromkeys(dialogues))}
    return np.array([codes[name] for name in dialogues], dtype=np.int64)


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
