"""Cosine of sentence vectors (Reimers and Gurevych, 2019, for the embedded encoder's kind)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from dialeval.core import Floats
from dialeval.data.types import Example
from dialeval.encoder.files import EMBEDDED, Weights, find_encoder
from dialeval.encoder.model import Vectors, sentence_vectors, to_units
from dialeval.metrics.rows import MeanOfValues, NeedsReferences, require_references, rows_of_values, texts_of

Encode: TypeAlias = Callable[[Sequence[str]], Vectors]
"""From texts, none of them blank, to one vector each, shape (n, size)."""


@dataclass(frozen=True, slots=True)
class SentenceCosine(NeedsReferences, MeanOfValues[Example]):
    """Likeness in meaning to the nearest reference, the cosine of sentence vectors in [-1, 1].

    A sentence's vector is the mean of its tokens' last states, or the first token's state, as the encoder's own
    settings say. The corpus score is the mean. A blank response scores 0, and 1 if a reference is blank too. What
    else is in the batch moves a value by rounding only, about 1e-6.
    """

    name: ClassVar[str] = "sentence_cosine"
    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    silence: ClassVar[float] = 0.0
    family: ClassVar[str] = "sentence vectors"
    model: str = EMBEDDED
    """``minilm``, the folder of a Hugging Face encoder, or its name on the hub."""
    hub: bool = False
    """Whether the encoder may be downloaded."""

    def __post_init__(self) -> None:
        _ = self._weights().pooling

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The encoder and its hash, its pooling, and which reference counts."""
        weights = self._weights()
        return (("encoder", weights.fact), ("pooling", weights.pooling), ("references", "best"))

    @property
    def resources(self) -> Mapping[str, str]:
        """The encoder and its sha256."""
        return self._weights().resources

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of the example's cosine and 1."""
        require_references("sentence_cosine", examples)
        return rows_of_values(best_cosines(examples, self.encode))

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One vector per text, shape (n, size), not of length 1."""
        return sentence_vectors(texts, self._weights())

    def _weights(self) -> Weights:
        return find_encoder(self.model, hub=self.hub)


def best_cosines(examples: Sequence[Example], encode: Encode) -> list[float]:
    """For each example, the cosine of its response's vector with the reference's that is nearest.

    Each text is encoded once. A blank text has no vector: it is as far (0) from any other text as can be said, and
    the same (1) as another blank one.
    """
    known = {text: index for index, text in enumerate(filter(None, texts_of(examples)))}
    units = to_units(encode(list(known))) if known else np.empty((0, 0))

    def alike(response: str, reference: str) -> float:
        if not response or not reference:
            return float(response == reference)
        return float(np.clip(units[known[response]] @ units[known[reference]], -1, 1))

    return [
        max(alike(example.response.text.strip(), text.strip()) for text in example.references)
        for example in examples
    ]
