"""The questions that the fewest systems get right, with who chose what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import NOTHING
from dialeval.selection.document import Choice, ChoiceRow, Question

SHOWN: Final = 24
_COLUMNS: Final = (Column("chosen by"), Column("candidate"))


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question as a page shows it."""

    choices: tuple[Choice, ...]
    """Of all systems that chose."""
    candidates: Table

    @property
    def question(self) -> Question:
        """What was asked."""
        return self.choices[0].question

    @property
    def right(self) -> int:
        """How many of the choices are right."""
        return sum(choice.right for choice in self.choices)


@dataclass(frozen=True, slots=True)
class Hardest:
    """The questions that are shown, of those that some system gets wrong."""

    shown: tuple[QuestionView, ...]
    wrong: int


def hardest(rows: Iterable[ChoiceRow], *, most: int = SHOWN) -> Hardest:
    """The questions with the smallest share of systems right, at most ``most``; ties keep their order."""
    choices: dict[str, list[Choice]] = {}
    for row in rows:
        if isinstance(row.outcome, Choice):
            choices.setdefault(row.item, []).append(row.outcome)
    shares = {item: sum(choice.right for choice in made) / len(made) for item, made in choices.items()}
    wrong = [item for item, share in shares.items() if share < 1]
    shown = sorted(wrong, key=shares.__getitem__)[:most]
    return Hardest(tuple(_view(choices[item]) for item in shown), len(wrong))


def _view(choices: Sequence[Choice]) -> QuestionView:
    question = choices[0].question
    cells = tuple(
        (
            Cell(", ".join(choice.system for choice in choices if choice.chosen == place) or NOTHING),
            Cell(
                candidate.text,
                candidate.error or "",
                "✓" if candidate.correct else "",
                strong=candidate.correct,
            ),
        )
        for place, candidate in enumerate(question.candidates)
    )
    return QuestionView(tuple(choices), Table(question.item, _COLUMNS, cells))
