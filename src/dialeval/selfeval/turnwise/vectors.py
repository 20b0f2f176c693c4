"""Unit vectors of turns by an encoder that is left as it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialeval.core import Floats
from dialeval.encoder.files import Weights
from dialeval.encoder.model import load_encoder
from dialeval.encoder.sentences import to_units

_AT_ONCE = 4096


def turn_units(texts: Sequence[str], weights: Weights, longest: int) -> Floats:
    """The mean of each text's states at length 1, shape (n, d); texts are cut to ``longest`` tokens."""
    encoder = load_encoder(weights)
    parts = []
    for start in range(0, len(texts), _AT_ONCE):
        tokens = encoder.tokens(texts[start : start + _AT_ONCE], longest=longest)
        parts.append(to_units(np.stack(encoder.states(tokens, keep=lambda states: states.mean(axis=0)))))
    return np.concatenate(parts) if parts else np.zeros((0, 0))
