"""One spelling for utterances of all corpora, so that nobody can tell a false candidate by its blanks."""

from __future__ import annotations

import re
from typing import Final

_BLANKS: Final = re.compile(r"\s+")
_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "“": '"', "”": '"', "…": "..."})
_NEGATION: Final = re.compile(r"(?<=\w)(?: n ?' ?t|n ' ?t|n ?' t)\b", re.IGNORECASE)
_CLITIC: Final = re.compile(r"(?<=\w) ?' ?(s|m|d|ll|re|ve)\b", re.IGNORECASE)
_MADAM: Final = re.compile(r"(?<=\bma) ?' ?am\b", re.IGNORECASE)
_BEFORE_MARK: Final = re.compile(r" +(?=[,.;:?!%)\]])")
_AFTER_MARK: Final = re.compile(r"(?<=[(\[$]) +")
_RUN_ON: Final = re.compile(r"(?<=[a-z][,.;:?!])(?=[A-Z][a-z' ])")
_I: Final = re.compile(r"(?<![\w'.])i(?=$|[\s,;?!]|'(?:m|d|ll|ve)\b)")
_START: Final = re.compile(r"(^|\w*(?<!\.)[.?!] +)([\"'(]*[a-z])")
_NO_END: Final = ("mr. ", "mrs. ", "ms. ", "dr. ", "st. ", "vs. ", "etc. ", "g. ", "e. ")


def tidy(text: str) -> str:
    """The utterance as one would write it: marks close to their words, contractions whole, sentences capitalised.

    >>> tidy("well , i 'm sure it isn 't far . is it ?")
    "Well, I'm sure it isn't far. Is it?"
    """
    text = _BLANKS.sub(" ", text.translate(_QUOTES)).strip()
    text = _CLITIC.sub(lambda found: "'" + found[1].lower(), _NEGATION.sub("n't", _MADAM.sub("'am", text)))
    text = _AFTER_MARK.sub("", _BEFORE_MARK.sub("", text))
    text = _I.sub("I", _RUN_ON.sub(" ", text))
    return _START.sub(_capitalised, text)


def _capitalised(start: re.Match[str]) -> str:
    before, letter = start.groups()
    return start[0] if before.lower() in _NO_END else before + letter[:-1] + letter[-1].upper()
