"""Tokenisers by the names that signatures give them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Final, Literal, Protocol, TypeAlias

from dialeval.errors import ResourceUnavailable, install_command
from dialeval.lazy import Table

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
Tokeniser: TypeAlias = Callable[[Sequence[str]], list[list[str]]]

_ENTRIES: Final = 392126


class _Tagger(Protocol):
    def parse(self, text: str) -> str: ...
    def version(self) -> str: ...


def split_japanese(texts: Sequence[str]) -> list[list[str]]:
    """The words of MeCab; a ResourceUnavailable says how to install it if it is absent."""
    tagger = _tagger()
    return [tagger.parse(text.strip()).split() for text in texts]


def mecab_version() -> str:
    """Return which MeCab and dictionary cut the words, for signatures."""
    return f"{_tagger().version()}-IPA"


def _install() -> str:
    return f"Run: {install_command('ja')}"


@cache
def _tagger() -> _Tagger:
    try:
        ipadic, mecab = import_module("ipadic"), import_module("MeCab")
    except ImportError:
        raise ResourceUnavailable(
            f"Japanese words need MeCab, which is not installed. {_install()}"
        ) from None
    tagger = mecab.Tagger(f"{ipadic.MECAB_ARGS} -Owakati")
    dictionary = tagger.dictionary_info()
    if dictionary.size != _ENTRIES or dictionary.next is not None:
        found = f"a dictionary of {dictionary.size:,} entries"
        raise ResourceUnavailable(
            f"Japanese words: found {found}, expected the IPA dictionary of {_ENTRIES:,} and no other. {_install()}"
        )
    words: _Tagger = tagger
    return words


TOKENISERS: Final[Table[Tokeniser, None]] = Table(None)
"""``none`` is sacrebleu's name for words that whitespace parts, which nlg-eval leaves unnamed."""


@TOKENISERS.family("13a", "char", "intl", "zh")
def _mteval() -> tuple[Tokeniser, ...]:
    from dialeval.text.tokenisers.mteval import (
        split_13a,
        split_characters,
        split_chinese,
        split_international,
    )

    return split_13a, split_characters, split_international, split_chinese


@TOKENISERS.family("google", "google-stems", "none", "whitespace")
def _words() -> tuple[Tokeniser, ...]:
    from dialeval.text.tokenisers.words import split_alphanumeric, split_each, split_stems

    return split_alphanumeric, split_stems, split_each, split_each


@TOKENISERS.entry("treebank")
def _treebank() -> Tokeniser:
    from dialeval.text.tokenisers.treebank import word_tokenize_all

    return word_tokenize_all


@TOKENISERS.entry("ja-mecab")
def _japanese() -> Tokeniser:
    return split_japanese


def token_facts(tokens: Tokens) -> tuple[tuple[str, str], ...]:
    """Return what else moves the cut, for signatures: the Japanese one is MeCab's and its dictionary's, by version."""
    return (("mecab", mecab_version()),) if tokens == "ja-mecab" else ()
