"""The texts of many examples side by side, as compiled counting takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.data.types import Example


class ItemTexts(NamedTuple):
    """The texts of many examples in one list, each example's response before its references."""

    texts: list[str]
    first: NDArray[np.int64]
    """Where each example's response is; one more place than examples, the last where all end."""


def item_texts(examples: Sequence[Example]) -> ItemTexts:
    """The responses and references of ``examples``."""
    texts = [text for e in examples for text in (e.response.text, *e.references)]
    first = np.cumsum([0, *(1 + len(e.references) for e in examples)])
    return ItemTexts(texts, first.astype(np.int64))
