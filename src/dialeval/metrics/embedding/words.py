"""Tokenisation of the embedding metrics, in two ways."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from dialeval.text.tokenisers.words import search_terms

_RUN: Final = re.compile(r"\w+")


def lower_words(text: str) -> list[str]:
    r"""Runs of ``\\w``, lower-cased; Han and kana one by one.

    >>> lower_words("Isn't Straße 東京 GREAT?")
    ['isn', 't', 'straße', '東', '京', 'great']
    """
    if text.isascii():
        return _RUN.findall(text.lower())
    return [word for run in _RUN.findall(text) for word in _parts(run)]


def each_lower_word(text: str) -> Iterator[str]:
    """The same words, each cut when it is asked for."""
    for run in _RUN.finditer(text):
        yield from _parts(run[0])


def treebank_words(texts: Iterable[str]) -> list[list[str]]:
    """Words as NLTK's ``word_tokenize`` cuts them, case kept, as nlg-eval does."""
    from dialeval.text.tokenisers.treebank import word_tokenize_all

    return word_tokenize_all(list(texts))


def _parts(run: str) -> list[str]:
    # Search terms are case-folded, which no table of vectors is (ß becomes ss): only their cuts are wanted.
    if run.isascii() or len(parts := search_terms(run)) == 1:
        return [run.lower()]
    return parts
