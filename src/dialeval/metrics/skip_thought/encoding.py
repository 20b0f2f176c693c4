"""Skip-Thought vectors of texts, by encoders loaded from folders of ours or of the authors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from dialeval.core import Floats
from dialeval.encoder.model import Vectors
from dialeval.errors import BadInput, Unsuitable
from dialeval.metrics.embedding.sources import Source
from dialeval.metrics.embedding.vectors import WordVectors
from dialeval.metrics.skip_thought.data import UNKNOWN, words_of
from dialeval.metrics.skip_thought.folder import DICTIONARY, PUBLISHED, own_files, published_files, read_model
from dialeval.metrics.skip_thought.model import run_encoder

_TEXTS_AT_ONCE: Final = 64
UNKNOWN_WORD: Final = "UNK"
_PREFIXES: Final = {"uni": ("encoder",), "bi": ("encoder", "encoder_r")}
_TODO: Final = "Give the folder with the authors' files as they were published."


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One encoder: the vectors of its words, row by row, and its GRU, which may be bidirectional."""

    table: Vectors
    gru: nn.GRU
    expand: Callable[[Sequence[str]], tuple[Vectors, Sequence[bool]]] | None = None
    """Vectors of words that the table lacks, and which of them are known."""


@dataclass(frozen=True, slots=True, eq=False)
class SentenceEncoder:
    """One or two encoders that share their words."""

    parts: tuple[Part, ...]
    index: Mapping[str, int]
    """The row of each word."""
    unknown: int
    """The row for words that have none."""
    lowercase: bool

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One vector per text, none of them blank: the parts' vectors, each of length 1, one after the other."""
        split = words_of(texts, lowercase=self.lowercase)
        order = sorted(range(len(texts)), key=lambda index: len(split[index]))
        rows: dict[int, Vectors] = {}
        for start in range(0, len(order), _TEXTS_AT_ONCE):
            some = order[start : start + _TEXTS_AT_ONCE]
            joined = self._run([split[index] for index in some])
            rows.update(zip(some, joined, strict=True))
        return np.stack([rows[index] for index in range(len(texts))])

    def _run(self, sentences: Sequence[Sequence[str]]) -> Vectors:
        with torch.inference_mode():
            vectors = [
                functional.normalize(
                    run_encoder(
                        part.gru, [torch.from_numpy(self._look_up(part, words)) for words in sentences]
                    )
                )
                for part in self.parts
            ]
            return np.asarray(torch.cat(vectors, dim=1).numpy(), np.float32)

    def _look_up(self, part: Part, words: Sequence[str]) -> Vectors:
        rows = [self.index.get(word, self.unknown) for word in words]
        vectors = np.array(part.table[rows], np.float32)
        if part.expand is not None:
            lacking = [index for index, word in enumerate(words) if word not in self.index]
            mapped, known = part.expand([words[index] for index in lacking])
            for index, vector, knows in zip(lacking, mapped, known, strict=True):
                if knows:
                    vectors[index] = vector
        return vectors


@lru_cache(maxsize=2)
def load_sentence_encoder(folder: Path, sha256: str, vectors: str | None) -> SentenceEncoder:
    """The encoder in the folder, with words from ``vectors`` where they are named; loaded once a process.

    ``sha256`` is that of the files: another hash is another encoder, though the folder be the same.
    """
    encoder = _load_own(folder) if own_files(folder) else load_published(folder)
    if vectors is None:
        return encoder
    source = Source(vectors).load()
    words = list(encoder.index)
    rows = [encoder.index[word] for word in words]
    parts = (replace(part, expand=expand(source, words, part.table[rows])) for part in encoder.parts)
    return replace(encoder, parts=tuple(parts))


def _load_own(folder: Path) -> SentenceEncoder:
    encoders, vocabulary = read_model(folder)
    parts = [
        Part(
            np.asarray(encoder.words.weight.detach().numpy(), np.float32),
            encoder.encoder.eval().requires_grad_(False),
        )
        for encoder in encoders.values()
    ]
    return SentenceEncoder(tuple(parts), vocabulary.index, UNKNOWN, vocabulary.lowercase)


