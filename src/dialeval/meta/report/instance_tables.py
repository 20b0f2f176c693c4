"""The table of whether a measure is right about single answers, system by system."""

from __future__ import annotations

from collections.abc import Iterator

from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import NOTHING, decimals, listing, number, p_value
from dialeval.meta.document import InstanceValidation, SystemTest

TESTS = {"welch": "Welch's t test", "student": "Student's t test", "fisher": "Fisher's exact test"}


def instances(validation: InstanceValidation) -> Table:
    """Each system's mean rating where the measure says right, and where it says wrong."""
    what = "share" if validation.test == "fisher" else "mean"
    columns = (
        *(Column("system"), Column("right", numeric=True), Column("wrong", numeric=True)),
        *(Column(f"{what} if right", numeric=True), Column(f"{what} if wrong", numeric=True)),
        *(Column("p", numeric=True), Column("p (Holm)", numeric=True)),
    )
    places = decimals(x for system in validation.systems for x in (system.mean_right, system.mean_wrong))
    rows = tuple(_row(system, places, validation.alpha) for system in validation.systems)
    return Table(f"Single answers: right where {validation.rule}", columns, rows, tuple(_notes(validation)))


def _row(test: SystemTest, places: int, alpha: float) -> tuple[Cell, ...]:
    return (
        Cell(test.system),
        Cell(f"{test.right:,}"),
        Cell(f"{test.wrong:,}"),
        *(Cell(NOTHING if x is None else number(x, places)) for x in (test.mean_right, test.mean_wrong)),
        Cell(p_value(test.p), strong=test.p is not None and test.p < alpha),
        Cell(p_value(test.p_adjusted)),
    )


def _notes(validation: InstanceValidation) -> Iterator[str]:
    way = "higher" if validation.alternative == "greater" else "lower"
    holds = f"{validation.criterion} is significantly {way} where {validation.rule}"
    yield (
        f"{holds} for {validation.significant} of {validation.tested} systems "
        f"({validation.significant_adjusted} after Holm's correction): one-tailed {TESTS[validation.test]}, "
        f"p < {validation.alpha:g}"
    )
    said: dict[str, list[str]] = {}
    for system in validation.systems:
        if system.reason:
            said.setdefault(system.reason, []).append(system.system)
    yield from (f"{listing(names)}: {reason}" for reason, names in said.items())
