"""Cosines of sentence vectors, shared by ``sentence_cosine`` and ``skip_thought``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from dialeval.data.types import Example
from dialeval.encoder.model import Vectors
from dialeval.encoder.sentences import to_units

Encode: TypeAlias = Callable[[Sequence[str]], Vectors]
"""From texts, none of them blank, to one vector each, shape (n, size)."""


def best_cosines(examples: Sequence[Example], encode: Encode) -> list[float]:
    """For each example, the cosine of its response's vector with the reference's that is nearest.

    Each text is encoded once. A blank text has no vector: it is as far (0) from any other text as can be said, and
    the same (1) as another blank one.
    """
    texts = {text.strip() for example in examples for text in (example.response.text, *example.references)}
    # In order, so that the order of the examples cannot show, not even in rounding.
    known = {text: index for index, text in enumerate(sorted(texts - {""}))}
    units = to_units(encode(list(known))) if known else np.empty((0, 0))

    def alike(response: str, reference: str) -> float:
        if not response or not reference:
            return float(response == reference)
        return float(np.clip(units[known[response]] @ units[known[reference]], -1, 1))

    return [
        max(alike(example.response.text.strip(), text.strip()) for text in example.references)
        for example in examples
    ]
