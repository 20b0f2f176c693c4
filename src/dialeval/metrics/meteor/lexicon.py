"""Texts as numbers of words, with the facts that the aligner needs: hash, stem, function word or not, synsets."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain, islice
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.metrics.meteor.normalising import Normaliser
from dialeval.metrics.meteor.stemming import stem

Integers: TypeAlias = NDArray[np.int32]
Table: TypeAlias = Integers | NDArray[np.uint8]
# Past so many words or pieces of text we forget what we have met and start again: memory stays bounded.
_MOST: Final = 1 << 20


class Words(NamedTuple):
    """Facts about words by their number, each an array over all words but the last."""

    key: Integers
    """Java's hash of the word: METEOR takes words of equal hash for the same word."""
    stem: Integers
    """Java's hash of its stem."""
    function: Integers
    """1 for function words, else 0."""
    first_synset: Integers
    """Where its synsets begin in ``synsets``; they end where the next word's begin."""
    synsets: Integers
    """The synsets of all words, end to end."""


class Describer:
    """Looks words up in METEOR's lists, given as lines: function words, and WordNet's synsets and irregular forms.

    The lines of ``synsets`` and ``exceptions`` take turns: a word and its synsets, a base and its forms.
    """

    def __init__(
        self, function_words: Sequence[str], synsets: Sequence[str], exceptions: Sequence[str]
    ) -> None:
        bases: defaultdict[str, list[str]] = defaultdict(list)
        for base, forms in zip(exceptions[::2], exceptions[1::2], strict=True):
            for form in forms.split():
                bases[form].append(base)
        self._function_words = frozenset(function_words)
        self._synonyms = Synonyms(dict(zip(synsets[::2], synsets[1::2], strict=True)), bases)

    def describe(self, words: Sequence[str], known: Words | None = None) -> Words:
        """Facts about the words, behind those ``known`` of others."""
        synsets = [sorted(self._synonyms.of(word)) for word in words]
        facts = Words(
            _integers([java_hash(word) for word in words]),
            _integers([java_hash(stem(word)) for word in words]),
            _integers([word in self._function_words for word in words]),
            _integers(list(accumulate(map(len, synsets), initial=0))),
            _integers(list(chain.from_iterable(synsets))),
        )
        if known is None:
            return facts
        shifted = facts.first_synset[1:] + known.first_synset[-1]
        return Words(*map(_joined, known, facts._replace(first_synset=shifted)))


def java_hash(word: str) -> int:
    """Java's ``String.hashCode``: a polynomial over UTF-16 units, modulo 2**32, signed."""
    units = word.encode("utf-16-le", "surrogatepass")
    value = 0
    for unit in struct.unpack(f"<{len(units) // 2}H", units):
        value = (31 * value + unit) & 0xFFFFFFFF
    return value - (value >> 31 << 32)


def _integers(numbers: list[int]) -> Integers:
    return np.array(numbers, np.int32)


def _joined(known: Integers, new: Integers) -> Integers:
    both = np.concatenate([known, new])
    # As the tables are, so that the kernels see one type.
    both.setflags(write=False)
    return both


# WordNet's rules of detachment, in the order in which they are tried: endings of nouns, verbs, adjectives.
_DETACHMENTS: Final = (
    *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man")),
    *(("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    *(("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
)


class Synonyms:
    """WordNet's synsets by word, and the irregular forms that are looked up under their bases.

    ``synsets`` gives a word's numbers as text, separated by spaces: few words are ever asked for.
    """

    def __init__(self, synsets: Mapping[str, str], bases: Mapping[str, Sequence[str]]) -> None:
        self._synsets, self._bases = synsets, bases

    def of(self, word: str) -> set[int]:
        """The synsets of the word as it stands and of its base form."""
        forms = {word, *(self._bases.get(word) or (self._base(word),))}
        return {int(number) for form in forms for number in self._synsets.get(form, "").split()}

    def _base(self, word: str) -> str:
        """The first known word that a detachment gives, or nothing."""
        if word.endswith("ss") or len(word) <= 2:
            return word
        for ending, replacement in _DETACHMENTS:
            if word.endswith(ending):
                base = word.removesuffix(ending) + replacement
                if base in self._synsets:
                    return base
        return ""


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


def lines_of(table: Table) -> list[str]:
    """The lines of a table of text."""
    return table.tobytes().decode("utf-8").removesuffix("\n").split("\n")


def numbers_of(table: Table) -> NDArray[np.int32]:
    """The numbers of a table that is not text."""
    return table.view(np.int32)
