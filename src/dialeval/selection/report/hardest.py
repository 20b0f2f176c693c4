"""The questions that the fewest systems get right, with who chose what."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import NOTHING
from dialeval.errors import BadInput

SHOWN: Final = 24
_COLUMNS: Final = (Column("chosen by"), Column("candidate"))


class TurnView(NamedTuple):
    """Who said what."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question as a page shows it."""

    id: str
    context: tuple[TurnView, ...]
    right: int
    asked: int
    """How many systems chose, and how many of them rightly."""
    candidates: Table


@dataclass(frozen=True, slots=True)
class Hardest:
    """The questions that are shown, of those that some system gets wrong."""

    shown: tuple[QuestionView, ...]
    wrong: int


def hardest(path: Path, *, most: int = SHOWN) -> Hardest:
    """The questions in a file of choices with the smallest share of systems right, at most ``most``.

    Ties keep their order. The file is read twice, so that only the counts of all and the texts of those shown are held.
    """
    counts: dict[str, list[int]] = {}
    for row in _choices(path):
        own = counts.setdefault(row["id"], [0, 0])
        own[0] += row["correct"]
        own[1] += 1
    wrong = [item for item, (right, asked) in counts.items() if right < asked]
    kept = sorted(wrong, key=lambda item: counts[item][0] / counts[item][1])[:most]
    rows: dict[str, list[dict[str, Any]]] = {item: [] for item in kept}
    for row in _choices(path):
        if row["id"] in rows:
            rows[row["id"]].append(row)
    return Hardest(tuple(_view(item, own) for item, own in rows.items()), len(wrong))


def _choices(path: Path) -> Iterator[dict[str, Any]]:
    """Every choice that was made; none of a folder without the file."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
            except ValueError:
                raise BadInput(str(path), "broken JSON", "a choice", "Ask again.", line=number) from None
            if "chosen" in row:
                yield row


def _view(item: str, rows: list[dict[str, Any]]) -> QuestionView:
    context = tuple(TurnView(turn["role"], turn["content"]) for turn in rows[0]["context"])
    chosen = [(row["system"], row["chosen"]) for row in rows]
    cells = tuple(
        (
            Cell(", ".join(system for system, choice in chosen if choice == at) or NOTHING),
            Cell(one["text"], one.get("error") or "", "✓" if one["correct"] else "", strong=one["correct"]),
        )
        for at, one in enumerate(rows[0]["candidates"])
    )
    right = sum(row["correct"] for row in rows)
    return QuestionView(item, context, right, len(rows), Table(item, _COLUMNS, cells))
