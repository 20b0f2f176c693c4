"""METEOR's ``-norm``: from a line of English to the lower-case words that are aligned.

It descends from the tokeniser of Moses: punctuation stands alone, contractions part before the apostrophe, hyphens
inside words become spaces, and a full stop leaves its word unless that looks like an abbreviation. A neighbour that
one replacement has used cannot serve the next (``a-b-c`` becomes ``a b-c``), and we keep to that.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import Final

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
        """What `words` makes of the parts of a simple piece, without its dozen searches."""
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
