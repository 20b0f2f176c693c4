"""Vocabulary of a generator: parts of acts as networks read them, words of sentences, words of values."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from dialeval.errors import BadInput
from dialeval.nlg.acts.types import Meaning, Slot


class Part(NamedTuple):
    """One part of a meaning."""

    feature: str
    """The act fused with the slot, such as ``inform-food``."""
    value: tuple[str, ...]
    """The words of the value, in lower case; none if there is no value."""


def parts_of(meaning: Meaning) -> list[Part]:
    """Every part of a meaning, in order; their features are the non-zero entries of its act vector.

    A slot that is said twice has two features (``inform-name``, ``inform-name#2``), and so has each special value
    (``inform-kidsallowed=yes``), since such values never stand in a sentence as they are (as in Wen et al., 2015b). An
    act without slots is one part.
    """
    return list(_parts(meaning))


def _parts(meaning: Meaning) -> Iterator[Part]:
    times: Counter[str] = Counter()
    for act in meaning:
        if not act.slots:
            yield Part(act.act, ())
        for slot in act.slots:
            name = f"{act.act}-{slot.name}{_ending(slot)}"
            times[name] += 1
            again = f"#{times[name]}" if times[name] > 1 else ""
            yield Part(name + again, tuple((slot.value or "").lower().split()))


def _ending(slot: Slot) -> str:
    if slot.value is None:
        return "?"
    return f"={slot.special}" if slot.special else ""


def special_slot(feature: str) -> Slot | None:
    """The slot with its special value in a feature such as ``inform-kidsallowed=yes``; None in other features."""
    name, equals, value = feature.partition("-")[2].rpartition("=")
    slot = Slot(name, value.partition("#")[0])
    return slot if equals and slot.special else None


def kind_of(meaning: Meaning) -> str:
    """Kind that meanings share if they differ in values alone: acts and slots, whatever their order.

    The Random model of the paper ignores all values, special ones too.
    """
    return " ".join(
        sorted(f"{act.act}({','.join(sorted(slot.name for slot in act.slots))})" for act in meaning)
    )


PAD: Final = 0
START: Final = 1
END: Final = 2
UNKNOWN: Final = 3
SPECIAL: Final = ("<pad>", "<bos>", "<eos>", "<unk>")


class NumberedPart(NamedTuple):
    """A part of an act by number."""

    feature: int
    value: tuple[int, ...]


class NumberedAct(NamedTuple):
    """A meaning as a network reads it."""

    parts: tuple[NumberedPart, ...]
    strange: tuple[str, ...] = ()
    """Features that were never met in training: read as another one of the same slot if there is one, else left
    out."""


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Features and words by number; the first numbers of words are ``SPECIAL``."""

    features: tuple[str, ...]
    """Most frequent first."""
    words: tuple[str, ...]
    values: tuple[str, ...]

    @cached_property
    def _feature(self) -> Mapping[str, int]:
        return {feature: number for number, feature in enumerate(self.features)}

    @cached_property
    def _word(self) -> Mapping[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def _value(self) -> Mapping[str, int]:
        return {word: number for number, word in enumerate(self.values)}

    @cached_property
    def _similar(self) -> Mapping[str, int]:
        """The most frequent feature of each slot, whatever its act."""
        similar: dict[str, int] = {}
        for number, feature in enumerate(self.features):
            similar.setdefault(_slot(feature), number)
        return similar

    def act(self, meaning: Meaning) -> NumberedAct:
        """The meaning by numbers; each feature at most once."""
        known: dict[int, tuple[int, ...]] = {}
        strange: list[str] = []
        for part in parts_of(meaning):
            number = self._feature.get(part.feature)
            if number is None:
                strange.append(part.feature)
                number = self._similar.get(_slot(part.feature))
            if number is not None:
                known.setdefault(number, tuple(self._value.get(word, UNKNOWN) for word in part.value))
        return NumberedAct(tuple(NumberedPart(*part) for part in known.items()), tuple(strange))

    def sentence(self, words: Sequence[str]) -> tuple[int, ...]:
        """The words by number, and the end."""
        return (*(self._word.get(word, UNKNOWN) for word in words), END)

    def text(self, tokens: Iterable[int]) -> str:
        """The words of numbers, with spaces between them."""
        return " ".join(self.words[token] for token in tokens)

    def as_json(self) -> dict[str, Any]:
        """The vocabulary as its file has it."""
        return {"features": self.features, "words": self.words, "values": self.values}


def _slot(feature: str) -> str:
    """A feature without its act: ``food``, ``kidsallowed=yes``; an act without slots is its own."""
    act, dash, slot = feature.partition("-")
    return slot if dash else act


def learn_vocabulary(meanings: Sequence[Meaning], sentences: Iterable[Sequence[str]]) -> Vocabulary:
    """All features and words of the training data, most frequent first, those equally frequent by name."""
    parts = [part for meaning in meanings for part in parts_of(meaning)]
    return Vocabulary(
        tuple(_by_frequency(part.feature for part in parts)),
        (*SPECIAL, *_by_frequency(word for sentence in sentences for word in sentence)),
        (*SPECIAL, *_by_frequency(word for part in parts for word in part.value)),
    )


def _by_frequency(names: Iterable[str]) -> list[str]:
    counts = Counter(names)
    return sorted(counts, key=lambda name: (-counts[name], name))


def load_vocabulary(path: Path) -> Vocabulary:
    """The vocabulary in a file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        parts = {key: tuple(map(str, content[key])) for key in ("features", "words", "values")}
        if any(parts[key][: len(SPECIAL)] != SPECIAL for key in ("words", "values")):
            raise ValueError(f"words that do not begin with {', '.join(SPECIAL)}")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        found = f"{type(error).__name__}: {error}"
        raise BadInput(str(path), found, "the words of a generator", "Train the model again.") from error
    return Vocabulary(**parts)
