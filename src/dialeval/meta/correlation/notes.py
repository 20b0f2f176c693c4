"""What to be wary of in a correlation: too few systems, ties, missing cells, groups that have no coefficient."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats, Integers
from dialeval.stats.correlation.bootstrap import Resample
from dialeval.stats.correlation.levels import Level, LevelCorrelation
from dialeval.stats.estimate import Coefficient

_FEW_SYSTEMS: Final = 10
"""Below this many, how well a measure ranks these systems says little about the next one."""
_MANY_TIES: Final = 0.5
_MANY_UNDEFINED: Final = 0.05


class Correlated(NamedTuple):
    """One coefficient, and how it came about."""

    human: Floats
    """Shape (systems, items), as ``scores``."""
    scores: Floats
    level: Level
    kind: Coefficient
    found: LevelCorrelation
    trialled: Floats
    """The coefficients of the resamples."""
    resample: Resample
    clusters: Integers | None = None
    """The cluster of each item, where whole clusters are resampled."""


def doubts(about: Correlated) -> tuple[str, ...]:
    """Sentences for the reader of one coefficient; none where nothing is amiss."""
    human, scores, level, kind, found, trialled, resample, clusters = about
    both = ~np.isnan(human) & ~np.isnan(scores)
    out = [f"undefined: {_in_words(found.reason, level)}"] if found.reason is not None else []
    if found.reason is None and not resampled(both, resample, clusters):
        out.append(_nothing_to_draw(both, clusters))
    out += _coverage(human, both)
    out += _few_systems(both, kind, resample) if level == "system" else _ties(human, scores, both)
    if level == "system_within_item":
        out += _pairs_of_systems(both)
    out += _left_out(level, found)
    if trialled.size and (share := float(np.isnan(trialled).mean())) > _MANY_UNDEFINED:
        out.append(f"{share:.0%} of the resamples have no coefficient and are left out of the interval")
    return tuple(out)


def resampled(both: NDArray[np.bool_], resample: Resample, clusters: Integers | None = None) -> bool:
    """Whether there is more than one of what is resampled: one item, drawn again and again, is always the same."""
    there = both.any(axis=0)
    systems = int(both.any(axis=1).sum())
    items = int(there.sum()) if clusters is None else len(np.unique(clusters[there]))
    return {"items": items > 1, "systems": systems > 1, "both": items > 1 and systems > 1}[resample]


def _in_words(reason: str, level: Level) -> str:
    """The reason in words of this field: statistics know of pairs and of two variables alone."""
    for general, ours in (
        ("pairs", "systems" if level == "system" else "answers that people rated and the measure scored"),
        ("group", "system" if level == "item_within_system" else "item"),
        ("values of the first variable", "human ratings"),
        ("values of the second variable", "scores"),
    ):
        reason = reason.replace(general, ours)
    return reason


def _nothing_to_draw(both: NDArray[np.bool_], clusters: Integers | None) -> str:
    several = resampled(both, "items", clusters)
    one = "system" if several else "item" if clusters is None else "dialogue"
    return f"there is 1 {one} only: no interval, as there are no others to resample; add more {one}s"


def _coverage(human: Floats, both: NDArray[np.bool_]) -> Iterator[str]:
    rated, shared = int((~np.isnan(human)).sum()), int(both.sum())
    if shared < rated:
        yield f"scores only {shared} of the {rated} cells that people rated"


def _few_systems(both: NDArray[np.bool_], kind: Coefficient, resample: Resample) -> Iterator[str]:
    present = both[both.any(axis=1)]
    n = len(present)
    if n == 2:
        yield "2 systems always give plus or minus 1"
    elif n in (3, 4) and kind == "pearson":
        yield f"{n} systems: Pearson's p holds only if systems' means are normal, which so few cannot show"
    elif n in (3, 4):
        # Of the n! orders of the systems, one agrees wholly and one disagrees wholly.
        least = f"{2 / math.factorial(n):.2f}".removeprefix("0")
        yield f"{n} systems: {kind.title()}'s p can never fall below {least}"
    if 2 < n < _FEW_SYSTEMS and resample == "items":
        yield f"only {n} systems: the interval is about other items, not about other systems"
    if n > 1 and (present != present[0]).any():
        yield "the systems' means are over different items"


def _ties(human: Floats, scores: Floats, both: NDArray[np.bool_]) -> Iterator[str]:
    for name, values in (("human ratings", human[both]), ("scores", scores[both])):
        found, times = np.unique(values, return_counts=True)
        if len(found) > 1 and times.max() >= _MANY_TIES * len(values):
            yield f"{times.max() / len(values):.0%} of the {name} are {found[times.argmax()]:.3g}"


def _pairs_of_systems(both: NDArray[np.bool_]) -> Iterator[str]:
    sizes = both.sum(axis=0)
    pairs, items = int((sizes == 2).sum()), int((sizes >= 2).sum())
    if pairs:
        yield f"{pairs} of {items} items have 2 systems, which always give plus or minus 1"


def _left_out(level: Level, found: LevelCorrelation) -> Iterator[str]:
    if found.reason is None and found.undefined:
        what = "items" if level == "system_within_item" else "systems"
        yield f"{found.undefined} of {found.groups} {what} left out: fewer than 2 cells, or all values equal"
