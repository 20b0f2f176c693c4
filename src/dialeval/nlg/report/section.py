"""The section of a study's page about slot errors: counts, and sentences with their slots underlined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from dialeval.display.pages import Section, template
from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import percent
from dialeval.nlg.document import ItemFindings, SlotCounts, SlotsInfo

PACKAGE: Final = "dialeval.nlg.report"
_COUNTS: Final = ("needed", "said", "missing", "wrong", "added", "repeated")


class Piece(NamedTuple):
    """A part of a sentence; ``outcome`` is empty where it says no slot."""

    text: str
    outcome: str = ""
    title: str = ""


def slots_section(measures: Sequence[SlotsInfo]) -> Section:
    """Counts and sentences under each measure of slot errors."""
    shown = [(info, counts_table(info.counts), _by_system(info.items)) for info in measures]
    html = template(PACKAGE, "section.html").render(shown=shown, pieces=pieces, absent=absent)
    return Section("slots", "Slot errors", "What was left out, wrong, added or repeated", html)


def slots_note(info: SlotsInfo) -> str:
    """How far the matching can be trusted, by the references' own slot errors."""
    rate = (
        "no references"
        if info.references is None
        else f"the references' own rate is {percent(info.references)}"
    )
    return "; ".join([f"{info.measure}: {info.status}; {rate}", *(note.text for note in info.notes)])


def counts_table(counts: Sequence[SlotCounts], notes: Sequence[str] = ()) -> Table:
    """How often each system said each slot, and how often not."""
    columns = (Column("system"), Column("slot"), *(Column(name, numeric=True) for name in _COUNTS))
    rows = tuple(
        (Cell(count.system), Cell(count.slot), *(Cell(str(getattr(count, name))) for name in _COUNTS))
        for count in counts
    )
    return Table("Slots", columns, rows, tuple(notes))


def pieces(item: ItemFindings) -> Iterator[Piece]:
    """The sentence in parts, those that say a slot with what became of it; parts that overlap are shown once."""
    marks = sorted(
        (span.start, span.end, finding.outcome, f"{finding.slot}: {finding.value} ({finding.outcome})")
        for finding in item.findings
        for span in finding.spans
    )
    place = 0
    for start, end, outcome, title in marks:
        if start < place:
            continue
        if start > place:
            yield Piece(item.response[place:start])
        yield Piece(item.response[start:end], outcome, title)
        place = end
    if place < len(item.response):
        yield Piece(item.response[place:])


def absent(item: ItemFindings) -> list[str]:
    """What the sentence does not say: each missing or wrong slot, with its value."""
    return [
        f"{finding.outcome}: {finding.slot} = {finding.value}"
        for finding in item.findings
        if finding.outcome in ("missing", "wrong")
    ]


def _by_system(items: Sequence[ItemFindings]) -> list[tuple[str, list[ItemFindings]]]:
    systems = list(dict.fromkeys(item.system for item in items))
    return [(system, [item for item in items if item.system == system]) for system in systems]
