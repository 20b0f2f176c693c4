"""A text whose facts are read: its words in one spelling, the gaps between them, and which words are taken."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.text.spelling import Tokens, tokenise

Kind: TypeAlias = Literal[
    "number", "money", "percent", "time", "date", "weekday", "name", "address", "answer", "denial", "claim"
]
_DECIMAL_COMMA: Final = re.compile(r"(?<![\d.,])(\d+),(\d{1,2})(?![\d,]|\.\d)")
_SENTENCE_ENDS: Final = re.compile(r"[.!?:\n•*\"“]|^\s*[-–]\s")

TITLES: Final = frozenset({"mr", "mrs", "ms", "miss", "dr", "doctor", "prof", "professor", "sir"})
"""Words before a name that are no part of it."""


class Fact(NamedTuple):
    """One thing that a text says and that can be checked."""

    kind: Kind
    text: str
    """The words of the text."""
    start: int
    end: int
    value: tuple[object, ...]
    """In one spelling, by kind: amount and unit, minute and half of the day, possible dates, words."""
    cue: str = ""
    """A word beside it that shows what it is about; facts of one cue with different values contradict each other."""
    soft: bool = False
    """Whether it only confirms: "a week" confirms "7 days", but nobody need say it."""


class Passage:
    """A text with its words."""

    def __init__(self, text: str) -> None:
        self.text = text
        # Every change keeps the length, so that places in the plain text are places in the text.
        self.plain = _DECIMAL_COMMA.sub(r"\1.\2", _plain(text))
        tokens = tokenise(self.plain)
        self.tokens: Tokens = tokens
        self.words = tokens.words
        self.taken = bytearray(len(tokens.words))

    def gap(self, index: int) -> str:
        """The characters between the word before this one and this one; after the last word, those to the end."""
        ends, starts = self.tokens.ends, self.tokens.starts
        left = ends[index - 1] if index > 0 else 0
        return self.plain[left : starts[index]] if index < len(starts) else self.plain[left:]

    def word(self, index: int) -> str:
        """The word there; empty if there is none."""
        return self.words[index] if 0 <= index < len(self.words) else ""

    def joined(self, index: int) -> bool:
        """Whether nothing but spaces or a hyphen parts the word from the one before it."""
        return 0 < index < len(self.words) and not self.gap(index).strip(" \t-–\u00a0")

    def starts_sentence(self, index: int) -> bool:
        """Whether a sentence, a line or a quotation begins with this word."""
        if self.word(index - 1) in TITLES and self.gap(index) == ". ":
            return self.starts_sentence(index - 1)
        return index == 0 or _SENTENCE_ENDS.search(self.gap(index)) is not None

    def written(self, index: int) -> str:
        """The word as it is written."""
        return self.text[self.tokens.starts[index] : self.tokens.ends[index]]

    def in_digits(self, index: int) -> bool:
        """Whether the word is written with a digit at its start."""
        return self.plain[self.tokens.starts[index]].isdigit()

    def take(self, first: int, last: int) -> None:
        """Mark words from ``first`` up to and with ``last``, so that no other fact is read from them."""
        for index in range(first, last + 1):
            self.taken[index] = 1

    def take_span(self, start: int, end: int) -> None:
        """Mark the words that touch these characters."""
        for index in self._touching(start, end):
            self.taken[index] = 1

    def free_span(self, start: int, end: int) -> bool:
        """Whether no word that touches these characters is taken."""
        return not any(self.taken[index] for index in self._touching(start, end))

    def _touching(self, start: int, end: int) -> range:
        return range(bisect_right(self.tokens.ends, start), bisect_left(self.tokens.starts, end))

    def fact(
        self,
        kind: Kind,
        words: tuple[int, int],
        value: tuple[object, ...],
        cue: str = "",
        *,
        soft: bool = False,
    ) -> Fact:
        """The fact that stands from the first of these words to the last, with a sign of money or percent beside it."""
        start, end = self.tokens.starts[words[0]], self.tokens.ends[words[1]]
        while end < len(self.plain) and self.plain[end] == "%":
            end += 1
        return Fact(kind, self.text[start:end], start, end, value, cue, soft)


def _plain(text: str) -> str:
    """Digits, signs and letters of any width as the usual ones, character for character."""
    return text if text.isascii() else "".join(map(_usual, text))


def _usual(character: str) -> str:
    if character <= "\x7f":
        return character
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    usual = unicodedata.normalize("NFKC", character)
    return usual if len(usual) == 1 else character
