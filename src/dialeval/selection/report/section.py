"""The section of a study's page about choices among candidates: ties, errors, hard questions, random candidates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from dialeval.display.boxes import Box, boxes
from dialeval.display.notes import texts
from dialeval.display.pages import Picture, Section, template
from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import COEFFICIENTS, NOTHING, count, interval, listing, number, p_value, percent
from dialeval.selection.document import (
    UNLABELLED,
    ErrorLabel,
    Five,
    HardQuestion,
    Quoted,
    SelectionInfo,
    Trials,
    is_guess,
)


class Examples(NamedTuple):
    """Wrong choices quoted under what is wrong with them."""

    label: str
    quoted: tuple[Quoted, ...]


class ErrorView(NamedTuple):
    """One system's errors as a page shows them."""

    table: Table
    examples: tuple[Examples, ...]


class QuestionView(NamedTuple):
    """A hard question as a page shows it."""

    question: HardQuestion
    candidates: Table


class MeasureView(NamedTuple):
    """One measure over choices as a page shows it."""

    info: SelectionInfo
    errors: list[ErrorView]
    hardest: list[QuestionView]
    trials: Table | None
    plots: list[Picture]


def choices_section(measures: Sequence[SelectionInfo]) -> Section:
    """Return the section about measures over choices, as a part of a study's page."""
    shown = [_view(info) for info in measures if info.systems or info.trials]
    html = template("dialeval.selection.report", "choices.html").render(selection=shown)
    return Section("selection", "Choices", "Choices among candidates", html)


def _view(info: SelectionInfo) -> MeasureView:
    return MeasureView(
        info,
        [_error_view(system.system, system.errors) for system in info.systems if system.errors],
        [QuestionView(question, _candidates(question)) for question in info.hardest],
        trials_table(info.trials) if info.trials else None,
        trial_plots(info.trials) if info.trials else [],
    )


def section_notes(info: SelectionInfo) -> Iterator[str]:
    """Yield what a measure over choices asked about, whether people have vetted it, and what is odd about it."""
    if info.systems:
        asked = f"{info.measure}: {count(info.questions, 'question')}, chance {number(info.chance)}"
        yield f"{asked}; {info.status}"
    for warning in texts(info.warnings):
        yield f"{info.measure}: {warning}"
    if info.trials is not None:
        yield from (f"{info.measure}: {note}" for note in _trials_notes(info.trials))


def _error_view(system: str, labels: Sequence[ErrorLabel]) -> ErrorView:
    quoted = tuple(Examples(each.label or UNLABELLED, each.examples) for each in labels if each.examples)
    return ErrorView(errors_table(system, labels), quoted)


def errors_table(system: str, labels: Sequence[ErrorLabel]) -> Table:
    """Return one system's wrong choices by what is wrong with them."""
    total = sum(label.chosen for label in labels)
    columns = (
        *(Column("what is wrong"), Column("chosen", numeric=True), Column("share", numeric=True)),
        *(Column("candidates", numeric=True), Column("chance alone", numeric=True)),
    )
    rows = tuple(
        (
            Cell(error.label or UNLABELLED),
            Cell(f"{error.chosen:,}"),
            Cell(percent(error.chosen / total if total else None)),
            Cell(f"{error.candidates:,}"),
            Cell(number(error.chance)),
        )
        for error in labels
    )
    guesses = [error.label for error in labels if error.label and is_guess(error.label)]
    notes = ["chance alone: of guessing, if these are the only false candidates"]
    notes += [f"{listing(guesses)}: guessed by a program, not by raters"] if guesses else []
    return Table(f"{system}: {count(total, 'wrong choice')}", columns, rows, tuple(notes))


def _candidates(question: HardQuestion) -> Table:
    rows = tuple(
        (
            Cell(", ".join(offer.chosen_by) or NOTHING),
            Cell(offer.text, offer.error or "", "✓" if offer.correct else "", strong=offer.correct),
        )
        for offer in question.candidates
    )
    return Table(question.id, (Column("chosen by"), Column("candidate")), rows)


def trials_table(trials: Trials) -> Table:
    """Return accuracies with chosen and with random false candidates."""
    columns = (
        *(Column("system"), Column("CHOSEN", numeric=True)),
        *(Column("RANDOM, mean", numeric=True), Column("range over trials", numeric=True)),
    )
    rows = tuple(
        (
            Cell(row.system),
            Cell(number(row.chosen)),
            Cell(number(row.mean)),
            Cell(interval(row.five[0], row.five[-1])),
        )
        for row in trials.systems
    )
    return Table("Random and chosen false candidates", columns, rows, tuple(_trials_notes(trials)))


def _trials_notes(trials: Trials) -> Iterable[str]:
    left = f"; {count(trials.left_out, 'question')} left out" if trials.left_out else ""
    yield (
        f"{count(trials.trials, 'trial')} over {count(trials.questions, 'question')}{left}; each trial draws its "
        f"false candidates from {trials.pool} per question, taken at random from {trials.source}"
    )
    yield from _range_notes(trials)
    yield from _people_notes(trials)


def _range_notes(trials: Trials) -> Iterable[str]:
    """Say how ranges make up for the shared pool, and what they leave out."""
    known = [row.widening for row in trials.systems if row.widening is not None]
    if len(known) < len(trials.systems):
        yield (
            "ranges are too narrow: trials draw from pools of fewer than twice a question's false candidates; "
            "give a larger pool"
        )
    elif known and max(known) >= 1.005:
        wider = percent(max(known) - 1)
        yield f"ranges of accuracies are widened by up to {wider} because all trials draw from the same pools"
    yield "ranges show the draw of false candidates only; other questions or utterances would change accuracies further"


def _people_notes(trials: Trials) -> Iterable[str]:
    people = trials.human
    if people is None:
        if trials.human_reason:
            yield f"people's ranking was not used: {trials.human_reason}"
        return
    spread = "undefined" if people.five is None else interval(people.five[0], people.five[-1], 2)
    shown = p_value(people.p)
    tested = "" if people.p is None else f" (p {shown if shown[0] == '<' else f'= {shown}'}, one test)"
    yield (
        f"{COEFFICIENTS[people.coefficient]} with people's {people.criterion} over "
        f"{count(people.systems, 'system')}: CHOSEN {number(people.chosen, 2)}{tested}, "
        f"RANDOM {number(people.mean, 2)} on average, range {spread} as drawn"
    )
    if people.systems < 3:
        yield "the correlation of two systems can only be 1 or -1"
    if people.not_judged:
        yield f"left out because people did not judge them: {listing(people.not_judged)}"
    if people.undefined:
        yield f"{count(people.undefined, 'trial')} without a correlation: all systems tie"


def trial_plots(trials: Trials) -> list[Picture]:
    """Return plots of the accuracies of each system, and of the rankings' correlation with people's if there is one."""
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
