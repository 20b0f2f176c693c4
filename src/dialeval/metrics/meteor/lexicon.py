"""Texts as numbers of words, with what is known of those words."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.metrics.meteor.describing import Describer, Integers, Words
from dialeval.metrics.meteor.normalising import Normaliser

if TYPE_CHECKING:
    from dialeval.metrics.meteor._wording_kernels import WordTable

Table: TypeAlias = Integers | NDArray[np.uint8]
# Past this many words or pieces of text we forget what we have met and start again: memory stays bounded.
_MOST: Final = 1 << 20
_END: Final = ord("\n")


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
        always, before_numbers = _prefixes(lines_of(tables["prefixes"]))
        self._normaliser = Normaliser(always, before_numbers)
        self._abbreviations = _KnownWords([*sorted(always), *sorted(before_numbers)])
        self._always = len(always)
        self._describer = Describer(
            *(lines_of(tables[name]) for name in ("function_words", "wordnet", "exceptions"))
        )
        self._words = lines_of(tables["words"])
        self._tabled = Words(*(numbers_of(tables[name]) for name in Words._fields))
        self._facts = self._tabled
        self._alone = threading.Lock()
        self._forget()

    def encode(self, texts: Sequence[str]) -> Encoded:
        """The texts, normalised, as numbers of words."""
        with self._alone:
            return self._encode(texts)

    def _encode(self, texts: Sequence[str]) -> Encoded:
        if self._pieces.count > _MOST or len(self._numbers) > _MOST:
            self._forget()
        joined = "".join(texts)
        tokens, token_ends, left = self._cut(texts, joined)
        pieces = [self._piece(joined, *row) for row in left.tolist()]
        # Each by its own count, so that one that was interrupted catches up.
        if new := list(islice(self._numbers, len(self._facts.key), None)):
            self._facts = self._describer.describe(new, self._facts)
        if new := list(islice(self._numbers, self._known.count, None)):
            self._known.add(new)
        sizes = np.ones(len(tokens), np.int64)
        others, other_ends = self._pieces.words(np.array(pieces, np.int64))
        sizes[tokens < 0] = np.diff(other_ends)
        words = np.repeat(tokens, sizes)
        words[words < 0] = others
        ends = np.zeros(len(tokens) + 1, np.int32)
        np.cumsum(sizes, out=ends[1:])
        return Encoded(words, ends[token_ends], self._facts)

    def _cut(self, texts: Sequence[str], joined: str) -> tuple[Integers, Integers, Integers]:
        """Known words by number, where each text's end, and what is left (see `_wording_kernels.cut`)."""
        from dialeval.metrics.meteor._wording_kernels import cut

        codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
        ends = np.zeros(len(texts) + 1, np.int32)
        np.cumsum(np.fromiter(map(len, texts), np.int32, len(texts)), out=ends[1:])
        apart = np.zeros(len(texts), np.bool_)
        if not joined.isascii():
            apart[:] = [not text.isascii() and self._normaliser.interact(text) for text in texts]
        tokens = np.empty(len(codes) + len(texts), np.int32)
        left = np.empty((len(codes) + len(texts), 3), np.int32)
        token_ends = np.empty(len(ends), np.int32)
        tables = self._known.table, self._abbreviations.table
        count = cut(codes, ends, apart, *tables, self._always, tokens, token_ends, left)
        return tokens[: token_ends[-1]], token_ends, left[:count]

    def _piece(self, joined: str, begin: int, end: int, after: int) -> int:
        """The number of a piece that was left, or of a whole text."""
        text = joined[begin:end]
        if after < 0:
            return self._pieces.add(self._normaliser.words(text))
        return self._pieces[f"{text} {chr(after)}" if after else text]

    def _forget(self) -> None:
        self._numbers = {word: number for number, word in enumerate(self._words)}
        self._known = _KnownWords(self._words)
        self._pieces = _Pieces(self._normaliser, self._numbers)
        self._facts = self._tabled


class _KnownWords:
    """Words that the compiled cutter finds, by number in the order in which they came."""

    def __init__(self, words: Sequence[str]) -> None:
        self.table: WordTable = np.zeros(64, np.int32), np.zeros(1, np.int32), np.zeros(0, np.uint8)
        self.add(words)

    @property
    def count(self) -> int:
        """How many words there are."""
        return len(self.table[1]) - 1

    def add(self, words: Sequence[str]) -> None:
        """Put these behind the others; they must be new."""
        from dialeval.metrics.meteor._wording_kernels import enter

        slots, starts, letters = self.table
        known = self.count
        more = np.frombuffer("\n".join([*words, ""]).encode("utf-8", "surrogatepass"), np.uint8)
        letters = np.concatenate([letters, more])
        starts = np.concatenate([starts, len(letters) - len(more) + np.flatnonzero(more == _END) + 1])
        starts = starts.astype(np.int32)
        if len(slots) < 2 * len(starts):
            slots, known = np.zeros(1 << (2 * len(starts)).bit_length(), np.int32), 0
        self.table = slots, starts, letters
        enter(self.table, known)


class _Pieces(dict[str, int]):
    """The number of each piece of text that has been met, by the piece's key; their words lie end to end.

    Flat arrays instead of a tuple for each piece: the garbage collector need not look through them.
    """

    def __init__(self, normaliser: Normaliser, numbers: dict[str, int]) -> None:
        super().__init__()
        self._normaliser, self._numbers = normaliser, numbers
        self._words, self._ends = array("i"), array("i", [0])

    @property
    def count(self) -> int:
        """How many pieces there are, with those that have no key."""
        return len(self._ends) - 1

    def __missing__(self, key: str) -> int:
        number = self[key] = self.add(self._normaliser.words_of_piece(key))
        return number

    def add(self, words: Iterable[str]) -> int:
        """The number of a new piece of these words; a new word gets the next number."""
        numbers = self._numbers
        del self._words[self._ends[-1] :]  # of a piece that was interrupted
        self._words.extend([numbers.setdefault(word, len(numbers)) for word in words])
        self._ends.append(len(self._words))
        return self.count - 1

    def words(self, pieces: NDArray[np.int64]) -> tuple[Integers, Integers]:
        """The words of these pieces, and where each piece ends among them, after a leading 0."""
        ends = np.asarray(self._ends)
        sizes = ends[pieces + 1] - ends[pieces]
        found = np.zeros(len(pieces) + 1, np.int32)
        np.cumsum(sizes, out=found[1:])
        index = np.repeat(ends[pieces] - found[:-1], sizes) + np.arange(found[-1], dtype=np.int32)
        return np.asarray(self._words)[index], found


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
