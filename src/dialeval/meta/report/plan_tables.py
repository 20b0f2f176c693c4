"""The table of how many items, raters and systems the next study needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import NOTHING, count, listing
from dialeval.meta.document import Document, Planned, PowerCurve
from dialeval.meta.document.planned import range_of

NOUNS = {"items": "item", "dialogues": "dialogue", "raters": "rating", "systems": "system"}


def planning(document: Document) -> Table:
    """Each question, what there is, and what would be enough."""
    columns = (
        *(Column("question"), Column("available", numeric=True), Column("enough", numeric=True)),
        Column("for"),
    )
    answered = [plan for plan in document.planning if plan.reason is None]
    rows = tuple(map(_row, answered))
    return Table("What the next study needs", columns, rows, tuple(_notes(document.planning)))


def _row(plan: Planned) -> tuple[Cell, ...]:
    noun = NOUNS[plan.over]
    most = max((point.size for point in plan.points), default=0)
    enough = f"> {count(most, noun)}" if plan.enough is None else count(plan.enough, noun)
    return (
        Cell(plan.question),
        Cell(NOTHING if plan.at_hand is None else count(plan.at_hand, noun)),
        Cell(enough, _range(plan), strong=plan.enough is not None),
        Cell(f"{plan.goal} {plan.target:g}"),
    )


def _range(plan: Planned) -> str:
    return range_of(plan.needed) if isinstance(plan, PowerCurve) and plan.needed else ""


def _notes(plans: Sequence[Planned]) -> Iterator[str]:
    answered = [plan for plan in plans if plan.reason is None]
    if any(plan.goal == "power" for plan in answered):
        yield (
            "power: how often a study of that size would detect the observed difference, resampling the present data"
        )
    if any(isinstance(plan, PowerCurve) and plan.needed for plan in answered):
        yield (
            "ranges: what eight of ten resamples of the present data call for; perhaps never, where more than one in "
            "ten shows no difference in this direction. Collect all of it before you look, or correct for looking twice"
        )
    if any(plan.goal == "width" for plan in answered):
        yield "width: of the 95% interval over studies of that size"
    if any(plan.over == "raters" for plan in answered):
        yield "ratings are of each answer"
    yield from dict.fromkeys(note.text for plan in answered for note in plan.notes)
    said: dict[str, list[str]] = {}
    for plan in plans:
        if plan.reason is not None:
            said.setdefault(plan.reason, []).append(f"{plan.question} ({plan.over})")
    for reason, questions in said.items():
        yield f"{listing(questions, most=2)}: {reason}"
