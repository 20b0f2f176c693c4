"""Skip-Thought vectors of texts, by weights of any origin."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from dialeval.encoder.model import Vectors
from dialeval.metrics.skip_thought.model import run_encoder
from dialeval.metrics.skip_thought.vocabulary import words_of

_TEXTS_AT_ONCE: Final = 64


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
