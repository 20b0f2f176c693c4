"""What the aligner must know of words, as arrays it can index: each word is looked up once."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import accumulate, chain, islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.metrics.meteor.compiling import Table
from dialeval.metrics.meteor.normalising import Normaliser
from dialeval.metrics.meteor.stemming import stem
from dialeval.metrics.meteor.synonyms import Synonyms
from dialeval.metrics.meteor.tables import lines_of

# Past so many words or pieces of text we forget all and begin anew: memory stays bounded.
_MOST: Final = 1 << 20


class Words(NamedTuple):
    """Facts about words by their number, each an array over all words."""

    key: NDArray[np.int32]
    """Java's hash of the word: METEOR takes words of equal hash for the same word."""
    stem: NDArray[np.int32]
    """Java's hash of its stem."""
    function: NDArray[np.int32]
    """1 for function words, else 0."""
    node: NDArray[np.int32]
    """Its node in the trie of paraphrases, or -1."""
    first_synset: NDArray[np.int32]
    """Where its synsets begin in ``synsets``; they end where the next word's begin."""
    synsets: NDArray[np.int32]
    """The synsets of all words, those of one word in ascending order."""


class Encoded(NamedTuple):
    """Texts as numbers of words."""

    words: NDArray[np.int32]
    """The words of all texts, end to end."""
    ends: NDArray[np.int32]
    """Where each text ends, after a leading 0."""
    facts: Words


class Lexicon:
    """Turns texts into numbers of words, and keeps what is known of every word met so far."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._normaliser = Normaliser(*_prefixes(lines_of(tables["prefixes"])))
        self._synonyms = Synonyms(*_synsets_and_bases(tables))
        self._function_words = frozenset(lines_of(tables["function_words"]))
        self._nodes = {word: node for node, word in enumerate(lines_of(tables["words"]))}
        self._forget()

    def encode(self, texts: Iterable[str]) -> Encoded:
        """The texts, normalised, as numbers of words."""
        if len(self._pieces) > _MOST or len(self._numbers) > _MOST:
            self._forget()
        words: list[int] = []
        ends = [0]
        for text in texts:
            self._append(text, words)
            ends.append(len(words))
        return Encoded(np.array(words, np.int32), np.array(ends, np.int32), self._updated_facts())

    def _append(self, text: str, words: list[int]) -> None:
        keys = self._normaliser.keys_of_pieces(text)
        if keys is None:
            words += self._look_up(self._normaliser.words(text))
            return
        pieces = self._pieces
        for key in keys:
            known = pieces.get(key)
            if known is None:
                known = pieces[key] = self._look_up(self._normaliser.words_of_piece(key))
            words += known

    def _look_up(self, words: Iterable[str]) -> tuple[int, ...]:
        numbers = self._numbers
        return tuple([numbers.setdefault(word, len(numbers)) for word in words])

    def _forget(self) -> None:
        self._numbers: dict[str, int] = {}
        self._pieces: dict[str, tuple[int, ...]] = {}
        nothing = np.zeros(0, np.int32)
        self._facts = Words(nothing, nothing, nothing, nothing, np.zeros(1, np.int32), nothing)

    def _updated_facts(self) -> Words:
        """Facts about all words so far; only those of new words are worked out."""
        new = list(islice(self._numbers, len(self._facts.key), None))
        if new:
            self._facts = Words(*map(_joined, self._facts, self._facts_about(new)))
        return self._facts

    def _facts_about(self, words: list[str]) -> tuple[list[int], ...]:
        synsets = [self._synonyms.of(word) for word in words]
        ends = accumulate(map(len, synsets), initial=int(self._facts.first_synset[-1]))
        return (
            [java_hash(word) for word in words],
            [java_hash(stem(word)) for word in words],
            [word in self._function_words for word in words],
            [self._nodes.get(word, -1) for word in words],
            list(ends)[1:],
            list(chain.from_iterable(synsets)),
        )


def java_hash(word: str) -> int:
    """Java's ``String.hashCode``: a polynomial over UTF-16 units, modulo 2**32, signed."""
    units = word.encode("utf-16-le", "surrogatepass")
    value = 0
    for unit in struct.unpack(f"<{len(units) // 2}H", units):
        value = (31 * value + unit) & 0xFFFFFFFF
    return value - (value >> 31 << 32)


def _joined(known: NDArray[np.int32], new: list[int]) -> NDArray[np.int32]:
    return np.concatenate([known, np.array(new, np.int32)])


def _prefixes(lines: Iterable[str]) -> tuple[set[str], set[str]]:
    """Abbreviations that always keep their full stop, and those that do before a number."""
    entries = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    before_numbers = {entry[0] for entry in entries if entry[1:2] == ["#NUMERIC_ONLY#"]}
    return {entry[0] for entry in entries} - before_numbers, before_numbers


def _synsets_and_bases(tables: Mapping[str, Table]) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The synsets of each word as text, and the bases of each irregular form."""
    synsets, exceptions = lines_of(tables["synsets"]), lines_of(tables["exceptions"])
    bases: defaultdict[str, list[str]] = defaultdict(list)
    for base, forms in zip(exceptions[::2], exceptions[1::2], strict=True):
        for form in forms.split():
            bases[form].append(base)
    return dict(zip(synsets[::2], synsets[1::2], strict=True)), dict(bases)
