"""Raters whom nobody names: where a corpus lists ratings without saying whose they are.

By convention the first rating of such a list has the rater ``#1``, the second ``#2`` and so on. These are positions,
not people: ``#1`` of one item and ``#1`` of the next may be anybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_POSITION: Final = re.compile(r"#[1-9][0-9]*")


def position(number: int) -> str:
    """The rater of the rating that stands at this place of its list, counted from 1."""
    return f"#{number}"


def anonymous(raters: Iterable[str]) -> bool:
    """Whether one of the raters is a position in a list, so that nobody can be followed from item to item."""
    return any(_POSITION.fullmatch(rater) for rater in raters)
