"""Normalisation of sentences as RNNLG does it before it trains and scores (facts of its loader, Wen et al. 2016)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from dialeval.errors import BadInput

_CONTRACTIONS: Final = {
    "can't": "cannot",
    "won't": "will not",
    "i'm": "i am",
    "it's": "it is",
    "that's": "that is",
    "what's": "what is",
    "there's": "there is",
    "here's": "here is",
    "let's": "let us",
}
_ENDINGS: Final = (("n't", " not"), ("'re", " are"), ("'ll", " will"), ("'ve", " have"), ("'d", " would"))
_FINAL: Final = re.compile(r"\s*[.?!]\s*$")
_MARKS: Final = re.compile(r"\s*([?!,]|\.(?!\d))\s*")
_POSSESSIVE: Final = re.compile(r"(?<=\w)'s\b")
_PHONE: Final = re.compile(r"\(?\b(\d{3})\)?[ .-]+(\d{3})[ .-]+(\d{4})\b")
_SPACES: Final = re.compile(r"\s+")


def normalise(sentence: str, mapping: dict[str, str] | None = None) -> str:
    """A sentence in RNNLG's spelling.

    Lower case; phone numbers joined; ``/`` as ``and``; ``? . , !`` and ``'s`` apart; contractions written out; a final
    full stop, question or exclamation mark dropped; then the words of ``mapping`` replaced (``read_mapping``).

    >>> normalise("It's at 415 282-8283, isn't it?")
    'it is at 4152828283 , is not it'
    """
    text = _FINAL.sub("", sentence.lower().replace("’", "'"))
    text = _PHONE.sub(r"\1\2\3", text).replace("/", " and ")
    text = _MARKS.sub(r" \1 ", text)
    words = [written for word in text.split() for written in _written_out(word).split()]
    text = _POSSESSIVE.sub(" 's", " ".join(words))
    if mapping:
        text = " ".join(mapping.get(word, word) for word in text.split())
    return _SPACES.sub(" ", text).strip()


def _written_out(word: str) -> str:
    if word in _CONTRACTIONS:
        return _CONTRACTIONS[word]
    for ending, full in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending):
            return word.removesuffix(ending) + full
    return word


def read_mapping(path: Path) -> dict[str, str]:
    """A table of words and what replaces them, parted by a tab, one pair a line (RNNLG's ``mapping.pair``)."""
    mapping: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        word, tab, replacement = line.partition("\t")
        if not tab or not word.strip():
            raise BadInput(
                str(path), repr(line[:60]), "word<tab>replacement", "Separate them by a tab.", line=number
            )
        mapping[word.strip()] = replacement.strip()
    return mapping
