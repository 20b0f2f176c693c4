"""The table of how many items, raters and systems the next study needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import NOTHING, count, listing
from dialeval.meta.document import Document, Planned

NOUNS = {"items": "item", "raters": "rating", "systems": "system"}


def planning(document: Document) -> Table:
    """Each question, what there is, and what would be enough."""
    columns = (
        *(Column("question"), Column("available", numeric=True), Column("enough", numeric=True)),
        Column("for"),
    )
    answered = [one for one in document.planning if one.reason is None]
    rows = tuple(map(_row, answered))
    return Table("What the next study needs", columns, rows, tuple(_notes(document.planning)))


def _row(one: Planned) -> tuple[Cell, ...]:
    noun = NOUNS[one.over]
    most = max((point.size for point in one.points), default=0)
    enough = f"> {count(most, noun)}" if one.enough is None else count(one.enough, noun)
    return (
        Cell(one.question),
        Cell(NOTHING if one.at_hand is None else count(one.at_hand, noun)),
        Cell(enough, strong=one.enough is not None),
        Cell(f"{one.goal} {one.target:g}"),
    )


def _notes(plans: Sequence[Planned]) -> Iterator[str]:
    answered = [one for one in plans if one.reason is None]
    if any(one.goal == "power" for one in answered):
        yield (
            "power: how often a study of that size would detect the observed difference, resampling the present data; "
            "the true difference is uncertain itself, so read 340 as hundreds"
        )
    if any(one.goal == "width" for one in answered):
        yield "width: of the 95% interval over studies of that size"
    if any(one.over == "raters" for one in answered):
        yield "ratings are of each answer"
    yield from dict.fromkeys(note.text for one in answered for note in one.notes)
    said: dict[str, list[str]] = {}
    for one in plans:
        if one.reason is not None:
            said.setdefault(one.reason, []).append(f"{one.question} ({one.over})")
    for reason, questions in said.items():
        yield f"{listing(questions, most=2)}: {reason}"
