"""Training data of a generator: acts, and the delexicalised sentences that people wrote for them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from dialeval.errors import Unsuitable
from dialeval.nlg.acts.files import ActItem
from dialeval.nlg.acts.notations import print_json
from dialeval.nlg.acts.placeholders import delexicalise, split_words
from dialeval.nlg.acts.types import Act, Meaning, Slot

HELD_OUT: Final = 0.1
"""Share of the acts that are held out if the data have no validation split."""


class Lesson(NamedTuple):
    """An act, and a sentence for it with placeholders for values."""

    meaning: Meaning
    words: tuple[str, ...]


class Split(NamedTuple):
    """Lessons to learn from, lessons that only measure it, and how many sentences hold not all of their values."""

    train: list[Lesson]
    held_out: list[Lesson]
    incomplete: int = 0
    """Training sentences without one of their act's values as the act writes it; they are learnt from all the same."""


def split_lessons(
    splits: Mapping[str, Sequence[ActItem]], *, lowercase: bool = False, seed: int = 0
) -> Split:
    """The lessons of a corpus: of ``train`` and ``valid`` if it has these, else a tenth of the acts is held out.

    A file that names no splits is all training data; a test split is never learnt from.
    """
    train, incomplete = _lessons(splits.get("train", ()), lowercase)
    if not train:
        raise Unsuitable(
            f"Found no act with a sentence to learn from (splits: {', '.join(splits) or 'none'}). Give a folder with a "
            "train split, or a file of acts with references."
        )
    if splits.get("valid"):
        return Split(train, _lessons(splits["valid"], lowercase)[0], incomplete)
    out = {lesson.meaning for lesson in train if _draw(seed, lesson.meaning) < HELD_OUT}
    return Split(
        [lesson for lesson in train if lesson.meaning not in out],
        [lesson for lesson in train if lesson.meaning in out],
        incomplete,
    )


def _lessons(items: Iterable[ActItem], lowercase: bool) -> tuple[list[Lesson], int]:
    lessons: list[Lesson] = []
    incomplete = 0
    for item in items:
        meaning = lowered(item.meaning) if lowercase else item.meaning
        for reference in item.references:
            sentence = reference.lower() if lowercase else reference
            delexicalised = delexicalise(meaning, sentence, orders=True)
            incomplete += bool(delexicalised.absent)
            if words := split_words(delexicalised.text):
                lessons.append(Lesson(meaning, words))
    return lessons, incomplete


def lowered(meaning: Meaning) -> Meaning:
    """The meaning with all values in lower case."""
    return tuple(
        Act(act.act, tuple(Slot(slot.name, slot.value and slot.value.lower()) for slot in act.slots))
        for act in meaning
    )


def digest(lessons: Iterable[Lesson]) -> str:
    """The sha256 of the lessons in order."""
    made = hashlib.sha256()
    for lesson in lessons:
        made.update(json.dumps([print_json(lesson.meaning), lesson.words]).encode() + b"\n")
    return made.hexdigest()


def _draw(seed: int, meaning: Meaning) -> float:
    """A number from 0 up to 1 that follows from the seed and the act alone."""
    content = json.dumps([seed, print_json(meaning)]).encode()
    return int.from_bytes(hashlib.sha256(content).digest()[:8], "big") / 2**64
