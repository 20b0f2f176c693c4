"""Base of the three embedding metrics: words, vectors, references, and the cases without them."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats
from dialeval.core.batches import lacks_references
from dialeval.data.types import Example
from dialeval.metrics.embedding.sources import ENCODER, Source
from dialeval.metrics.embedding.vectors import EncodedTexts, Integers, WordVectors, encode
from dialeval.metrics.rows import MeanOfValues, item_texts, require_references
from dialeval.text.tokenisers.words import search_terms

Profile: TypeAlias = Literal["default", "nlgeval"]

# Enough to keep the kernels busy, and few enough that a long list of examples needs little memory.
_EXAMPLES_AT_ONCE: Final = 2048
_RUN: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class EmbeddingMetric(MeanOfValues[Example]):
    """A comparison of the vectors of a response's words with those of its references' words."""

    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    silence: ClassVar[float] = 0.0
    family: ClassVar[str] = "word vectors"
    profile: Profile = "default"
    vectors: str = ENCODER

    def __post_init__(self) -> None:
        Source(self.vectors).check()

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The vectors and their hash, and which words have one."""
        tokens, case, unknown = (
            ("treebank", "mixed", "mean") if self.profile == "nlgeval" else ("words", "lower", "skipped")
        )
        source = Source(self.vectors).fact
        return (("vectors", source), ("tokens", tokens), ("case", case), ("unknown", unknown))

    @property
    def resources(self) -> Mapping[str, str]:
        """The file of vectors, by name and sha256."""
        return Source(self.vectors).resources

    def unscorable(self, example: Example) -> str | None:
        """``no references``, no known word in them or in the response, or None. An empty response is scored."""
        if not example.references:
            return lacks_references(example)
        if self.profile == "nlgeval":
            return None if any(map(str.strip, example.references)) else "no word in any reference"
        knows = Source(self.vectors).load().knows
        # Lazily: nearly always the first word is known and the others need not be cut.
        if not any(any(map(knows, each_lower_word(text))) for text in example.references):
            return "no known word in any reference"
        text = example.response.text
        if any(map(knows, each_lower_word(text))) or not lower_words(text):
            return None
        return "no known word in the response"

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of the example's score, 1, and how many of its words are unknown out of how many.

        The first two are 0 for an example that cannot be scored; words are those of response and references.
        """
        require_references(self.name, examples)
        chunks = range(0, len(examples), _EXAMPLES_AT_ONCE)
        rows = [self._rows(examples[start : start + _EXAMPLES_AT_ONCE]) for start in chunks]
        return np.concatenate([np.empty((0, 4)), *rows])

    def rows_of(self, encoded: EncodedTexts, owners: Integers) -> Floats:
        """Return the same rows from encoded texts: responses, each followed by its references.

        ``owners`` holds the beginning of each example's texts, and last the number of texts.
        """
        scores = self._similarities(encoded, owners)
        # Saying nothing has no likeness to anything; a system that could not be scored would gain by silence.
        scores[np.isnan(scores) & _answerless(encoded, owners)] = 0.0
        scored = ~np.isnan(scores)
        rows = np.zeros((len(scores), 4))
        rows[scored, 0], rows[scored, 1] = scores[scored], 1
        rows[:, 2] = np.add.reduceat(encoded.unknown, owners[:-1])
        rows[:, 3] = np.add.reduceat(encoded.lengths, owners[:-1])
        return rows

    @abstractmethod
    def _similarities(self, encoded: EncodedTexts, owners: Integers) -> Floats:
        """Each example's best score over its references; NaN if there is nothing to compare."""

    def _rows(self, examples: Sequence[Example]) -> Floats:
        texts, owners = item_texts(examples)
        return self.rows_of(_encoded(tuple(texts), self.profile, Source(self.vectors).load()), owners)


# Studies ask all three metrics about the same few batches in turn, and cutting words is most of the work.
@lru_cache(maxsize=8)
def _encoded(texts: tuple[str, ...], profile: Profile, vectors: WordVectors) -> EncodedTexts:
    if profile == "nlgeval":
        return encode(treebank_words(texts), vectors, unknown="mean")
    return encode([lower_words(text) for text in texts], vectors, unknown="skip")


