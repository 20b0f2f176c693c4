"""Tagged sentences that can be written down again: words, Penn Treebank tags, and where there was a space."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from dialeval.resources import require_library
from dialeval.resources.tagger import load_tagger
from dialeval.text.tokenisers.treebank import word_tokenize_all

_SPACY: Final = "en_core_web_sm"
_ATTACHED: Final = re.compile(r"n't|'(?:s|m|d|re|ve|ll)|[.,!?;:%)\]]", re.IGNORECASE)
"""Tokens that follow a word without a space, also where a corpus was tokenised before."""
_APOSTROPHES: Final = str.maketrans({"’": "'", "‘": "'", "`": "'"})


class Word(NamedTuple):
    """A word of a sentence, as it is written."""

    text: str
    tag: str
    """The Penn Treebank tag."""
    glued: bool = False
    """Whether it follows the word before without a space."""

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.text.lower()


Sentence: TypeAlias = tuple[Word, ...]


class Tagger(Protocol):
    """What finds the words of texts and their tags."""

    @property
    def name(self) -> str:
        """The tagger, as provenance shows it."""

    def words(self, texts: Sequence[str]) -> list[list[tuple[str, str]]]:
        """Words with their Penn Treebank tags."""


class PerceptronTags:
    """Treebank words with tags of the embedded perceptron tagger."""

    name: Final = "perceptron-tagger"

    def words(self, texts: Sequence[str]) -> list[list[tuple[str, str]]]:
        """Words with their Penn Treebank tags."""
        tagger = load_tagger()
        return [[(word, tag) for word, tag in tagger.tag(words)] for words in word_tokenize_all(texts)]


class SpacyTags:
    """Words and fine-grained tags of a spaCy pipeline."""

    def __init__(self, pipeline: Any) -> None:
        self.pipeline = pipeline
        self.name: Final = f"spacy-{pipeline.meta['name']}-{pipeline.meta['version']}"

    def words(self, texts: Sequence[str]) -> list[list[tuple[str, str]]]:
        """Words with their Penn Treebank tags."""
        return [
            [(token.text, token.tag_) for token in document if not token.is_space]
            for document in self.pipeline.pipe(texts)
        ]


@lru_cache(maxsize=1)
def default_tagger() -> Tagger:
    """SpaCy's small English model where it is installed, else the perceptron tagger."""
    require_library("lemminflect", "Writing questions", install="lemminflect==0.2.3")
    if importlib.util.find_spec("spacy") and importlib.util.find_spec(_SPACY):
        return SpacyTags(importlib.import_module("spacy").load(_SPACY))
    return PerceptronTags()


def tidy_text(text: str) -> str:
    """The text with single spaces, plain apostrophes, and the pronoun I in upper case.

    >>> tidy_text("yeah i’m  in North Carolina")
    "yeah I'm in North Carolina"
    """
    plain = " ".join(text.translate(_APOSTROPHES).split())
    return re.sub(r"(?<![\w'.-])i(?=$|[ ,.!?]|'(?:m|d|ve|ll)\b)", "I", plain)


def analyse(texts: Sequence[str], tagger: Tagger) -> list[Sentence]:
    """The words of each text, which is expected to be tidy."""
    return [_with_spaces(text, words) for text, words in zip(texts, tagger.words(list(texts)), strict=True)]


def _with_spaces(text: str, words: Sequence[tuple[str, str]]) -> Sentence:
    place = 0
    sentence: list[Word] = []
    for word, tag in words:
        start = text.find(word, place)
        touching = start == place and start > 0
        attached = bool(sentence) and _ATTACHED.fullmatch(word) is not None
        sentence.append(Word(word, tag, attached or touching))
        place = start + len(word) if start >= 0 else place
    return tuple(sentence)


def written(words: Sequence[Word]) -> str:
    """The words as text.

    >>> written((Word("Are", "VBP"), Word("n't", "RB", True), Word("you", "PRP"), Word("?", ".", True)))
    "Aren't you?"
    """
    parts = [word.text if word.glued or not index else f" {word.text}" for index, word in enumerate(words)]
    return "".join(parts)


def capitalised(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]
