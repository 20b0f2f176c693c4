"""The heads of SelF-Eval without torch: the paper's, and that of the authors' script."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialeval.core import Floats
from dialeval.encoder.adapters import Adapted
from dialeval.encoder.files import Vectors
from dialeval.encoder.segments import special_ids


def turn_spans(ids: Sequence[int], end: int) -> list[tuple[int, int]]:
    """Where each turn's tokens begin and end, the separator left out; an empty turn keeps its separator."""
    spans, start = [], 1
    for place, token in enumerate(ids):
        if place and token == end:
            spans.append((start, max(place, start + 1)))
            start = place + 1
    return spans


def logits_of(adapted: Adapted, tokens: Sequence[Sequence[int]]) -> Floats:
    """The logits of dialogues given as token ids, shape (dialogues, outputs)."""
    if adapted.about.facts["profile"] != "released":
        return adapted.logits_of(tokens)
    end = special_ids(adapted.encoder)[1]
    states = adapted.encoder.states(list(tokens))
    rows = [_released(adapted, own, turn_spans(ids, end)) for own, ids in zip(states, tokens, strict=True)]
    return np.array(rows, dtype=np.float64).reshape(-1, 1)


def _released(adapted: Adapted, states: Vectors, spans: Sequence[tuple[int, int]]) -> float:
    def linear(name: str, vectors: Floats) -> Floats:
        weight, bias = adapted.head[f"{name}.weight"], adapted.head[f"{name}.bias"]
        out: Floats = vectors @ weight.astype(np.float64).T + bias.astype(np.float64)
        return out

    wide = states.astype(np.float64)
    turns = np.stack([np.concatenate([wide[a:b].mean(0), wide[a:b].max(0)]) for a, b in spans])
    everything = np.concatenate([wide[:1], _elu(linear("turn", turns))])
    pooled = np.concatenate([everything.mean(0), everything.max(0)])
    return float(linear("last", _elu(linear("second", _elu(linear("first", pooled)))))[0])


def _elu(values: Floats) -> Floats:
    bent: Floats = np.where(values > 0, values, np.expm1(np.minimum(values, 0)))
    return bent
