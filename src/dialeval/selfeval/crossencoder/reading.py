"""How well responses fit what was said just before, as the shipped cross-encoder has learnt it; loads no torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dialeval.core import Floats
from dialeval.encoder.adapters import AdapterFile, load_adapter
from dialeval.selfeval.metric import EMBEDDED, adapter_file

KIND: Final = "cross_encoder"
"""What an adapter's file says that it is."""
BASE: Final = "deberta"
"""The base that the shipped adapter changes."""
BEFORE: Final = 2
"""Turns before a response that are read."""


def shipped_file() -> AdapterFile:
    """The adapter that comes with dialeval; ResourceUnavailable without its base."""
    return adapter_file(EMBEDDED, KIND)


def fit_logits(turns: Sequence[Sequence[str]]) -> Floats:
    """Log-odds that the last of these turns fits the ones before it, shape (n,)."""
    asked = [tuple(each[-BEFORE - 1 :]) for each in turns]
    # In one order, whatever the order of the subjects, so that rounding cannot show it.
    different = sorted(set(asked))
    rows = {texts: row for row, texts in enumerate(different)}
    logits: Floats = load_adapter(shipped_file()).logits(different)[[rows[texts] for texts in asked], 0]
    return logits
