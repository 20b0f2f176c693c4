"""Sentence vectors at length 1, so that their dot products are cosines."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dialeval.core import Floats
from dialeval.metrics.sentence_cosine import SentenceCosine


def unit_vectors(texts: Iterable[str], model: str) -> dict[str, Floats]:
    """The vector of each text by that encoder, at length 1; NaN for a blank text, whose cosines are undefined."""
    wanted = set(texts)
    known = sorted(text for text in wanted if text.strip())
    vectors = SentenceCosine(model).encode(known).astype(np.float64) if known else np.zeros((0, 1))
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = np.divide(vectors, lengths, out=np.full_like(vectors, np.nan), where=lengths > 0)
    blank = np.full(vectors.shape[1], np.nan)
    return {**dict.fromkeys(wanted, blank), **dict(zip(known, units, strict=True))}
