"""The self-contained HTML page of ``dialeval select ask``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from dialeval.display.boxes import Box, boxes
from dialeval.display.pages import Picture, asset, policy, template
from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import COEFFICIENTS, NOTHING, count, interval, number
from dialeval.selection.document import (
    AskedDocument,
    Choice,
    ChoiceRow,
    ErrorLabel,
    Five,
    Question,
    Quoted,
    Trials,
)
from dialeval.selection.report import tables

SHOWN: Final = 24
_COLUMNS: Final = (Column("chosen by"), Column("candidate"))


@dataclass(frozen=True, slots=True)
class Examples:
    """Wrong choices quoted under what is wrong with them."""

    label: str
    quoted: tuple[Quoted, ...]


@dataclass(frozen=True, slots=True)
class ErrorView:
    """One system's errors as a page shows them."""

    table: Table
    examples: tuple[Examples, ...]


def error_views(breakdowns: Iterable[tuple[str, tuple[ErrorLabel, ...]]]) -> list[ErrorView]:
    """What a page shows of each system's errors; nothing of a system without labels."""
    return [
        ErrorView(
            tables.errors(system, labels),
            tuple(
                Examples(label.label or tables.UNLABELLED, label.examples)
                for label in labels
                if label.examples
            ),
        )
        for system, labels in breakdowns
        if labels
    ]


def page_of(document: AskedDocument, choices: Iterable[ChoiceRow]) -> str:
    """The page of what was asked and chosen."""
    from markupsafe import Markup

    style = asset("page.css")
    return template("dialeval.selection.report", "selection.html").render(
        document=document,
        ranking=tables.ranking(document),
        pairs=tables.pairs(document),
        failures=tables.failures(document),
        trials=tables.trials(document.trials) if document.trials else None,
        plots=trial_plots(document.trials) if document.trials else [],
        hardest=hardest(choices),
        errors=error_views((row.system, row.errors) for row in document.results),
        style=Markup(style),
        policy=policy(style=style),
    )


def trial_plots(trials: Trials) -> list[Picture]:
    """Accuracies of each system, and the rankings' correlation with people's where there is one."""
    return [*_rankings(trials), _accuracies(trials)]


def _accuracies(trials: Trials) -> Picture:
    shown = [Box(row.system, row.five, row.chosen) for row in trials.systems]
    words = [f"{row.system}: random {_five(row.five)}, chosen {number(row.chosen)}" for row in trials.systems]
    caption = f"{count(trials.trials, 'trial')} with random false candidates; the dot is the chosen ones."
    alt = f"Box plots of accuracy over trials. {'; '.join(words)}."
    return Picture("Accuracy, RANDOM and CHOSEN", caption, boxes(shown, across="accuracy"), alt)


def _rankings(trials: Trials) -> list[Picture]:
    people = trials.human
    if people is None:
        return []
    shown = [Box("RANDOM", people.five, people.chosen)]
    name = COEFFICIENTS[people.coefficient]
    caption = (
        f"{name} of {count(people.systems, 'system')} with people's {people.criterion}, one value a trial; the dot is "
        "the ranking by chosen candidates."
    )
    spread = "undefined" if people.five is None else _five(people.five)
    alt = (
        f"Box plot of correlations with people's ranking: random {spread}, chosen {number(people.chosen, 2)}."
    )
    across = f"{name} with people"
    return [Picture("Rankings and people", caption, boxes(shown, across=across), alt)]


def _five(five: Five) -> str:
    least, first, median, third, greatest = five
    return f"median {number(median)}, quartiles {interval(first, third)}, range {interval(least, greatest)}"


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
