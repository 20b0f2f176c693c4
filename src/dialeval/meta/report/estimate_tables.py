"""The tables of systems' mean ratings, estimated from a rated part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dialeval.display.notes import texts
from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import NOTHING, decimals, interval, listing, number, p_value, signed
from dialeval.meta.document import DifferenceEstimate, Estimates, SystemEstimate


def estimates(found: Estimates) -> Table:
    """Each system's mean human rating over all items, the mean of the ratings alone beside it."""
    places = decimals(x for one in found.systems for x in (one.value, one.low, one.high))
    columns = (
        *(Column("system"), Column("estimate", numeric=True), Column("ratings alone", numeric=True)),
        *(Column("rated", numeric=True), Column("unrated", numeric=True), Column("worth", numeric=True)),
    )
    rows = tuple(
        (
            Cell(one.system),
            Cell(_or(one.value, places), interval(one.low, one.high, places), strong=one.value is not None),
            Cell(_or(one.classical.value, places), interval(one.classical.low, one.classical.high, places)),
            Cell(f"{one.n:,}", f"of {one.classical.n:,}" if one.classical.n > one.n else ""),
            Cell(f"{one.n_unrated:,}"),
            Cell(_worth(one.effective_n)),
        )
        for one in found.systems
    )
    title = f"People's mean {found.criterion!r} over all items, by {found.measure}"
    return Table(title, columns, rows, tuple(_estimate_notes(found)))


def differences(found: Estimates) -> Table:
    """Each pair of systems: the difference of their mean human ratings over all items."""
    places = decimals(x for one in found.differences for x in (one.value, one.low, one.high))
    columns = (
        *(Column("pair"), Column("estimate", numeric=True), Column("ratings alone", numeric=True)),
        *(Column("p (Holm)", numeric=True), Column("worth", numeric=True), Column("verdict")),
    )
    alone = [(one, one.classical) for one in found.differences]
    rows = tuple(
        (
            Cell(f"{one.a} − {one.b}"),
            Cell(signed(one.value, places), interval(one.low, one.high, places)),
            Cell(signed(classical.value, places), interval(classical.low, classical.high, places)),
            Cell(p_value(one.p_adjusted)),
            Cell(_worth(one.effective_n)),
            Cell(_rated_higher(one), strong=one.higher is not None),
        )
        for one, classical in alone
    )
    return Table("Differences between systems", columns, rows, tuple(_warnings(found.differences)))


def _worth(effective: float | None) -> str:
    return NOTHING if effective is None else f"{effective:,.0f} ratings"


def _or(value: float | None, places: int) -> str:
    return "undefined" if value is None else number(value, places)


def _rated_higher(one: DifferenceEstimate) -> str:
    return "not significantly different" if one.higher is None else f"{one.higher} is rated higher"


def _estimate_notes(found: Estimates) -> Iterator[str]:
    yield (
        f"{found.measure} replaces the ratings of unrated items, and the rated items correct its bias "
        f"(PPI++); brackets hold {found.level:.0%} intervals, valid however biased the measure is"
    )
    yield "worth: how many ratings would give an equally short interval without the measure"
    yield found.note.text
    yield from _warnings(found.systems)


def _warnings(found: Sequence[SystemEstimate | DifferenceEstimate]) -> Iterator[str]:
    named: dict[str, list[str]] = {}
    for one in found:
        name = one.system if isinstance(one, SystemEstimate) else f"{one.a} − {one.b}"
        for text in (*texts(one.warnings), *([one.reason] if one.reason else [])):
            named.setdefault(text, []).append(name)
    for text, names in named.items():
        yield text if len(names) == len(found) > 1 else f"{listing(names)}: {text}"
