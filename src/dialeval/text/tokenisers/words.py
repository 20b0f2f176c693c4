"""Simple tokenisers; which one a metric takes can move its number."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from dialeval.text.tokenisers.porter import stem

# Scripts written without spaces, where a run of letters is a clause and not a word: Han, Hiragana and Katakana.
# Hangul is left out, because Korean puts spaces between words.
_UNSPACED: Final = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9d\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_RUN: Final = re.compile("[a-z0-9]+")
_MOST: Final = 1 << 18


def split_whitespace(text: str) -> list[str]:
    """The pieces between any whitespace, as nlg-eval's BLEU and CIDEr see them; none of blank text."""
    return text.split()


def split_each(texts: Sequence[str]) -> list[list[str]]:
    """Split each of several texts at whitespace."""
    return [split_whitespace(text) for text in texts]


def split_spaces(text: str) -> list[str]:
    """The pieces between single spaces of the stripped text, as nlg-eval's ROUGE-L sees them.

    Two spaces in a row make an empty word, tabs and line breaks separate no words, blank text is one empty word.
    """
    return text.strip().split(" ")


def search_terms(text: str) -> list[str]:
    r"""The words by which text is looked up: runs of ``\w``, case-folded; Han and kana one by one.

    >>> search_terms("Isn't 東京 GREAT?")
    ['isn', 't', '東', '京', 'great']
    """
    # Folding each term, and not the whole text: folding can add marks that are not word characters (İ).
    return [term.casefold() for term in _term().findall(text)]


@cache
def _term() -> re.Pattern[str]:
    """Return the pattern of `search_terms`; it takes milliseconds to compile, and most commands need none."""
    return re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


def folded(text: str) -> str:
    """Return the text case-folded, words separated by one space: as it is if case and spacing make no difference."""
    return " ".join(text.casefold().split())


def split_alphanumeric(texts: Sequence[str]) -> list[list[str]]:
    """The runs of ASCII letters and digits, in lower case; other scripts have none.

    >>> split_alphanumeric(["Isn't it 3 o'clock, José?"])
    [['isn', 't', 'it', '3', 'o', 'clock', 'jos']]
    """
    return [_RUN.findall(text.lower()) for text in texts]


def split_stems(texts: Sequence[str]) -> list[list[str]]:
    """Split into the same words by their Porter stems, if they have more than three letters."""
    return [[stem(word) if len(word) > 3 else word for word in words] for words in split_alphanumeric(texts)]


class Memory(dict[str, tuple[str, ...]]):
    """Results of ``words`` for every piece looked up so far, forgotten when there are too many."""

    __slots__ = ("_words",)

    def __init__(self, words: Callable[[str], Sequence[str]]) -> None:
        super().__init__()
        self._words = words

    def __missing__(self, piece: str) -> tuple[str, ...]:
        if len(self) >= _MOST:
            self.clear()
        words = self[piece] = tuple(self._words(piece))
        return words


class PieceByPiece:
    """A tokeniser whose rules see no further than the spaces around a piece, and the ends of the text."""

    __slots__ = ("_first", "_last", "_middle", "_work_out")

    def __init__(self, work_out: Callable[[str], list[str]]) -> None:
        self._work_out = work_out
        self._first = Memory(lambda piece: work_out(f"{piece} "))
        self._middle = Memory(lambda piece: work_out(f" {piece} "))
        self._last = Memory(lambda piece: work_out(f" {piece}"))

    def split(self, text: str) -> list[str]:
        """The words that ``work_out`` gives for the whole text."""
        first, *rest = text.split(" ")
        if not rest:
            return self._work_out(text)
        words = list(self._first[first])
        middle = self._middle
        for piece in rest[:-1]:
            words += middle[piece]
        words += self._last[rest[-1]]
        return words
