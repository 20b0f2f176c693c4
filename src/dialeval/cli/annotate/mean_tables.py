"""Mean ratings on standard output, as tables for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from dialeval.display.table import Table
    from dialeval.ratings.means.document import CriterionMeans, CrossCheck, Disagreement, ModelName

TITLES: Final[Mapping[ModelName, str]] = {
    "linear": "linear mixed model",
    "ordinal": "ordinal probit model",
}
UNMODELLED: Final = (
    "that steps of the scale may be unequal",
    "that raters use the scale differently",
    "that few raters make its normal approximation too sure",
)
"""What the linear model leaves out."""
TASTE: Final = "that a rater may like one system more"
"""What it leaves out besides, where raters are fixed."""
NO_EFFECTS: Final = (
    "does not model items and raters: its p-values take all ratings to be independent",
    "estimates are in standard deviations of a latent normal variable",
)
"""What the ordinal model leaves out, and what its numbers are."""
MEANS: Final = (
    "means do not model: that steps of the scale may be unequal; that some raters are stricter, where raters did not "
    "rate both systems"
)
SHORT: Final[Mapping[Disagreement, str]] = {"sign": "sign", "significance": "p"}
"""What a model and the means disagree on, as a column has room for it."""


def print_means(found: Sequence[CriterionMeans]) -> None:
    """Each criterion's tables, one below the other; the family of tests is named under the last differences."""
    from dialeval.display.consoles import PrintableConsole
    from dialeval.display.terminal import print_table

    console = PrintableConsole()
    tables = [table for one in found for table in _tables(one, found)]
    for index, table in enumerate(tables):
        if index:
            console.print()
        print_table(table, console)


def _tables(one: CriterionMeans, found: Sequence[CriterionMeans]) -> Iterator[Table]:
    yield _means(one)
    if one.differences:
        yield _differences(one, found)
    for check in one.models:
        yield _check(one, check)


def _means(one: CriterionMeans) -> Table:
    from dialeval.core import ABSENCES
    from dialeval.display.table import Cell, Column, Table
    from dialeval.display.wording import count, interval, number

    columns = (
        *(Column("system"), Column("mean", numeric=True)),
        *(Column("items", numeric=True), Column("ratings", numeric=True)),
    )
    rows = tuple(
        (
            Cell(row.system),
            Cell(number(row.mean), interval(row.low, row.high)),
            Cell(f"{row.items:,}"),
            Cell(f"{row.ratings:,}"),
        )
        for row in one.systems
    )
    whose = "other raters like these" if one.interval_raters == "sampled" else "these raters"
    notes = [f"brackets hold {one.level:.0%} intervals for other items and {whose}"]
    if one.clusters is not None:
        notes.append(f"turns of a dialogue are resampled together ({one.clusters:,} dialogues)")
    notes += [
        f"no interval of {row.system}: {ABSENCES[row.absence]}"
        for row in one.systems
        if row.absence is not None
    ]
    notes += map(str, one.notes)
    title = (
        f"{one.criterion}: mean rating of {count(one.items, 'item')}, {count(one.raters, 'rater')}, "
        f"{count(one.ratings, 'rating')}"
    )
    return Table(title, columns, rows, tuple(notes))


def _differences(one: CriterionMeans, found: Sequence[CriterionMeans]) -> Table:
    from dialeval.core import ABSENCES
    from dialeval.display.table import Cell, Column, Table
    from dialeval.display.wording import interval, p_value, signed

    columns = (
        *(Column("difference"), Column("of means", numeric=True), Column("p", numeric=True)),
        Column("verdict"),
    )
    rows = tuple(
        (
            Cell(_pair(pair.a, pair.b)),
            Cell(signed(pair.difference), interval(pair.low, pair.high)),
            Cell(p_value(pair.p_adjusted)),
            Cell(pair.verdict),
        )
        for pair in one.differences
    )
    notes = [
        f"no interval of {_pair(pair.a, pair.b)}: {ABSENCES[pair.absence]}"
        for pair in one.differences
        if pair.absence is not None
    ]
    notes += [*_family(one, found), *([MEANS] if one is found[-1] else [])]
    return Table(f"{one.criterion}: differences", columns, rows, tuple(notes))


def _pair(a: str, b: str) -> str:
    return f"{a} − {b}"


def _family(one: CriterionMeans, found: Sequence[CriterionMeans]) -> Iterator[str]:
    """Over which tests p-values were corrected."""
    from dialeval.display.wording import count, listing
    from dialeval.evaluation.compare.sentences import CORRECTIONS

    first = one.differences[0]
    if first.correction is None:
        yield "p: Student's t test; the only test, so not corrected"
        return
    criteria = [
        other.criterion for other in found if other.differences and other.differences[0].role == first.role
    ]
    role = f"{first.role} " if first.role else ""
    yield (
        f"p: Student's t tests after {CORRECTIONS[first.correction]} over one {role}family of "
        f"{count(first.family, 'test')}, every two systems on {listing(criteria)}"
    )


def _check(one: CriterionMeans, check: CrossCheck) -> Table:
    from dialeval.display.table import Cell, Column, Table
    from dialeval.display.wording import NOTHING, interval, p_value, signed

    title = (
        f"{one.criterion}: cross-check by a{'n' if check.model == 'ordinal' else ''} {TITLES[check.model]}"
    )
    if check.reason is not None:
        return Table(title, (), (), (f"no estimates: {check.reason}",))
    columns = (
        *(Column("difference"), Column("estimate", numeric=True), Column("p", numeric=True)),
        *(Column("of means", numeric=True), Column("its p", numeric=True), Column("disagree on")),
    )
    rows = tuple(
        (
            Cell(_pair(pair.a, pair.b)),
            Cell(signed(pair.estimate), interval(pair.low, pair.high)),
            Cell(p_value(pair.p_adjusted)),
            Cell(signed(ours.difference)),
            Cell(p_value(ours.p_adjusted)),
            Cell(SHORT[pair.disagrees] if pair.disagrees else NOTHING),
        )
        for pair, ours in zip(check.differences, one.differences, strict=True)
    )
    return Table(title, columns, rows, tuple(_check_notes(one, check)))


def _check_notes(one: CriterionMeans, check: CrossCheck) -> Iterator[str]:
    disagreeing = [pair for pair in check.differences if pair.disagrees]
    for pair in disagreeing:
        what = "who is ahead" if pair.disagrees == "sign" else "whether the difference is significant"
        yield f"warning: {_pair(pair.a, pair.b)}: the model and the means disagree on {what}"
    if check.components:
        parts = ", ".join(f"{name} {value:.2f}" for name, value in check.components.items())
        yield f"standard deviations: {parts}"
    yield from map(str, check.notes)
    if check.model == "ordinal":
        yield from NO_EFFECTS
    else:
        left_out = UNMODELLED if one.interval_raters == "sampled" else (*UNMODELLED, TASTE)
        yield f"does not model: {'; '.join(left_out)}"
