"""Tokenisers by the names that signatures give them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Final, Literal, Protocol, TypeAlias

from dialeval.errors import ResourceUnavailable
from dialeval.text.calls import Entry, Table

Tokens: TypeAlias = Literal[
    "whitespace",
    "13a",
    "none",
    "intl",
    "char",
    "zh",
    "ja-mecab",
    "treebank",
    "google",
    "google-stems",
]

_ENTRIES: Final = 392126
_INSTALL: Final = "Install it with: pip install mecab-python3 ipadic"


class _Tagger(Protocol):
    def parse(self, text: str) -> str: ...
    def version(self) -> str: ...


def split_japanese(texts: Sequence[str]) -> list[list[str]]:
    """The words of MeCab; a ResourceUnavailable says how to install it where it is absent."""
    tagger = _tagger()
    return [tagger.parse(text.strip()).split() for text in texts]


def mecab_version() -> str:
    """Which MeCab and dictionary cut the words, for signatures."""
    return f"{_tagger().version()}-IPA"


@cache
def _tagger() -> _Tagger:
    try:
        ipadic, mecab = import_module("ipadic"), import_module("MeCab")
    except ImportError:
        raise ResourceUnavailable(f"Japanese words need MeCab, which is not installed. {_INSTALL}") from None
    tagger = mecab.Tagger(f"{ipadic.MECAB_ARGS} -Owakati")
    dictionary = tagger.dictionary_info()
    if dictionary.size != _ENTRIES or dictionary.next is not None:
        found = f"a dictionary of {dictionary.size:,} entries"
        raise ResourceUnavailable(
            f"Japanese words: found {found}, expected the IPA dictionary of {_ENTRIES:,} and no other. {_INSTALL}"
        )
    words: _Tagger = tagger
    return words


TOKENISERS: Final[Table[list[list[str]]]] = Table(
    Entry("13a", "dialeval.text.tokenisers.mteval:split_13a"),
    Entry("char", "dialeval.text.tokenisers.mteval:split_characters"),
    Entry("google", "dialeval.text.tokenisers.words:split_alphanumeric"),
    Entry("google-stems", "dialeval.text.tokenisers.words:split_stems"),
    Entry("intl", "dialeval.text.tokenisers.mteval:split_international"),
    Entry("ja-mecab", "dialeval.text.tokenisers:split_japanese"),
    Entry("none", "dialeval.text.tokenisers.words:split_each"),
    Entry("treebank", "dialeval.text.tokenisers.treebank:word_tokenize_all"),
    Entry("whitespace", "dialeval.text.tokenisers.words:split_each"),
    Entry("zh", "dialeval.text.tokenisers.mteval:split_chinese"),
)
"""``none`` is sacrebleu's name for words that whitespace parts, which nlg-eval leaves unnamed."""


def token_facts(tokens: Tokens) -> tuple[tuple[str, str], ...]:
    """What else moves the cut, for signatures: the Japanese one is MeCab's and its dictionary's, by version."""
    return (("mecab", mecab_version()),) if tokens == "ja-mecab" else ()
