"""Texts as numbers of words, cut as METEOR's ``-norm`` does, with what is known of those words."""

from __future__ import annotations

import re
import threading
from array import array
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.metrics.meteor.words import Describer, Integers, Words

if TYPE_CHECKING:
    from dialeval.metrics.meteor._word_kernels import WordTable


Table: TypeAlias = Integers | NDArray[np.uint8]
# Past this many words or pieces of text we forget what we have met and start again: memory stays bounded.
_MOST: Final = 1 << 20
_END: Final = ord("\n")


class EncodedTexts(NamedTuple):
    """Texts as numbers of words."""

    words: Integers
    """The words of all texts, end to end."""
    ends: Integers
    """End of each text, after a leading 0."""
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

    def encode(self, texts: Sequence[str]) -> EncodedTexts:
        """The texts, normalised, as numbers of words."""
        with self._alone:
            return self._encode(texts)

    def _encode(self, texts: Sequence[str]) -> EncodedTexts:
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
        return EncodedTexts(words, ends[token_ends], self._facts)

    def _cut(self, texts: Sequence[str], joined: str) -> tuple[Integers, Integers, Integers]:
        """Return known words by number, the end of each text's, and what is left (see `_word_kernels.cut`)."""
        from dialeval.metrics.meteor._word_kernels import cut

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
        """Number of words."""
        return len(self.table[1]) - 1

    def add(self, words: Sequence[str]) -> None:
        """Put these behind the others; they must be new."""
        from dialeval.metrics.meteor._word_kernels import enter

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
        """Number of pieces, with those that have no key."""
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
        """Return the words of these pieces, and the end of each piece among them, after a leading 0."""
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


# Latin and Cyrillic letters; those of every other script stand alone, one by one.
_LETTERS: Final = (
    "A-Za-z\u0160\u017d\u0161\u017e\u0178\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017e"
    "\u0400-\u0527\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
)
_APART: Final = re.compile(rf"([^0-9{_LETTERS} \t\n\x0b\f\r.'`,\-\u2018\u2019])")
_DOTS: Final = re.compile(r"(\.{2,})")
_COMMAS: Final = (
    re.compile("([^0-9]),([^0-9])"),
    re.compile("([0-9]),([^0-9])"),
    re.compile("([^0-9]),([0-9])"),
)
_QUOTE: Final = re.compile("[`\u2018\u2019]")
_DOUBLE_QUOTE: Final = re.compile("[\u201c\u201d]|''")
_HYPHEN: Final = re.compile(rf"([0-9{_LETTERS}.])-([0-9{_LETTERS}])")
_LONE_APOSTROPHES: Final = (
    re.compile(rf"([^{_LETTERS}])'([^{_LETTERS}])"),
    re.compile(rf"([^0-9{_LETTERS}])'([{_LETTERS}])"),
    re.compile(rf"([{_LETTERS}])'([^{_LETTERS}])"),
)
_CONTRACTIONS: Final = (re.compile(rf"([{_LETTERS}])'([{_LETTERS}])"), re.compile("([0-9])'(s)"))
_SHARED_BLANK: Final = re.compile("[,'`\u2018\u2019] [,'`\u2018\u2019]")
_LETTER: Final = re.compile(f"[{_LETTERS}]")
# One or two words, joined by a hyphen or parted before an apostrophe, with marks around them, and the first character
# of the next piece: nearly all pieces are of this form, and no part of it affects another.
_SIMPLE: Final = re.compile(
    "([\"(]?)([0-9A-Za-z]+)(?:-([0-9A-Za-z]+)|(?<=[A-Za-z])['\u2019]([A-Za-z]+))?"
    '(?:(["!?:;)]+|,)|(\\.+))?(?: ([0-9A-Za-z]))?'
)
_WORD: Final = re.compile(r"[^ \t\n\r\f]+")
_BLANKS: Final = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_LINE_BREAK: Final = re.compile("[\n\r]")
# What the jar strips from the ends of a line: spaces and all control characters below them.
_ENDS: Final = "".join(map(chr, range(0x21)))


class Normaliser:
    """Cuts lines into words, given the abbreviations after which a full stop stays."""

    def __init__(self, always: Container[str], before_numbers: Container[str]) -> None:
        self._always, self._before_numbers = always, before_numbers

    def words(self, text: str) -> list[str]:
        """The words of the text as METEOR aligns them; line breaks count as spaces.

        >>> Normaliser(always={"Mr"}, before_numbers=()).words("Mr. Lee isn't well-known...")
        ['mr.', 'lee', 'isn', "'t", 'well', 'known', '...']
        """
        line = f" {_LINE_BREAK.sub(' ', text).strip(_ENDS)} "
        line = _DOTS.sub(r" \1 ", _APART.sub(r" \1 ", line))
        for pattern in _COMMAS:
            line = pattern.sub(r"\1 , \2", line)
        line = _DOUBLE_QUOTE.sub(' " ', _QUOTE.sub("'", line))
        line = _HYPHEN.sub(r"\1 \2", line.replace("\u2013", "-").replace("--", "-"))
        for pattern in _LONE_APOSTROPHES:
            line = pattern.sub(r"\1 ' \2", line)
        for pattern in _CONTRACTIONS:
            line = pattern.sub(r"\1 '\2", line)
        line = " ".join(self._part_stops(_WORD.findall(line)))
        return _WORD.findall(_BLANKS.sub(" ", line).strip(_ENDS).lower())

    def interact(self, text: str) -> bool:
        """Whether the pieces between spaces cannot be cut into words one by one."""
        return not text.isprintable() or _shares_a_blank(text)

    def words_of_piece(self, key: str) -> list[str]:
        """The words of a piece between spaces, given as it stands.

        A piece that ends in a full stop has the first character of the next piece behind it, after a space, because a
        small letter or a digit there decides whether the stop stays.
        """
        if key.isascii() and key.isalnum():
            return [key.lower()]
        simple = _SIMPLE.fullmatch(key)
        if simple is not None:
            return self._simple_words(*simple.groups(""))
        words = self.words(key)
        return words[:-1] if " " in key else words

    def _simple_words(
        self, before: str, first: str, joined: str, contracted: str, marks: str, stops: str, after: str
    ) -> list[str]:
        """Return what `words` makes of the parts of a simple piece, without its dozen searches."""
        words = [first.lower()]
        if joined:
            words.append(joined.lower())
        elif contracted:
            words.append(f"'{contracted.lower()}")
        if before:
            words.insert(0, before)
        if stops == "." and self._keeps_stop(joined or (contracted and f"'{contracted}") or first, after):
            words[-1] += "."
        elif stops:
            words.append(stops)
        words += marks
        return words

    def _keeps_stop(self, word: str, after: str) -> bool:
        """Whether a full stop belongs to the word before it, given what comes next."""
        return (
            word in self._always
            or "a" <= after[:1] <= "z"
            or (word in self._before_numbers and "0" <= after[:1] <= "9")
        )

    def _part_stops(self, words: list[str]) -> Iterator[str]:
        for index, word in enumerate(words):
            if len(word) == 1 or not word.endswith(".") or word.endswith(".."):
                yield word
                continue
            before, after = word[:-1], words[index + 1] if index + 1 < len(words) else ""
            if "." in before and _LETTER.search(before):
                yield word.replace(".", "")
            elif self._keeps_stop(before, after):
                yield word
            else:
                yield before
                yield "."


def _shares_a_blank(text: str) -> bool:
    """Whether two marks lean on the same space, which can serve only one of them."""
    if text.isascii() and "`" not in text:
        return ", ," in text or "' '" in text
    return _SHARED_BLANK.search(text) is not None
