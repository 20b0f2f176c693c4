"""The table of whether a measure is right about single answers, system by system."""

from __future__ import annotations

from collections.abc import Iterator

from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import NOTHING, decimals, listing, number, p_value
from dialeval.meta.document import InstanceValidation, SystemTest

TESTS = {"welch": "Welch's t test", "student": "Student's t test", "fisher": "Fisher's exact test"}


def instances(found: InstanceValidation) -> Table:
    """Each system's mean rating where the measure says right, and where it says wrong."""
    what = "share" if found.test == "fisher" else "mean"
    columns = (
        *(Column("system"), Column("right", numeric=True), Column("wrong", numeric=True)),
        *(Column(f"{what} if right", numeric=True), Column(f"{what} if wrong", numeric=True)),
        *(Column("p", numeric=True), Column("p (Holm)", numeric=True)),
    )
    places = decimals(x for one in found.systems for x in (one.mean_right, one.mean_wrong))
    rows = tuple(_row(one, places, found.alpha) for one in found.systems)
    return Table(f"Single answers: right where {found.rule}", columns, rows, tuple(_notes(found)))


def _row(one: SystemTest, places: int, alpha: float) -> tuple[Cell, ...]:
    return (
        Cell(one.system),
        Cell(f"{one.right:,}"),
        Cell(f"{one.wrong:,}"),
        *(Cell(NOTHING if x is None else number(x, places)) for x in (one.mean_right, one.mean_wrong)),
        Cell(p_value(one.p), strong=one.p is not None and one.p < alpha),
        Cell(p_value(one.p_adjusted)),
    )


def _notes(found: InstanceValidation) -> Iterator[str]:
    way = "higher" if found.alternative == "greater" else "lower"
    yield (
        f"{found.criterion} is significantly {way} where {found.rule} for {found.significant} of {found.tested} "
        f"systems ({found.significant_adjusted} after Holm's correction): one-tailed {TESTS[found.test]}, "
        f"p < {found.alpha:g}"
    )
    said: dict[str, list[str]] = {}
    for one in found.systems:
        if one.reason:
            said.setdefault(one.reason, []).append(one.system)
    yield from (f"{listing(names)}: {reason}" for reason, names in said.items())
