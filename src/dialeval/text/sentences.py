"""Sentences of an utterance, split where chat splits them: after marks of an end, and at line breaks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

_END: Final = re.compile(
    r"(?<=[.!?…؟।])[\"'”’)]*\s+(?=\S)|\n+"
    r"|(?<=[。！？])[」』”’）)]*\s*(?=[^\s。！？」』”’）)])"  # Chinese and Japanese have no space after a sentence
)
_ABBREVIATED: Final = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|vs|etc|e\.g|i\.e|a\.m|p\.m|no)|\b[A-Z])\.$", re.IGNORECASE
)
_LETTER: Final = re.compile(r"\w")


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, stripped; none of blank text. A piece without a letter or digit joins the one before.

    >>> split_sentences("I met Dr. Lee today. He was kind! :) Have you met him?")
    ['I met Dr. Lee today.', 'He was kind! :)', 'Have you met him?']
    """
    pieces: list[str] = []
    start = 0
    for match in _END.finditer(text):
        piece = text[start : match.end()].strip()
        if "\n" not in match[0] and _ABBREVIATED.search(piece) and not piece.endswith(" I."):
            continue
        pieces.append(piece)
        start = match.end()
    pieces.append(text[start:].strip())
    joined: list[str] = []
    for piece in pieces:
        if joined and piece and not _LETTER.search(piece[:2] if piece[:1] in ":;" else piece):
            # A smiley: the words behind it are another sentence.
            smiley, _, rest = piece.partition(" ")
            joined[-1] = f"{joined[-1]} {smiley}"
            piece = rest.strip()
        if piece:
            joined.append(piece)
    return joined


def has_words(text: str) -> bool:
    """Whether the text says anything: an emoji or a row of dots contradicts nothing.

    >>> [has_words(text) for text in ("Hi!", "7", "はい", "...", "🎉 :)", " ")]
    [True, True, True, False, False, False]
    """
    return any(letter.isalnum() for letter in text)


def is_question(sentence: str) -> bool:
    """Whether the sentence ends in a question mark, closing quotes and brackets aside."""
    return sentence.rstrip("\"'”’)」』） ").endswith(("?", "？", "؟"))


def mostly_latin(texts: Iterable[str]) -> bool:
    """Whether at least half of all letters are Latin ones, as in the English that the shipped detector learnt from.

    >>> mostly_latin(["I like tea.", "Ça va?"]), mostly_latin(["お茶が好きです。"])
    (True, False)
    """
    letters = [letter for text in texts for letter in text if letter.isalpha()]
    latin = sum(letter.isascii() or unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    return 2 * latin >= len(letters)
