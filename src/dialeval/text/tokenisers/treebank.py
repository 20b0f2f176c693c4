"""Penn Treebank words, as NLTK's ``word_tokenize(text, preserve_line=True)`` cuts them, but fast.

Almost every rule looks no further than the next space. So text is cut at spaces, each piece is worked out once,
and its words are remembered; only the rules on how a text begins and ends need the pieces there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from unicodedata import category

from dialeval.text.tokenisers.words import Memory

_CLOSERS: Final = frozenset("])}>\"'»”’")
# NLTK's rules run on the `regex` package, whose whitespace leaves out these four separators.
_SPACE: Final = r"[^\S\x1c-\x1f]"
_CLITIC: Final = re.compile("(?i)re|ve|ll|[mtsdn]")
_PLAIN: Final = re.compile("[A-Za-z0-9]+")
_PLAIN_CONTRACTIONS: Final = frozenset(("cannot", "gimme", "gonna", "gotta", "lemme", "wanna"))


def word_tokenize_all(texts: Sequence[str]) -> list[list[str]]:
    """The Treebank words of each text: punctuation and clitics apart, double quotes as `` and ''.

    >>> word_tokenize_all(['He said: "I cannot."'])
    [['He', 'said', ':', '``', 'I', 'can', 'not', '.', "''"]]
    """
    return [_tokenize(text) for text in texts]


def _tokenize(text: str) -> list[str]:
    # Printable text has no whitespace but spaces, so that pieces between spaces have none at all.
    if not text.isprintable():
        return _work_out(text)
    pieces = text.split(" ")
    # The last full stop counts as the end even with closing marks after it, blanks between them or not.
    end = len(pieces) - 1
    while end and _CLOSERS.issuperset(pieces[end]):
        end -= 1
    if end == 0:
        return list(_whole(text))
    words = list(_first(pieces[0]) if pieces[0][:1] in _MARKS else _middle(pieces[0]))
    for piece in pieces[1:end]:
        words += _middle(piece)
    words += _last(" ".join(pieces[end:]) if end < len(pieces) - 1 else pieces[end])
    return words


def _middle_words(piece: str) -> list[str]:
    if _PLAIN.fullmatch(piece) and piece.lower() not in _PLAIN_CONTRACTIONS:
        return [piece]
    return _work_out(f"x {piece} x")[1:-1]


_MARKS: Final = ('"', "'")
_middle: Final = Memory(_middle_words).__getitem__
_first: Final = Memory(lambda piece: _work_out(f"{piece} x")[:-1]).__getitem__
_last: Final = Memory(lambda pieces: _work_out(f"x {pieces}")[1:]).__getitem__
_whole: Final = Memory(lambda text: _work_out(text)).__getitem__


def _work_out(text: str) -> list[str]:
    """The words by NLTK's rules, one after the other over the whole text."""
    for pattern, replacement in _OPENING_QUOTES:
        text = pattern.sub(replacement, text)
    text = _part_opening_apostrophes(text)
    for pattern, replacement in _PUNCTUATION:
        text = pattern.sub(replacement, text)
    text = f" {text} "
    for pattern, replacement in _ENDINGS:
        text = pattern.sub(replacement, text)
    return text.split()


_Rules = tuple[tuple[re.Pattern[str], str], ...]

_OPENING_QUOTES: Final[_Rules] = (
    (re.compile("[«“‘„]|`+"), r" \g<0> "),
    (re.compile('^"'), "``"),
    (re.compile("``"), r" \g<0> "),
    (re.compile("([ ([{<])(?:\"|'')"), r"\1 `` "),
)
_PUNCTUATION: Final[_Rules] = (
    # The full stop at the end of the text, with whatever closes after it.
    (re.compile(rf"([^.])\.([\])}}>\"'»”’ ]*+){_SPACE}*$"), r"\1 . \2 "),
    (re.compile(r"([:,])(\D)"), r" \1 \2"),
    (re.compile("([:,])$"), r" \1 "),
    (re.compile(r"\.\.+"), r" \g<0> "),
    (re.compile("[;@#$%&\u2012-\u2015]"), r" \g<0> "),
    (re.compile(rf"([^.])\.([\])}}>\"']*){_SPACE}*$"), r"\1 .\2 "),
    (re.compile("[?!]"), r" \g<0> "),
    (re.compile("([^'])' "), r"\1 ' "),
    (re.compile(r"[*\][(){}<>]|--"), r" \g<0> "),
)
_ENDINGS: Final[_Rules] = (
    (re.compile("[»”’]|''"), r" \g<0> "),
    (re.compile('"'), " '' "),
    (re.compile(f"{_SPACE}+"), " "),
    (re.compile("([^' ])('[sSmMdD]?) "), r"\1 \2 "),
    (re.compile("([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) "), r"\1 \2 "),
    (re.compile(r"(?i)\b(can)(not)\b"), r" \1 \2 "),
    (re.compile(r"(?i)\b(d)('ye)\b"), r" \1 \2 "),
    (re.compile(r"(?i)\b(gim|lem)(me)\b"), r" \1 \2 "),
    (re.compile(r"(?i)\b(gon)(na)\b"), r" \1 \2 "),
    (re.compile(r"(?i)\b(got)(ta)\b"), r" \1 \2 "),
    (re.compile(r"(?i)\b(more)('n)\b"), r" \1 \2 "),
    (re.compile(r"(?i)\b(wan)(na)(?=\s)"), r" \1 \2 "),
    (re.compile(r"(?i) ('t)(is)\b"), r" \1 \2 "),
    # Apart from the last: the space that rule adds can be the one that this needs.
    (re.compile(r"(?i) ('t)(was)\b"), r" \1 \2 "),
)


def _part_opening_apostrophes(text: str) -> str:
    """A space after each apostrophe that opens a word, unless the word is a clitic such as 's or 're."""
    parts, start = [], 0
    index = text.find("'")
    while index >= 0:
        opens = (index == 0 or not _in_word(text[index - 1])) and _in_word(text[index + 1 : index + 2])
        if opens:
            clitic = _CLITIC.match(text, index + 1)
            opens = clitic is None or _in_word(text[clitic.end() : clitic.end() + 1])
        if opens:
            parts.append(text[start : index + 1])
            start = index + 1
        index = text.find("'", index + 1)
    return " ".join([*parts, text[start:]])


def _in_word(char: str) -> bool:
    r"""Whether the ``regex`` package counts the character as ``\w``; ``re`` knows no marks and other digits."""
    if char.isascii():
        return char.isalnum() or char == "_"
    return category(char) in _WORD_CATEGORIES or char in "\u200c\u200d" or _is_letter_in_a_sign(ord(char))


_WORD_CATEGORIES: Final = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"))


def _is_letter_in_a_sign(code: int) -> bool:
    signs = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
    return any(first <= code <= last for first, last in signs)
