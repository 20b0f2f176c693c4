"""Random numbers that follow from the seed, the context and the sample's number alone."""

from __future__ import annotations

import hashlib
import json
from random import Random as Dice

from dialeval.data.types import Context


def context_seed(seed: int, context: Context) -> int:
    """The seed of all samples of one context."""
    return _number([seed, [(turn.speaker, turn.text, turn.name) for turn in context]])


def sample_stream(seed: int, sample: int) -> Dice:
    """Where the numbers of one sample come from; only ``random()`` stays the same from one Python to the next."""
    return Dice(_number([seed, sample]))


def _number(content: object) -> int:
    return int.from_bytes(hashlib.sha256(json.dumps(content).encode()).digest(), "big")
