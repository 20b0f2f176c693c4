"""The Random model (Sharma et al., 2017, section 4.1): a training sentence of the same acts and slots."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate
from pathlib import Path
from random import Random as Dice
from typing import TypeAlias

from dialeval.errors import BadInput
from dialeval.nlg.acts.types import Meaning
from dialeval.nlg.generating.features import kind_of
from dialeval.nlg.generating.lessons import Lesson
from dialeval.nlg.generating.words import join_words

Sentences: TypeAlias = Mapping[str, Mapping[str, int]]
"""Delexicalised sentences by kind of act, each with how often it was met."""


def sentences_by_kind(lessons: Iterable[Lesson]) -> dict[str, dict[str, int]]:
    """The sentences of each kind of act; values are ignored, special ones too, as the paper does."""
    counts: dict[str, Counter[str]] = {}
    for lesson in lessons:
        counts.setdefault(kind_of(lesson.meaning), Counter())[join_words(lesson.words)] += 1
    return {kind: dict(counts[kind]) for kind in sorted(counts)}


def load_sentences(path: Path) -> Sentences:
    """The sentences in a file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))["sentences"]
        return {str(kind): {str(text): int(n) for text, n in some.items()} for kind, some in content.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        found = f"{type(error).__name__}: {error}"
        raise BadInput(str(path), found, "sentences by kind of act", "Train the model again.") from error


def draw(sentences: Sentences, meaning: Meaning, n: int, dice: Dice) -> list[str]:
    """At most ``n`` different sentences of the meaning's kind, each as likely to be next as it is frequent.

    Where no training act is of that kind, those of the kind that shares most slots with it and has fewest others.
    """
    counts = sentences.get(kind_of(meaning)) or sentences[_closest(sentences, meaning)]
    left = dict(counts)
    drawn: list[str] = []
    while left and len(drawn) < n:
        text = _weighted(left, dice.random())
        drawn.append(text)
        del left[text]
    return drawn


def _weighted(counts: Mapping[str, int], number: float) -> str:
    """The text in whose share a number from 0 up to 1 falls."""
    texts = list(counts)
    edges = list(accumulate(counts.values()))
    return texts[min(bisect_right(edges, number * edges[-1]), len(texts) - 1)]


def _closest(sentences: Sentences, meaning: Meaning) -> str:
    wanted = _names(kind_of(meaning))

    def distance(kind: str) -> tuple[int, str]:
        return sum(((wanted - _names(kind)) + (_names(kind) - wanted)).values()), kind

    return min(sentences, key=distance)


def _names(kind: str) -> Counter[str]:
    """The acts and slots of a kind."""
    return Counter(re.findall(r"[^(), ]+", kind))
