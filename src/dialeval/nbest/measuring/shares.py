"""Shares of contradictions in n-best lists where a measure says right and wrong (Sato, 2024, section 3.6)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats, Integers, Resampling
from dialeval.data.codec.bad import Where, refuse
from dialeval.data.codec.fields import text, wrong
from dialeval.data.codec.jsonl import rows_of
from dialeval.data.codec.sources import Source, check
from dialeval.errors import DialevalError, UnknownName
from dialeval.nbest.measuring.judged import JudgedList
from dialeval.nbest.measuring.metrics import why_left_out
from dialeval.ratings.joined import Grid, MeasureGrid
from dialeval.ratings.table import Ratings
from dialeval.ratings.verdicts import Threshold, Verdicts, verdicts_of
from dialeval.stats.resampling.bootstrap import blocks
from dialeval.stats.tests.paired import ROUNDING

SHUFFLES: Final = Resampling(resamples=10_000)


@dataclass(frozen=True, slots=True)
class NBestCount:
    """How many of a system's n best responses to an item contradict it."""

    item: str
    system: str
    contradictory: int
    n: int


@dataclass(frozen=True, slots=True)
class GroupShares:
    """Mean share of contradictory responses in the lists of one system, or of all, by what the measure says."""

    system: str | None
    """None for all systems together."""
    right: int
    """Lists for items that the measure calls right."""
    wrong: int
    share_right: float
    """NaN where there are no such lists."""
    share_wrong: float


@dataclass(frozen=True, slots=True)
class NBestValidation:
    """Whether n-best lists hold more contradictions where a measure says wrong."""

    rule: str
    overall: GroupShares
    systems: tuple[GroupShares, ...]
    difference: float
    """Share where wrong minus share where right, within systems; NaN where no system has both."""
    p: float
    """One-tailed, of shuffling the verdicts within each system; NaN where the difference is undefined."""
    unjoined: int
    """Lists for which the measure has no verdict."""
    resampling: Resampling
    reason: str | None
    """Why the groups could not be compared."""


def counts_of(lists: Iterable[JudgedList]) -> list[NBestCount]:
    """How many responses of each list contradict; lists that neither Certainty nor Variety counts are left out."""
    return [
        NBestCount(judged.item, judged.system, judged.verdicts.count("contradictory"), len(judged.verdicts))
        for judged in lists
        if why_left_out(judged) is None
    ]


def read_counts(source: Source) -> list[NBestCount] | None:
    """The counts of a file with ``id``, ``system``, ``contradictory`` and ``n``; None where it holds something else."""
    check(source)
    rows = list(rows_of(source)(source, refuse))
    if not rows or not isinstance(rows[0].fields, Mapping) or "contradictory" not in rows[0].fields:
        return None
    counts = []
    for row in rows:
        fields = row.fields
        if not isinstance(fields, Mapping):
            raise wrong(row.where, "", fields, "an object", 'Write {"id", "system", "contradictory", "n"}.')
        contradictory, n = (_whole(fields, name, row.where) for name in ("contradictory", "n"))
        item, system = (text(fields, name, row.where, "") for name in ("id", "system"))
        counts.append(NBestCount(item, system, contradictory, n))
    return counts


def _whole(fields: Mapping[str, object], name: str, where: Where) -> int:
    value = fields.get(name)
    if type(value) is not int:
        raise wrong(where, name, value, "a whole number", "Write how many responses there are.")
    return value


def measure_grid(ratings: Ratings, measure: str) -> MeasureGrid:
    """The values of one measure among judgements, by its criterion or by its rater's name."""
    by_criterion = [ratings.criteria[code] == measure for code in ratings.criterion.tolist()]
    by_rater = [ratings.raters[code] == measure for code in ratings.rater.tolist()]
    mine = np.flatnonzero(np.array(by_criterion) | np.array(by_rater))
    if not len(mine):
        known = ratings.criteria
        raise UnknownName("measure", measure, known, todo=f"There are {', '.join(known)}.")
    values = np.full((len(ratings.systems), len(ratings.items)), np.nan)
    values[ratings.system[mine], ratings.item[mine]] = ratings.value[mine]
    first = int(mine[0])
    return MeasureGrid(
        measure,
        ratings.raters[ratings.rater[first]],
        ratings.criteria[ratings.criterion[first]],
        Grid(ratings.systems, ratings.items, values),
    )


