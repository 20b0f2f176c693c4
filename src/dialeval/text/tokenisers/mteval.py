"""The tokenisers of machine-translation BLEU, equal to sacrebleu's (Post, 2018), which follow the mteval scripts.

Their rules look no further than the spaces around a piece of text, so each piece is worked out once and remembered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from unicodedata import category

from dialeval.text.tokenisers.words import Memory, PieceByPiece

# The blank is one of the signs, but parts words anyway.
SIGNS: Final = '!"#$%&()*+/:;<=>?@[\\]^_`{|}~'
"""Signs that `13a` always makes words of their own; full stop, comma and dash depend on the digits around them."""

_13A: Final = (
    (re.compile(f"[{re.escape(SIGNS)}]"), r" \g<0> "),
    (re.compile("([^0-9])([.,])"), r"\1 \2 "),
    (re.compile("([.,])([^0-9])"), r" \1 \2"),
    (re.compile("([0-9])(-)"), r"\1 \2 "),
)
# sacrebleu writes the planes above U+FFFF with four digits and one left over, which makes them U+2001 to U+2A6D and
# U+2F81 to U+2FA1: general punctuation and many signs count as Chinese characters, and no rare ideograph does.
_CHINESE: Final = re.compile(
    "[\u2001-\u2a6d\u2e80-\u2eff\u2f00-\u2fdf\u2ff0-\u2fff\u3000-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef"
    "\u3200-\u33ff\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f"
    "\uff00-\uffef]"
)


def split_13a(texts: Sequence[str]) -> list[list[str]]:
    """The words of mteval-v13a, sacrebleu's default: signs apart, full stops and commas unless in numbers.

    >>> split_13a(["It's $3.88, so-so."])
    [["It's", '$', '3.88', ',', 'so-so', '.']]
    """
    return [[word for piece in unescape(text).split(" ") for word in _words_13a(piece)] for text in texts]


def split_international(texts: Sequence[str]) -> list[list[str]]:
    """The words of mteval-v14 (sacrebleu's ``intl``): punctuation apart unless in numbers, symbols always."""
    return [_international.split(text.rstrip()) for text in texts]


def split_chinese(texts: Sequence[str]) -> list[list[str]]:
    """Chinese characters one by one, the rest as ``13a`` (sacrebleu's ``zh``)."""
    return [_chinese.split(text.strip()) for text in texts]


def split_characters(texts: Sequence[str]) -> list[list[str]]:
    """The characters other than whitespace (sacrebleu's ``char``)."""
    return [[character for character in text if not character.isspace()] for text in texts]


def unescape(text: str) -> str:
    """The text as the rules of ``13a`` meet it: without trailing whitespace, mark-up or line breaks."""
    text = text.rstrip()
    if "\n" in text or "<skipped>" in text:
        text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        text = text.replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    return text


def _apply_13a(text: str) -> list[str]:
    for pattern, replacement in _13A:
        text = pattern.sub(replacement, text)
    return text.split()


def _apply_chinese(text: str) -> list[str]:
    return _apply_13a(_CHINESE.sub(r" \g<0> ", text))


def _apply_international(text: str) -> list[str]:
    kinds = [category(character)[0] for character in text]
    spaced: list[str] = []
    # Whether the last character was parted from the one before: a rule that matched it cannot match its neighbour.
    matched = False
    for index, (character, kind) in enumerate(zip(text, kinds, strict=True)):
        apart = kind == "S"
        if kind == "P":
            matched = not matched and index > 0 and kinds[index - 1] != "N"
            apart = matched or (index + 1 < len(text) and kinds[index + 1] != "N")
        else:
            matched = False
        spaced.append(f" {character} " if apart else character)
    return "".join(spaced).split()


# With spaces around the text, as the script has it, every piece stands between two.
_words_13a: Final = Memory(lambda piece: [piece] if piece.isalnum() else _apply_13a(f" {piece} ")).__getitem__
_chinese: Final = PieceByPiece(_apply_chinese)
_international: Final = PieceByPiece(_apply_international)
