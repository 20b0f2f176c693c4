"""Utterances as weighted means of the vectors of their words: smooth inverse frequency (Arora et al., 2017)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from dialeval.encoder.files import EMBEDDED, find_encoder
from dialeval.encoder.model import Encoder, load_encoder
from dialeval.metrics.embedding import Source
from dialeval.resources import require_library
from dialeval.selection.repository.words import NEGATIONS, tidy, words

Vectors: TypeAlias = NDArray[np.float32]

_ROWS_AT_ONCE: Final = 8_192

A: Final = 1e-3
"""The constant a of Arora et al. (2017), section 4: between 1e-4 and 1e-3 in their experiments."""
_TEXTS_AT_ONCE: Final = 512
_WORD: Final = re.compile(r"\w+(?:'\w+)*")


def weight(word: str) -> float:
    """Weight of a word: a / (a + p(w)), with its share p of all running English text; 1 of an unknown word.

    Arora et al. (2017), equation 4; p from wordfreq.
    """
    return A / (A + _word_shares().get(NEGATIONS.get(word, word), 0.0))


def first_component(vectors: Vectors) -> Vectors:
    """The direction that sentence vectors have most in common, at length 1: their first right singular vector.

    Arora et al. (2017), algorithm 1, line 4: the vectors are not centred. Its sign is such that its sum is not
    negative. All zeros where all vectors are.
    """
    products = np.zeros((vectors.shape[1], vectors.shape[1]))
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        wide = vectors[start : start + _ROWS_AT_ONCE].astype(np.float64)
        products += wide.T @ wide
    _, directions = np.linalg.eigh(products)
    direction = directions[:, -1] if products.any() else np.zeros(len(products))
    return np.asarray(direction * (-1 if direction.sum() < 0 else 1), np.float32)


def units_without(vectors: Vectors, component: Vectors) -> Vectors:
    """The vectors less their projection on the component, at length 1, so that their dot products are cosines.

    Arora et al. (2017), algorithm 1, line 6. What is nothing but the component, or nothing at all, stays zero.
    """
    wide = vectors.astype(np.float32)
    rest = wide - np.outer(wide @ component, component)
    lengths = np.linalg.norm(rest, axis=1, keepdims=True)
    # Rounding leaves a trace of a vector that is nothing but the component.
    solid = lengths > 1e-4 * np.linalg.norm(wide, axis=1, keepdims=True)
    units: Vectors = np.divide(rest, lengths, out=np.zeros_like(rest), where=solid)
    return units


@lru_cache(maxsize=1)
def _word_shares() -> Mapping[str, float]:
    require_library("wordfreq", "Weighing words")
    from wordfreq import get_frequency_dict

    return get_frequency_dict("en", wordlist="large")


class SentenceVectors(Protocol):
    """Something that turns utterances into SIF-weighted means of word vectors."""

    @property
    def fact(self) -> str:
        """The vectors by name and hash."""

    @property
    def dimensions(self) -> int:
        """Number of dimensions of a vector."""

    def encode(self, texts: Sequence[str], /) -> Vectors:
        """One vector per text, shape (n, dimensions): the sum of weight times word vector over the number of words.

        The first component is still in them. All zeros where no word is known.
        """


@dataclass(frozen=True, slots=True)
class StaticVectors:
    """Each word has the same vector everywhere: cheap, some ten thousand utterances a second on one core."""

    source: str = EMBEDDED
    """``minilm`` (the encoder's input embeddings, a word being the mean of its pieces), GloVe, or a file."""

    @property
    def fact(self) -> str:
        """The table by name and hash."""
        return f"static:{Source(self.source).fact}"

    @property
    def dimensions(self) -> int:
        """Number of dimensions of a vector."""
        return Source(self.source).load().dimensions

    def encode(self, texts: Sequence[str], /) -> Vectors:
        """One vector per text."""
        from scipy.sparse import csr_array

        split = [words(text) for text in texts]
        numbers = {word: index for index, word in enumerate(dict.fromkeys(chain.from_iterable(split)))}
        matrix, known = Source(self.source).load().of([NEGATIONS.get(word, word) for word in numbers])
        weights = np.array([weight(word) for word in numbers], np.float32) * known
        columns = [[numbers[word] for word in text] for text in split]
        counts = [max(int(known[row].sum()), 1) for row in columns]
        flat = np.fromiter(chain.from_iterable(columns), np.int64)
        bounds = np.cumsum([0, *map(len, columns)])
        shares = weights[flat] / np.repeat(counts, np.diff(bounds))
        mixing = csr_array((shares.astype(np.float32), flat, bounds), shape=(len(texts), len(numbers)))
        return np.asarray(mixing @ matrix, np.float32)


@dataclass(frozen=True, slots=True)
class ContextualVectors:
    """Each word's vector depends on its sentence, as ELMo's does in the paper: some hundred a second."""

    model: str = EMBEDDED
    """``minilm``, or the folder of a Hugging Face encoder; its last layer is read."""

    @property
    def fact(self) -> str:
        """The encoder by name and hash."""
        return f"contextual:{find_encoder(self.model).fact}"

    @property
    def resources(self) -> Mapping[str, str]:
        """The encoder and its sha256."""
        return find_encoder(self.model).resources

    @property
    def dimensions(self) -> int:
        """Number of dimensions of a vector."""
        size = find_encoder(self.model).setting("config.json", "hidden_size", "d_model", "dim")
        return cast(int, size)

    def encode(self, texts: Sequence[str], /) -> Vectors:
        """One vector per text; a word's is the mean of its pieces'."""
        encoder = load_encoder(find_encoder(self.model))
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            tidied = [tidy(text) for text in texts[start : start + _TEXTS_AT_ONCE]]
            vectors[start : start + len(tidied)] = _encode(encoder, tidied)
        return vectors


def _encode(encoder: Encoder, texts: list[str]) -> Vectors:
    states, offsets = encoder.states(encoder.tokens(texts)), encoder.offsets(texts)
    shares = [_token_shares(text, places) for text, places in zip(texts, offsets, strict=True)]
    return np.stack([share @ state for share, state in zip(shares, states, strict=True)])


def _token_shares(text: str, offsets: Sequence[tuple[int, int]]) -> Vectors:
    """Weight of each token: its word's weight, shared among the word's pieces, over the number of words."""
    owner = np.full(len(text) + 1, -1)
    weights: list[float] = []
    for result in _WORD.finditer(text):
        owner[result.start() : result.end()] = len(weights)
        weights.append(weight((words(result[0]) or [result[0]])[0]))
    # Special tokens and marks belong to no word; offsets are empty for the first kind.
    owners = np.array([owner[start] if end > start else -1 for start, end in offsets])
    inside = owners >= 0
    pieces = np.bincount(owners[inside], minlength=len(weights))
    shares = np.zeros(len(offsets), np.float32)
    if inside.any():
        present = np.count_nonzero(pieces)
        shares[inside] = (np.array(weights) / np.maximum(pieces, 1))[owners[inside]] / present
    return shares