def right_of(
    measure: MeasureGrid, *, threshold: Threshold | None = None, lower_is_right: bool = False
) -> dict[tuple[str, str], bool]:
    """Whether the measure calls an answer right, by item and system; nothing of those without a value."""
    split = verdicts_of(measure, threshold=threshold, lower_is_right=lower_is_right)
    return {
        (item, system): bool(split.right[row, column])
        for row, system in enumerate(measure.grid.systems)
        for column, item in enumerate(measure.grid.items)
        if not math.isnan(split.right[row, column])
    }


def validate_nbest(
    counts: Iterable[NBestCount],
    measure: MeasureGrid,
    *,
    threshold: Threshold | None = None,
    lower_is_right: bool = False,
    resampling: Resampling = SHUFFLES,
) -> NBestValidation:
    """Mean share of contradictory responses in n-best lists, by what the measure says (Sato, 2024, section 3.6).

    The thesis compares the two means over the lists of all systems, ``overall``, and makes no test. The test here
    shuffles verdicts within each system, so that a system that contradicts more and is also wrong more often is
    no evidence; its statistic is the mean over systems that have both groups, weighted by r w / (r + w) lists.
    """
    split = verdicts_of(measure, threshold=threshold, lower_is_right=lower_is_right)
    given = tuple(counts)
    shares, verdicts, systems = _lists(given, split, measure)
    joined = ~np.isnan(verdicts)
    shares, right, systems = shares[joined], verdicts[joined] == 1, systems[joined]
    rows = [_shares(None, shares, right)]
    for code in dict.fromkeys(systems.tolist()):
        rows.append(_shares(measure.grid.systems[code], shares[systems == code], right[systems == code]))
    observed, shuffled = _within_systems(shares, right, systems, resampling)
    p = (1 + int(np.count_nonzero(shuffled >= observed - ROUNDING))) / (1 + resampling.resamples)
    nothing = math.isnan(observed)
    return NBestValidation(
        rule=split.rule,
        overall=rows[0],
        systems=tuple(rows[1:]),
        difference=observed,
        p=math.nan if nothing else p,
        unjoined=len(given) - int(joined.sum()),
        resampling=resampling,
        reason="no system has lists for both right and wrong items" if nothing else None,
    )


def _lists(
    counts: Sequence[NBestCount], split: Verdicts, measure: MeasureGrid
) -> tuple[Floats, Floats, Integers]:
    """Share of contradictory responses, verdict and system of each list; no verdict where the measure has none."""
    row = {name: index for index, name in enumerate(measure.grid.systems)}
    column = {name: index for index, name in enumerate(measure.grid.items)}
    for count in counts:
        if not 0 <= count.contradictory <= count.n or count.n < 1:
            found = f"{count.contradictory} of {count.n}"
            raise DialevalError(
                f"The n-best list of item {count.item!r}, system {count.system!r}: found {found} contradictory "
                "responses, expected a count from 0 to n of at least one response."
            )
    places = [(row.get(count.system, -1), column.get(count.item, -1)) for count in counts]
    verdicts = [split.right[place] if min(place) >= 0 else math.nan for place in places]
    shares = [count.contradictory / count.n for count in counts]
    systems = np.array([place[0] for place in places], dtype=np.int64)
    return np.array(shares, dtype=np.float64), np.array(verdicts, dtype=np.float64), systems


def _shares(system: str | None, shares: Floats, right: NDArray[np.bool_]) -> GroupShares:
    return GroupShares(
        system, int(right.sum()), int((~right).sum()), _mean(shares[right]), _mean(shares[~right])
    )


def _within_systems(
    shares: Floats, right: NDArray[np.bool_], systems: Integers, resampling: Resampling
) -> tuple[float, Floats]:
    """The weighted mean over systems of share where wrong minus share where right, as seen and as shuffled."""
    rng = np.random.default_rng(resampling.seed)
    observed, shuffled, total = 0.0, np.zeros(resampling.resamples), 0.0
    for code in np.unique(systems).tolist():
        mine, said = shares[systems == code], right[systems == code]
        r, w = int(said.sum()), int((~said).sum())
        if not r or not w:
            continue
        weight = r * w / (r + w)
        start = 0
        # Rows are shuffled one after another, so that the blocks do not show in the result.
        for some in blocks(len(mine), resampling.resamples):
            orders = rng.permuted(np.broadcast_to(mine, (some, len(mine))), axis=1)
            shuffled[start : start + some] += weight * (
                orders[:, r:].mean(axis=1) - orders[:, :r].mean(axis=1)
            )
            start += some
        observed += weight * float(mine[~said].mean() - mine[said].mean())
        total += weight
    return (observed / total, shuffled / total) if total else (math.nan, shuffled)


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else math.nan
