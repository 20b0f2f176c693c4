"""Notes on a correlation: too few systems, ties, missing answers, groups that have no coefficient."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats, Integers
from dialeval.display.notes import Note
from dialeval.display.wording import count
from dialeval.meta.document import Coefficient, Level, Resample
from dialeval.stats.correlation import true_means
from dialeval.stats.correlation.leaving_out import FEWEST, Absence
from dialeval.stats.correlation.levels import LevelCorrelation, shared_cells, system_means

_FEW_SYSTEMS: Final = 10
"""Below this many, how well a measure ranks these systems says little about the next one."""
_MANY_TIES: Final = 0.5
_GROUP: Final = {"item_within_system": "system", "system_within_item": "item"}


NO_TRUE_MEANS: Final[Mapping[true_means.Absence, str]] = {
    "few-systems": f"fewer than {true_means.FEWEST_SYSTEMS} systems",
    "few-items": "fewer than 3 items (or 2 dialogues) have a value of every system",
    "no-spread": "as far as these items can tell, the systems' true means do not differ",
}
"""Why there is no correlation of true means."""


class Correlated(NamedTuple):
    """One coefficient, and how it came about."""

    human: Floats
    """Shape (systems, items), as ``scores``."""
    scores: Floats
    level: Level
    kind: Coefficient
    correlation: LevelCorrelation
    absence: Absence | None
    """Why there is no interval, where one was asked for."""
    resample: Resample
    clusters: Integers | None = None
    """The cluster of each item, where whole clusters are resampled."""


def notes_on(about: Correlated) -> tuple[Note, ...]:
    """Notes for the reader of one coefficient; none where nothing is amiss."""
    return tuple(_notes(about))


def _notes(about: Correlated) -> Iterator[Note]:
    human, scores, level, kind, correlation, absence, resample, clusters = about
    both = ~np.isnan(human) & ~np.isnan(scores)
    if correlation.reason is not None:
        yield Note("undefined", f"undefined: {_why_undefined(about) or correlation.reason}")
    elif absence is not None:
        yield _no_interval(absence, both, clusters)
    yield from _coverage(human, both)
    yield from _few_systems(both, kind, resample) if level == "system" else _ties(human, scores, both)
    if level == "system_within_item":
        yield from _pairs_of_systems(both)
    yield from _left_out(level, correlation)


def _why_undefined(about: Correlated) -> str | None:
    """Why there is no coefficient, in words of this field: statistics know of pairs and of two variables alone."""
    cells = shared_cells(about.human, about.scores)
    group = _GROUP.get(about.level)
    points = "systems" if about.level == "system" else "answers that people rated and the measure scored"
    if group is not None and len(cells.system):
        groups, sizes = np.unique(cells.system if group == "system" else cells.item, return_counts=True)
        if sizes.max() < 2:
            return f"no {group} has 2 {points} or more ({len(groups)} {group}s)"
        return f"one side has a single value in each of the {len(groups)} {group}s"
    sides = system_means(cells) if about.level == "system" else cells.tables
    if len(sides[0]) < 2:
        return f"fewer than 2 {points} ({len(sides[0])})"
    for name, values in zip(("human ratings", "scores"), sides, strict=True):
        if (values == values[0]).all():
            return f"all {name} are equal ({values[0]:g})"
    return None


def _no_interval(absence: Absence, both: NDArray[np.bool_], clusters: Integers | None) -> Note:
    there, unit = both.any(axis=0), "item" if clusters is None else "dialogue"
    items = int(there.sum()) if clusters is None else len(np.unique(clusters[there]))
    reasons = {
        "few-items": f"{count(items, unit)}, and {FEWEST} are required",
        "few-systems": f"{count(int(both.any(axis=1).sum()), 'system')}, and {FEWEST} are required",
        "undefined": "without one of them there is no correlation",
        "no-spread": "the correlation is the same whichever of them is left out",
    }
    return Note(absence.replace("-", "_"), f"no interval: {reasons[absence]}")


def _coverage(human: Floats, both: NDArray[np.bool_]) -> Iterator[Note]:
    rated, shared = int((~np.isnan(human)).sum()), int(both.sum())
    if shared < rated:
        yield Note("coverage", f"scores only {shared} of the {rated} answers that people rated")


def _few_systems(both: NDArray[np.bool_], kind: Coefficient, resample: Resample) -> Iterator[Note]:
    present = both[both.any(axis=1)]
    n = len(present)
    if n == 2:
        yield Note("two_systems", "2 systems always give plus or minus 1")
    elif n in (3, 4) and kind == "pearson":
        text = f"{n} systems: Pearson's p holds only if systems' means are normal, which so few cannot show"
        yield Note("p_of_few_systems", text)
    elif n in (3, 4):
        # Of the n! orders of the systems, one agrees wholly and one disagrees wholly.
        least = f"{2 / math.factorial(n):.2f}".removeprefix("0")
        yield Note("p_of_few_systems", f"{n} systems: {kind.title()}'s p can never fall below {least}")
    if 2 < n < _FEW_SYSTEMS and resample == "items":
        yield Note("few_systems", f"only {n} systems: what holds for them may not hold for others")
    if n > 1 and (present != present[0]).any():
        yield Note("different_items", "the systems' means are over different items")


def _ties(human: Floats, scores: Floats, both: NDArray[np.bool_]) -> Iterator[Note]:
    for name, values in (("human ratings", human[both]), ("scores", scores[both])):
        different, times = np.unique(values, return_counts=True)
        if len(different) > 1 and times.max() >= _MANY_TIES * len(values):
            share = times.max() / len(values)
            yield Note("ties", f"{share:.0%} of the {name} are {different[times.argmax()]:.3g}")


def _pairs_of_systems(both: NDArray[np.bool_]) -> Iterator[Note]:
    sizes = both.sum(axis=0)
    pairs, items = int((sizes == 2).sum()), int((sizes >= 2).sum())
    if pairs:
        text = f"{pairs} of {items} items have 2 systems, which always give plus or minus 1"
        yield Note("items_of_two_systems", text)


def _left_out(level: Level, correlation: LevelCorrelation) -> Iterator[Note]:
    if correlation.reason is None and correlation.undefined:
        groups = f"{correlation.undefined} of {correlation.groups} {_GROUP.get(level, 'system')}s"
        yield Note("groups_left_out", f"{groups} left out: fewer than 2 answers, or all values equal")
