"""A system's errors by what is wrong with the candidates that it chose, with examples to quote."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from dialeval.core import Interval
from dialeval.data.types import Candidate, Context, Question
from dialeval.errors import Unsuitable
from dialeval.selection.mistakes import is_guess

UNLABELLED: Final = "unlabelled"
"""What candidates are counted under that nobody has labelled."""


class Chosen(NamedTuple):
    """Which candidate a system chose."""

    item: str
    text: str
    correct: bool


class Fooled(NamedTuple):
    """A false candidate that a system took for the right one."""

    item: str
    context: Context
    truth: str
    chosen: str


@dataclass(frozen=True, slots=True)
class LabelErrors:
    """How often a system fell for candidates with one label."""

    label: str
    guessed: bool
    """Whether the label is a program's guess."""
    offered: int
    """Questions with such a candidate among those the system answered."""
    chosen: int
    """Questions in which it chose one."""
    share: float
    """Of all its errors; NaN where it made none."""
    rate: float
    """Chosen over offered."""
    interval: Interval
    """Of the rate (Wilson, 1927)."""
    examples: tuple[Fooled, ...]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """A system's errors by label, most frequent first."""

    answered: int
    errors: int
    labels: tuple[LabelErrors, ...]


def break_down(questions: Iterable[Question], choices: Iterable[Chosen], *, examples: int = 3) -> Breakdown:
    """One system's errors by the labels of the candidates it chose, with at most so many ``examples`` of each."""
    by_item = {question.item: question for question in questions}
    offered: dict[str, int] = {}
    fooled: dict[str, list[Fooled]] = {}
    answered = errors = 0
    for choice in choices:
        question = _question(by_item, choice)
        answered += 1
        for label in {_label(one) for one in question.candidates if not one.correct}:
            offered[label] = offered.get(label, 0) + 1
        if not choice.correct:
            errors += 1
            fooled.setdefault(_label(_picked(question, choice)), []).append(_fooled(question, choice))
    labels = [
        _errors(label, count, fooled.get(label, []), errors, examples) for label, count in offered.items()
    ]
    return Breakdown(answered, errors, tuple(sorted(labels, key=lambda one: (-one.chosen, one.label))))


def wilson(part: int, whole: int, *, level: float = 0.95) -> Interval:
    """The interval of a proportion by Wilson (1927), which stays sensible near 0 and 1."""
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))
    p, scale = part / whole, 1 + z * z / whole
    middle = (p + z * z / (2 * whole)) / scale
    half = z / scale * math.sqrt(p * (1 - p) / whole + z * z / (4 * whole * whole))
    return Interval(max(0.0, middle - half), min(1.0, middle + half), level)


def _errors(label: str, offered: int, fooled: list[Fooled], errors: int, examples: int) -> LabelErrors:
    chosen = len(fooled)
    return LabelErrors(
        label=label,
        guessed=is_guess(label),
        offered=offered,
        chosen=chosen,
        share=chosen / errors if errors else math.nan,
        rate=chosen / offered,
        interval=wilson(chosen, offered),
        examples=tuple(fooled[:examples]),
    )


def _label(candidate: Candidate) -> str:
    return candidate.error or UNLABELLED


def _question(by_item: Mapping[str, Question], choice: Chosen) -> Question:
    if choice.item not in by_item:
        raise Unsuitable(
            f"The system chose in {choice.item!r}, which is none of the {len(by_item):,} questions. Give the questions "
            "that it was asked."
        )
    return by_item[choice.item]


def _picked(question: Question, choice: Chosen) -> Candidate:
    for candidate in question.candidates:
        if candidate.text == choice.text and not candidate.correct:
            return candidate
    raise Unsuitable(
        f"The system chose {choice.text!r} in {question.item!r}, which is none of its false candidates. Give the "
        "questions that it was asked."
    )


def _fooled(question: Question, choice: Chosen) -> Fooled:
    truth = next((one.text for one in question.candidates if one.correct), "")
    return Fooled(question.item, question.context, truth, choice.text)