def fit_linear_map(source: Floats, target: Floats) -> Floats:
    """The matrix that takes the rows of ``source`` nearest to those of ``target``, by least squares without penalty."""
    return np.asarray(np.linalg.lstsq(source, target, rcond=None)[0], np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """Word vectors carried over into the space of a model's own."""

    vectors: WordVectors
    matrix: Floats

    def __call__(self, words: Sequence[str]) -> tuple[Vectors, list[bool]]:
        """A vector for each word, and which of the words are known."""
        vectors, known = self.vectors.of(words)
        return np.asarray(vectors @ self.matrix, np.float32), known.tolist()


def expand(vectors: WordVectors, words: Sequence[str], table: Vectors) -> Expansion:
    """The expansion learnt from the words that both have; ``table`` holds the model's vectors, row by row."""
    source, known = vectors.of(words)
    shared = int(known.sum())
    if shared < vectors.dimensions:
        raise Unsuitable(
            f"The model and the word vectors {vectors.name!r} share {shared} words; at least {vectors.dimensions} are "
            "needed to learn how one becomes the other. Give vectors of the language the model was trained on."
        )
    return Expansion(
        vectors, fit_linear_map(source[known].astype(np.float64), table[known].astype(np.float64))
    )


def load_published(folder: Path) -> SentenceEncoder:
    """The encoder in the folder: uni-skip, bi-skip or both, as it has them."""
    words = (folder / DICTIONARY).read_text(encoding="utf-8").split("\n")
    words = [word.strip() for word in (words[:-1] if words[-1] == "" else words)]
    index = {word: row for row, word in enumerate(words)}
    if UNKNOWN_WORD not in index:
        raise BadInput(str(folder / DICTIONARY), f"no word {UNKNOWN_WORD}", "a row for unknown words", _TODO)
    parts = []
    there = published_files(folder)
    for part, (table, weights) in PUBLISHED.items():
        if folder / weights in there:
            vectors = _table(folder / table, len(words))
            parts.append(Part(vectors, _gru(folder / weights, _PREFIXES[part], vectors.shape[1])))
    return SentenceEncoder(tuple(parts), index, index[UNKNOWN_WORD], lowercase=False)


def _table(path: Path, words: int) -> Vectors:
    # Mapped, not read: the published tables have 930,911 rows, of which a batch needs a few hundred.
    try:
        table: NDArray[np.float32] = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        raise BadInput(str(path), str(error), "an array of numbers", _TODO) from error
    if table.ndim != 2 or len(table) != words:
        expected = f"{words} rows, one for each word of {DICTIONARY}"
        raise BadInput(str(path), f"an array of shape {table.shape}", expected, _TODO)
    return table


def _gru(path: Path, prefixes: tuple[str, ...], inputs: int) -> nn.GRU:
    """Theano's GRU as PyTorch's: gates in the order reset, update, new; its one bias is PyTorch's first."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            ways = [
                [arrays[f"{prefix}_{name}"] for name in ("W", "U", "b", "Wx", "Ux", "bx")]
                for prefix in prefixes
            ]
    except (KeyError, ValueError) as error:
        raise BadInput(str(path), str(error).strip("'\""), "the arrays of a GRU encoder", _TODO) from error
    size = ways[0][4].shape[0]
    gru = nn.GRU(inputs, size, batch_first=True, bidirectional=len(prefixes) == 2)
    for (gates, recurrent, bias, new, recurrent_new, bias_new), suffix in zip(
        ways, ("", "_reverse"), strict=False
    ):
        shapes = [array.shape for array in (gates, recurrent, bias, new, recurrent_new, bias_new)]
        expected = [(inputs, 2 * size), (size, 2 * size), (2 * size,), (inputs, size), (size, size), (size,)]
        if shapes != expected:
            raise BadInput(str(path), f"arrays of shapes {shapes}", f"shapes {expected}", _TODO)
        with torch.no_grad():
            _fill(gru, f"weight_ih_l0{suffix}", np.concatenate([gates, new], axis=1).T)
            _fill(gru, f"weight_hh_l0{suffix}", np.concatenate([recurrent, recurrent_new], axis=1).T)
            _fill(gru, f"bias_ih_l0{suffix}", np.concatenate([bias, bias_new]))
            _fill(gru, f"bias_hh_l0{suffix}", np.zeros(3 * size))
    return gru.eval()


def _fill(gru: nn.GRU, name: str, values: NDArray[np.floating]) -> None:
    gru.get_parameter(name).copy_(torch.from_numpy(np.ascontiguousarray(values, np.float32)))
