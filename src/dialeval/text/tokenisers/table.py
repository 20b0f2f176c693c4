"""Table of tokenisers by the names that signatures give them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from dialeval.text.tokenisers.alphanumeric import split_alphanumeric, split_stems
from dialeval.text.tokenisers.japanese import mecab_version, split_japanese
from dialeval.text.tokenisers.mteval import split_13a, split_characters, split_chinese, split_international
from dialeval.text.tokenisers.treebank import word_tokenize_all
from dialeval.text.tokenisers.words import split_white_space

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

TOKENISERS: Final[Mapping[Tokens, Tokeniser]] = {
    "13a": split_13a,
    "char": split_characters,
    "google": split_alphanumeric,
    "google-stems": split_stems,
    "intl": split_international,
    "ja-mecab": split_japanese,
    "none": lambda texts: [split_white_space(text) for text in texts],
    "treebank": word_tokenize_all,
    "whitespace": lambda texts: [split_white_space(text) for text in texts],
    "zh": split_chinese,
}
"""``none`` is sacrebleu's name for words that whitespace parts, which nlg-eval leaves unnamed."""


def token_facts(tokens: Tokens) -> tuple[tuple[str, str], ...]:
    """What else moves the cut, for signatures: the Japanese one is MeCab's and its dictionary's, by version."""
    return (("mecab", mecab_version()),) if tokens == "ja-mecab" else ()