def _answerless(encoded: EncodedTexts, owners: Integers) -> NDArray[np.bool_]:
    """Examples whose response has no word at all, and some reference a known one."""
    present = np.diff(encoded.starts) > 0
    responses = owners[:-1]
    references = np.add.reduceat(present, responses, dtype=np.int64) - present[responses]
    return np.asarray((encoded.lengths[responses] == 0) & (references > 0))


def lower_words(text: str) -> list[str]:
    r"""Runs of ``\\w``, lower-cased; Han and kana one by one.

    >>> lower_words("Isn't Straße 東京 GREAT?")
    ['isn', 't', 'straße', '東', '京', 'great']
    """
    if text.isascii():
        return _RUN.findall(text.lower())
    return [word for run in _RUN.findall(text) for word in _parts(run)]


def each_lower_word(text: str) -> Iterator[str]:
    """Cut the same words, each when it is asked for."""
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


@dataclass(frozen=True, slots=True)
class EmbeddingAverage(EmbeddingMetric):
    """Cosine of the mean word vectors of a response and its closest reference, in [-1, 1].

    Higher is better. The corpus score is the mean. With ``profile="nlgeval"`` unknown words get the mean vector of
    the table; by default they are skipped and counted, and a response or references without any known word are
    not scored. An empty response scores 0, and so do vectors that sum to 0.
    """

    name: ClassVar[str] = "embedding_average"

    def _similarities(self, encoded: EncodedTexts, owners: Integers) -> Floats:
        from dialeval.metrics.embedding._kernels import best_averages

        best = np.full(len(owners) - 1, np.nan)
        response, reference = np.empty((2, encoded.matrix.shape[1]))
        best_averages(encoded.matrix, encoded.words, encoded.starts, owners, response, reference, best)
        return best


@dataclass(frozen=True, slots=True)
class VectorExtrema(EmbeddingMetric):
    """Cosine of the most extreme word values, dimension by dimension, of a response and a reference, in [-1, 1].

    Higher is better; the closest reference counts and the corpus score is the mean. In each dimension a text takes
    the value farthest from 0 among its words, and of two equally far the negative one. With ``profile="nlgeval"``
    unknown words get the mean vector of the table; by default they are skipped and counted, and a response or
    references without any known word are not scored. An empty response scores 0.
    """

    name: ClassVar[str] = "vector_extrema"

    def _similarities(self, encoded: EncodedTexts, owners: Integers) -> Floats:
        from dialeval.metrics.embedding._kernels import best_extrema

        best = np.full(len(owners) - 1, np.nan)
        response, reference = np.empty((2, encoded.matrix.shape[1]), np.float32)
        best_extrema(encoded.matrix, encoded.words, encoded.starts, owners, response, reference, best)
        return best


@dataclass(frozen=True, slots=True)
class GreedyMatching(EmbeddingMetric):
    """Mean cosine of each word with its closest word in the other text, in [-1, 1].

    Higher is better. The mean over the response's words and the mean over the reference's are averaged; the best
    reference counts and the corpus score is the mean. With ``profile="nlgeval"`` unknown words get the mean vector
    of the table; by default they are skipped and counted, and a response or references without any known word are
    not scored. An empty response scores 0.
    """

    name: ClassVar[str] = "greedy_matching"

    def _similarities(self, encoded: EncodedTexts, owners: Integers) -> Floats:
        from dialeval.metrics.embedding._kernels import best_matches

        best = np.full(len(owners) - 1, np.nan)
        longest = int(np.diff(encoded.starts).max(initial=0)) + 3
        rows = np.zeros((longest, encoded.matrix.shape[1]), np.float32)
        row, four = np.empty(encoded.matrix.shape[1], np.float32), np.empty(4, np.float32)
        numbers = (encoded.words, encoded.starts, owners)
        best_matches(encoded.matrix.copy(), *numbers, rows, np.empty(longest), row, four, best)
        return best
