"""Turns of a corpus as vectors of the embedded encoder, and which of them are nearest to a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dialeval.core import Floats
from dialeval.encoder import EMBEDDED, Vectors, find_encoder, load_encoder
from dialeval.text.search.postings import Hit


@dataclass(frozen=True, slots=True, eq=False)
class TurnVectors:
    """Unit vectors of turns, one row each: 1.5 KB a turn, and a text is compared with every one of them."""

    units: Floats

    def nearest(self, text: str) -> Iterator[Hit]:
        """Every turn, that of the highest cosine first; ties go to the earlier one."""
        cosines = self.units @ _encoded([text])[0]
        for at in np.argsort(-cosines, kind="stable"):
            yield Hit(int(at), float(cosines[at]))


def turn_vectors(turns: Sequence[str]) -> TurnVectors:
    """The turns' vectors; a text that occurs more than once is encoded once."""
    place = {text: at for at, text in enumerate(dict.fromkeys(turns))}
    return TurnVectors(_encoded(list(place))[[place[text] for text in turns]])


def encoder_fact() -> str:
    """The encoder as a signature names it."""
    return find_encoder(EMBEDDED).fact


def encoder_resources() -> Mapping[str, str]:
    """The encoder's weights by name and sha256."""
    weights = find_encoder(EMBEDDED)
    return {weights.name: weights.sha256}


def _encoded(texts: Sequence[str]) -> Floats:
    """Means of token vectors, as sentence-transformers pools them, brought to length 1."""
    weights = find_encoder(EMBEDDED)
    encoder = load_encoder(weights)
    tokens = encoder.tokens(texts, longest=weights.sentence_length)
    means = np.stack(encoder.states(tokens, keep=_mean)).astype(np.float64)
    lengths: Floats = np.linalg.norm(means, axis=1, keepdims=True)
    units: Floats = means / np.maximum(lengths, 1e-12)
    return units


def _mean(states: Vectors) -> Vectors:
    mean: Vectors = states.mean(axis=0)
    return mean
