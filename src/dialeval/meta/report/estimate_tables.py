"""The tables of systems' mean ratings, estimated from a rated part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dialeval.display.notes import texts
from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import NOTHING, decimals, interval, listing, number, p_value, signed
from dialeval.meta.document import DifferenceEstimate, Estimates, SystemEstimate


def estimates(estimates: Estimates) -> Table:
    """Each system's mean human rating over all items, the mean of the ratings alone beside it."""
    places = decimals(x for system in estimates.systems for x in (system.value, system.low, system.high))
    columns = (
        *(Column("system"), Column("estimate", numeric=True), Column("ratings alone", numeric=True)),
        *(Column("rated", numeric=True), Column("unrated", numeric=True), Column("worth", numeric=True)),
    )
    rows = tuple(
        (
            Cell(system.system),
            Cell(
                _or(system.value, places),
                interval(system.low, system.high, places),
                strong=system.value is not None,
            ),
            Cell(
                _or(system.classical.value, places),
                interval(system.classical.low, system.classical.high, places),
            ),
            Cell(f"{system.n:,}", f"of {system.classical.n:,}" if system.classical.n > system.n else ""),
            Cell(f"{system.n_unrated:,}"),
            Cell(_worth(system.effective_n)),
        )
        for system in estimates.systems
    )
    title = f"People's mean {estimates.criterion!r} over all items, by {estimates.measure}"
    return Table(title, columns, rows, tuple(_estimate_notes(estimates)))


def differences(estimates: Estimates) -> Table:
    """Each pair of systems: the difference of their mean human ratings over all items."""
    places = decimals(
        x for difference in estimates.differences for x in (difference.value, difference.low, difference.high)
    )
    columns = (
        *(Column("pair"), Column("estimate", numeric=True), Column("ratings alone", numeric=True)),
        *(Column("p (Holm)", numeric=True), Column("worth", numeric=True), Column("verdict")),
    )
    alone = [(difference, difference.classical) for difference in estimates.differences]
    rows = tuple(
        (
            Cell(f"{difference.a} − {difference.b}"),
            Cell(signed(difference.value, places), interval(difference.low, difference.high, places)),
            Cell(signed(classical.value, places), interval(classical.low, classical.high, places)),
            Cell(p_value(difference.p_adjusted)),
            Cell(_worth(difference.effective_n)),
            Cell(_rated_higher(difference), strong=difference.higher is not None),
        )
        for difference, classical in alone
    )
    return Table("Differences between systems", columns, rows, tuple(_warnings(estimates.differences)))


def _worth(effective: float | None) -> str:
    return NOTHING if effective is None else f"{effective:,.0f} ratings"


def _or(value: float | None, places: int) -> str:
    return "undefined" if value is None else number(value, places)


def _rated_higher(difference: DifferenceEstimate) -> str:
    return (
        "not significantly different" if difference.higher is None else f"{difference.higher} is rated higher"
    )


def _estimate_notes(estimates: Estimates) -> Iterator[str]:
    yield (
        f"{estimates.measure} replaces the ratings of unrated items, and the rated items correct its bias "
        f"(PPI++); brackets hold {estimates.level:.0%} intervals, valid however biased the measure is"
    )
    yield "worth: how many ratings would give an equally short interval without the measure"
    yield estimates.note.text
    effects = sorted(system.design_effect for system in estimates.systems if system.design_effect is not None)
    if effects:
        span = f"{effects[0]:.2f} to {effects[-1]:.2f}"
        yield f"turns of a dialogue are taken together, which multiplies variances by {span} (design effect)"
    yield from _warnings(estimates.systems)


def _warnings(estimates: Sequence[SystemEstimate | DifferenceEstimate]) -> Iterator[str]:
    named: dict[str, list[str]] = {}
    for estimate in estimates:
        name = estimate.system if isinstance(estimate, SystemEstimate) else f"{estimate.a} − {estimate.b}"
        for text in (*texts(estimate.warnings), *([estimate.reason] if estimate.reason else [])):
            named.setdefault(text, []).append(name)
    for text, names in named.items():
        yield text if len(names) == len(estimates) > 1 else f"{listing(names)}: {text}"
