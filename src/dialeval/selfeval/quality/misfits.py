"""Turns that fit neither what was said before them nor what was said next, as the cross-encoder has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from dialeval.core import Floats
from dialeval.selfeval.crossencoder.reading import fit_logits

MOST: Final = 0.25
"""Of a misfit: less than a plain fault, since people change the subject too."""


def misfits(texts: Sequence[str], places: Sequence[int]) -> Floats:
    """For the turns at these places, from 0 up to `MOST`, which is divided by one plus the product of two odds.

    The odds are those that the turn fits the ones before it, and that the next one fits it; a last turn has only the
    first, which counts twice. ``texts`` are the dialogue's turns that say something, none of the places being 0.
    """
    before = [texts[: place + 1] for place in places]
    after = [texts[place : place + 2] for place in places if place + 1 < len(texts)]
    logits = fit_logits([*before, *after]) if places else np.zeros(0)
    own, following = logits[: len(places)], iter(logits[len(places) :].tolist())
    both = [
        logit + (next(following) if place + 1 < len(texts) else logit)
        for place, logit in zip(places, own.tolist(), strict=True)
    ]
    shares: Floats = MOST / (1 + np.exp(np.clip(both, -60, 60)))
    return shares
