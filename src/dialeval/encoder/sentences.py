"""Sentence vectors of an encoder, their unit vectors, and the search for the nearest of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dialeval.core import Floats
from dialeval.encoder.files import EMBEDDED, Weights, find_encoder
from dialeval.encoder.model import Vectors, load_encoder
from dialeval.text.search import Hit


def sentence_vectors(texts: Sequence[str], weights: Weights) -> Vectors:
    """One vector per text, pooled as the encoder's settings say, shape (n, size); not of length 1."""
    encoder = load_encoder(weights)
    tokens = encoder.tokens(texts, longest=weights.sentence_length)
    return np.stack(encoder.states(tokens, keep=_mean if weights.pooling == "mean" else _first))


def to_units(vectors: Vectors, *, undefined: float = 0.0) -> Floats:
    """The vectors at length 1, so that dot products are cosines; ``undefined`` throughout where the length is 0."""
    wide = vectors.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    units: Floats = np.divide(wide, lengths, out=np.full_like(wide, undefined), where=lengths > 0)
    return units


def unit_vectors(texts: Iterable[str], model: str) -> dict[str, Floats]:
    """The unit vector of each text by that encoder; NaN for a blank text, whose cosines are undefined."""
    wanted = set(texts)
    known = sorted(text for text in wanted if text.strip())
    if not known:
        return dict.fromkeys(wanted, np.full(1, np.nan))
    units = to_units(sentence_vectors(known, find_encoder(model)), undefined=np.nan)
    blank = np.full(units.shape[1], np.nan)
    return {**dict.fromkeys(wanted, blank), **dict(zip(known, units, strict=True))}


@dataclass(frozen=True, slots=True, eq=False)
class SentenceIndex:
    """Unit vectors of sentences by the embedded encoder, one row each: 1.5 KB a sentence, all compared with a query."""

    units: Floats

    def nearest(self, text: str) -> Iterator[Hit]:
        """Every sentence, that of the highest cosine first; ties go to the earlier one."""
        cosines = self.units @ _embedded_units([text])[0]
        for place in np.argsort(-cosines, kind="stable"):
            yield Hit(int(place), float(cosines[place]))


def index_sentences(texts: Sequence[str]) -> SentenceIndex:
    """The index of these sentences; a text that occurs more than once is encoded once."""
    rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
    return SentenceIndex(_embedded_units(list(rows))[[rows[text] for text in texts]])


def _embedded_units(texts: Sequence[str]) -> Floats:
    return to_units(sentence_vectors(texts, find_encoder(EMBEDDED)))


def _mean(states: Vectors) -> Vectors:
    mean: Vectors = states.mean(axis=0)
    return mean


def _first(states: Vectors) -> Vectors:
    first: Vectors = states[0]
    return first.copy()
