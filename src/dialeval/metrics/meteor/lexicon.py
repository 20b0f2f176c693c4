"""Texts as numbers of words, with the facts about those words that the aligner needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, islice
from typing import Final, NamedTuple

import numpy as np

from dialeval.metrics.meteor.compiling import Table, lines_of, numbers_of
from dialeval.metrics.meteor.describing import Describer, Integers, Words
from dialeval.metrics.meteor.normalising import Normaliser

# Past so many words or pieces of text we forget what we have met and start again: memory stays bounded.
_MOST: Final = 1 << 20


class Encoded(NamedTuple):
    """Texts as numbers of words."""

    words: Integers
    """The words of all texts, end to end."""
    ends: Integers
    """Where each text ends, after a leading 0."""
    facts: Words


class Lexicon:
    """Turns texts into numbers of words; those that the tables know come first and keep their numbers."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._normaliser = Normaliser(*_prefixes(lines_of(tables["prefixes"])))
        self._describer = Describer(
            *(lines_of(tables[name]) for name in ("function_words", "wordnet", "exceptions"))
        )
        self._words = lines_of(tables["words"])
        self._tabled = Words(*(numbers_of(tables[name]) for name in Words._fields))
        self._facts = self._tabled
        self._forget()

    def encode(self, texts: Iterable[str]) -> Encoded:
        """The texts, normalised, as numbers of words."""
        if len(self._pieces) > _MOST or len(self._numbers) > _MOST:
            self._forget()
        words: list[int] = []
        ends = [0]
        for text in texts:
            keys = self._normaliser.keys_of_pieces(text)
            if keys is None:
                words += self._numbers.of(self._normaliser.words(text))
            else:
                words.extend(chain.from_iterable(map(self._pieces.__getitem__, keys)))
            ends.append(len(words))
        new = list(islice(self._numbers, len(self._facts.key), None))
        if new:
            self._facts = self._describer.describe(new, self._facts)
        return Encoded(np.array(words, np.int32), np.array(ends, np.int32), self._facts)

    def _forget(self) -> None:
        self._numbers = _Numbers((word, number) for number, word in enumerate(self._words))
        self._pieces = _Pieces(self._normaliser, self._numbers)
        self._facts = self._tabled


class _Numbers(dict[str, int]):
    """The number of each word; a new word gets the next one."""

    def of(self, words: Iterable[str]) -> tuple[int, ...]:
        """The numbers of the words."""
        return tuple([self.setdefault(word, len(self)) for word in words])


class _Pieces(dict[str, tuple[int, ...]]):
    """The words of each piece of text that has been met, by the piece's key."""

    def __init__(self, normaliser: Normaliser, numbers: _Numbers) -> None:
        super().__init__()
        self._normaliser, self._numbers = normaliser, numbers

    def __missing__(self, key: str) -> tuple[int, ...]:
        found = self[key] = self._numbers.of(self._normaliser.words_of_piece(key))
        return found


def _prefixes(lines: Iterable[str]) -> tuple[set[str], set[str]]:
    """Abbreviations that always keep their full stop, and those that do before a number."""
    entries = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    before_numbers = {entry[0] for entry in entries if entry[1:2] == ["#NUMERIC_ONLY#"]}
    return {entry[0] for entry in entries} - before_numbers, before_numbers
