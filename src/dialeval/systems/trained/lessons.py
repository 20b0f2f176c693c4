"""Training data of a generator: responses to give in a context, responses not to give, and batches of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import cycle
from typing import Final, NamedTuple

from dialeval.data.types import Context, Dialogue, Example, Prompt, Question
from dialeval.errors import Unsuitable
from dialeval.training.task import shuffled_batches

_POOL: Final = 4096
"""Bundles that are sorted by length together: enough to pad little, few enough to stay random."""
_TOGETHER: Final = 8
"""Lessons of one context that stay together at most."""


class Lesson(NamedTuple):
    """A context, a response to give there and, if there is one, a response not to give."""

    context: Context
    gold: str
    negative: str | None = None


class Split(NamedTuple):
    """Lessons to learn from, and lessons that only measure it."""

    train: list[Lesson]
    held_out: list[Lesson]


def lessons(records: Iterable[Dialogue | Prompt | Example]) -> list[Lesson]:
    """Every turn that answers another, each lesson once, in the order in which they are first met.

    A dialogue has one for every turn but the first, a prompt or an example one for every reference; an example without
    references has its response. System prompts are not turns.
    """
    unique: dict[Lesson, None] = {}
    for record in records:
        for context, text in _answers(record):
            said = tuple(turn for turn in context if turn.text.strip() and turn.speaker != "system")
            if text.strip() and (said or not isinstance(record, Dialogue)):
                unique[Lesson(said, text)] = None
    if not unique:
        raise Unsuitable(
            "The corpus has no turn that answers another, so there is nothing to learn from. Give dialogues of two "
            "turns or more, or prompts with references."
        )
    return list(unique)


def contrasts(questions: Iterable[Question]) -> list[Lesson]:
    """Every false candidate as a response not to give, beside a correct one; the correct ones take turns."""
    unique: dict[Lesson, None] = {}
    for question in questions:
        golds = cycle([candidate.text for candidate in question.candidates if candidate.correct])
        for candidate in question.candidates:
            if not candidate.correct:
                unique[Lesson(question.context, next(golds), candidate.text)] = None
    if not unique:
        raise Unsuitable(
            "The questions have no false candidate, so there is nothing to make less likely. Give questions with "
            "correct and false candidates."
        )
    return list(unique)


def split(data: Sequence[Lesson], share: float, seed: int) -> Split:
    """A share of the dialogues held out, at least one of them unless the share is 0.

    Lessons whose contexts begin with the same turn go together, so that no held-out response is another learnt turn of
    its own dialogue. Which dialogues these are follows from the seed and their first turns alone.
    """
    if share <= 0:
        return Split(list(data), [])
    opening = _draw(seed)
    groups = sorted({_opening(lesson) for lesson in data}, key=opening)
    count = max(1, round(share * len(groups)))
    if count >= len(groups):
        raise Unsuitable(
            f"Found too few dialogues ({len(groups)}) to learn from some and hold out {share:.0%}. Give more "
            "dialogues, a file of held-out ones, or hold out 0."
        )
    out = set(groups[:count])
    return Split(
        [lesson for lesson in data if _opening(lesson) not in out],
        [lesson for lesson in data if _opening(lesson) in out],
    )


def digest(data: Iterable[Lesson]) -> str:
    """The sha256 of the lessons in order."""
    made = hashlib.sha256()
    for lesson in data:
        turns = [(turn.speaker, turn.text) for turn in lesson.context]
        made.update(json.dumps([turns, lesson.gold, lesson.negative]).encode() + b"\n")
    return made.hexdigest()


def _answers(record: Dialogue | Prompt | Example) -> list[tuple[Context, str]]:
    if isinstance(record, Dialogue):
        return [
            (record.turns[:index], turn.text)
            for index, turn in enumerate(record.turns)
            if turn.speaker != "system"
        ]
    texts = record.references
    if isinstance(record, Example) and not texts:
        texts = (record.response.text,)
    return [(record.context, text) for text in texts]


def _opening(lesson: Lesson) -> str:
    return lesson.context[0].text if lesson.context else ""


def _draw(seed: int) -> Callable[[str], str]:
    def number(text: str) -> str:
        return hashlib.sha256(json.dumps([seed, text]).encode()).hexdigest()

    return number


class Width(NamedTuple):
    """Width that a lesson gives a batch, in tokens."""

    context: int
    """0 if the context is read again with every response."""
    response: int


class Bundle(NamedTuple):
    """Lessons by position that share a context, and how wide they make a batch."""

    lessons: list[int]
    width: Width


def bundles(contexts: Sequence[Hashable], widths: Sequence[Width]) -> list[Bundle]:
    """The lessons bundled by context, so that it is encoded once."""
    of_context: dict[Hashable, list[int]] = {}
    for lesson, context in enumerate(contexts):
        of_context.setdefault(context, []).append(lesson)
    chunks = [
        same[first : first + _TOGETHER]
        for same in of_context.values()
        for first in range(0, len(same), _TOGETHER)
    ]
    return [
        Bundle(chunk, Width(widths[chunk[0]].context, max(widths[lesson].response for lesson in chunk)))
        for chunk in chunks
    ]


def training_batches(bundled: Sequence[Bundle], budget: int, seed: int, epoch: int) -> list[list[int]]:
    """An epoch's batches as positions: a function of seed and epoch, so that a resumed run meets the same."""
    return shuffled_batches(
        len(bundled),
        _POOL,
        lambda numbers: cut_batches([bundled[number] for number in numbers], budget),
        seed=seed,
        epoch=epoch,
    )


def cut_batches(bundled: Sequence[Bundle], budget: int) -> list[list[int]]:
    """Batches as positions, in order of length; a bundle that is alone may exceed the budget.

    A batch has the tokens of its contexts or of its responses, whichever are more, padding counted: if no context is
    shared, the rows times the longest text, as fairseq counts.
    """
    batches: list[list[Bundle]] = []
    for bundle in sorted(bundled, key=lambda bundle: bundle.width):
        if batches and _tokens([*batches[-1], bundle]) <= budget:
            batches[-1].append(bundle)
        else:
            batches.append([bundle])
    return [[lesson for bundle in batch for lesson in bundle.lessons] for batch in batches]


def _tokens(batch: Sequence[Bundle]) -> int:
    contexts = len(batch) * max(bundle.width.context for bundle in batch)
    rows = sum(len(bundle.lessons) for bundle in batch)
    return max(contexts, rows * max(bundle.width.response for bundle in batch))
