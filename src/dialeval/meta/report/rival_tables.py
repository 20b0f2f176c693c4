"""The table of measures compared with one another, pair by pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import count, interval, listing, p_value, signed
from dialeval.meta.document import Document, Level, Rivalry
from dialeval.meta.report.levels import TITLES, decided, resampled, scope

MOST_RIVALS: Final = 60


def rivals(document: Document, level: Level) -> Table:
    """Each pair of measures that have a correlation at one level, the surest difference first."""
    pairs = [rival for rival in document.rivals if rival.level == level and rival.difference is not None]
    pairs.sort(key=lambda rival: (rival.p_adjusted is None, rival.p_adjusted or 0.0))
    columns = (
        *(Column("pair"), Column("difference", numeric=True), Column("p (Holm)", numeric=True)),
        *(Column("p", numeric=True), Column("p (Williams)", numeric=True), Column("verdict")),
    )
    shown = pairs[:MOST_RIVALS]
    rows = tuple(_rival(rivalry, scope(document)) for rivalry in shown)
    return Table(TITLES[level], columns, rows, tuple(_rival_notes(document, pairs)))


def on_edge(pairs: Sequence[Rivalry]) -> Iterator[str]:
    """A note on pairs whose verdict depends on which swaps were drawn."""
    names = [
        f"{rivalry.a} − {rivalry.b} ({p_value(rivalry.p_adjusted)})" for rivalry in pairs if rivalry.on_edge
    ]
    if names:
        them = "it" if len(names) == 1 else "them"
        yield f"borderline: more resamples or another seed could change {them}: {listing(names, most=3)}"


def _rival_notes(document: Document, pairs: Sequence[Rivalry]) -> Iterator[str]:
    if pairs:
        yield f"p: {decided(document)}; it says whether measures differ {scope(document)}"
    if len(pairs) > MOST_RIVALS:
        yield f"and {count(len(pairs) - MOST_RIVALS, 'less significant pair')}"
    if any(rivalry.low is not None for rivalry in pairs):
        yield f"brackets hold {document.settings.level:.0%} intervals for other {resampled(document)} like these"
    systems = document.human.systems
    if document.settings.resample == "systems" and systems < 7:
        yield f"with {count(systems, 'system')} no p-value can fall below {2 ** (1 - systems):.2g}"
    error = max((rivalry.p_error or 0.0 for rivalry in pairs), default=0.0)
    if error:
        yield f"p is from random swaps, with a standard error of at most {error:.2g}"
    yield from on_edge(pairs)
    if any(rivalry.only_a or rivalry.only_b for rivalry in pairs):
        yield "two measures are compared over the answers that both scored, fewer than in the tables of agreement"


def _rival(rivalry: Rivalry, where: str) -> tuple[Cell, ...]:
    better = rivalry.better
    verdict = "no significant difference" if better is None else f"{better} agrees better with people {where}"
    decisive = rivalry.p_jackknife if rivalry.test == "jackknife" else rivalry.p_permutation
    return (
        Cell(f"{rivalry.a} − {rivalry.b}"),
        Cell(signed(rivalry.difference), interval(rivalry.low, rivalry.high)),
        Cell(p_value(rivalry.p_adjusted)),
        Cell(p_value(decisive)),
        Cell(p_value(rivalry.p_williams)),
        Cell(verdict, strong=rivalry.significant),
    )
