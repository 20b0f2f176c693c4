"""Measures in order, those that do not differ significantly under one number."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from dialeval.display.notes import Note
from dialeval.meta.document import Rivalry, Row


def rank_groups(rows: Sequence[Row], rivalries: Sequence[Rivalry]) -> dict[str, int]:
    """The rank group of each measure, 1 the best, of ``rows`` and ``rivalries`` at one level.

    Measures stand in order of their coefficient; one that differs significantly from a measure of the group above it
    begins the next, as in the rankings of WMT. Differing is being worse, unless the two scored different answers: over
    those of both, the order may be the other way round. Measures without a coefficient have no rank group.
    """
    differ = {frozenset((rivalry.a, rivalry.b)) for rivalry in rivalries if rivalry.better is not None}
    defined = [row for row in rows if row.value is not None]
    ranked = sorted(defined, key=lambda row: row.value or 0.0, reverse=True)
    groups: dict[str, int] = {}
    current: list[str] = []
    number = 1
    for row in ranked:
        if any(frozenset((row.measure, above)) in differ for above in current):
            number, current = number + 1, []
        current.append(row.measure)
        groups[row.measure] = number
    return groups


def with_rank_groups(rows: Sequence[Row], rivalries: Sequence[Rivalry]) -> tuple[Row, ...]:
    """The rows, each with its rank group by the rivalries at its level, and a note where these saw less of it."""
    by_level: dict[str, Mapping[str, int]] = {
        level: rank_groups(
            [row for row in rows if row.level == level],
            [rivalry for rivalry in rivalries if rivalry.level == level],
        )
        for level in {rivalry.level for rivalry in rivalries}
    }
    return tuple(
        dataclasses.replace(
            row,
            cluster=by_level.get(row.level, {}).get(row.measure),
            warnings=(*row.warnings, *_of_coverage(row, rows, rivalries)),
        )
        for row in rows
    )


def _of_coverage(row: Row, rows: Sequence[Row], rivalries: Sequence[Rivalry]) -> Iterator[Note]:
    """Notes on a row whose measure scored answers that others did not."""
    mine = [
        rivalry
        for rivalry in rivalries
        if rivalry.level == row.level and row.measure in (rivalry.a, rivalry.b)
    ]
    narrow = [rivalry for rivalry in mine if (rivalry.only_a if rivalry.a == row.measure else rivalry.only_b)]
    if narrow:
        text = f"compared with {_others(narrow, row.measure)} over fewer answers, those of both"
        yield Note("compared_over_fewer", text)
    value = row.value
    if value is None:
        return
    same = [other for other in rows if other.level == row.level]
    above = {other.measure for other in same if other.value is not None and other.value > value}
    beaten = [
        rivalry for rivalry in mine if rivalry.better == row.measure and _other(rivalry, row.measure) in above
    ]
    if beaten:
        others = _others(beaten, row.measure)
        text = f"better than {others} over the answers of both: the order depends on coverage"
        yield Note("order_depends_on_coverage", text)


def _other(rivalry: Rivalry, measure: str) -> str:
    return rivalry.b if rivalry.a == measure else rivalry.a


def _others(rivalries: Sequence[Rivalry], measure: str) -> str:
    names = [_other(rivalry, measure) for rivalry in rivalries]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
