"""SelF-Eval's reading of a dialogue: turns marked by speaker, in windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

SPEAKERS: Final = ("A: ", "B: ")


def marked(turns: Sequence[str]) -> list[str]:
    """Each turn after the mark of its speaker, who alternate; the last one is always B, as a response is."""
    last = len(turns) - 1
    return [f"{SPEAKERS[1 - (last - place) % 2]}{turn}" for place, turn in enumerate(turns)]


def windows(turns: Sequence[str], size: int) -> list[tuple[str, ...]]:
    """All of a dialogue in windows of at most ``size`` turns that overlap by half; the last one ends the dialogue.

    A dialogue of n turns has one window for n <= size, else 1 + ceil((n - size) / (size // 2)).
    """
    if len(turns) <= size:
        return [tuple(turns)]
    starts = list(range(len(turns) - size, 0, -(size // 2)))[::-1]
    return [tuple(turns[start : start + size]) for start in (0, *starts)]
