"""Result of a bench: ours and its peer, measured in the same run."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BenchResult:
    """Seconds of ours and of the peer, doing the same work on the same data."""

    name: str
    ours_seconds: float
    peer_seconds: float
    """NaN without a peer."""
    note: str
    """What the peer is, and whatever else one must know to read the ratio."""
    peak_mb: float | None = None
    """Most memory ours held, in a process of its own; None where that was not the question."""

    @property
    def ratio(self) -> float:
        """How many times faster than the peer; below one is slower."""
        return self.peer_seconds / self.ours_seconds


HEADING = f"{'bench':<38} {'ours s':>9} {'peer s':>9} {'ratio':>8} {'peak MB':>8}  note"


def line(result: BenchResult) -> str:
    """The result under the heading."""
    peak = "" if result.peak_mb is None else f"{result.peak_mb:.0f}"
    alone = math.isnan(result.peer_seconds)
    peer = f"{'–':>9} {'–':>8}" if alone else f"{result.peer_seconds:>9.3f} {result.ratio:>7.2f}x"
    return f"{result.name:<38} {result.ours_seconds:>9.3f} {peer} {peak:>8}  {result.note}"
