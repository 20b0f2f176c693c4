"""Plots as SVG: small, one measure each, the same bytes from the same numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dialeval.display.plots import COLOURS, drawing, rows, say, svg

BINS: Final = 30


@dataclass(frozen=True, slots=True)
class Dot:
    """One system in an interval plot; a system without a score keeps its row."""

    label: str
    score: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """One system in a plot of distributions."""

    label: str
    values: NDArray[np.float64]
    unscored: int = 0


def intervals(dots: Sequence[Dot]) -> bytes:
    """An SVG with one row per system: its score as a dot, its interval as a bar."""
    with drawing(0.62 + 0.36 * len(dots)) as (figure, axes):
        for row, dot in enumerate(dots):
            colour = COLOURS[row % len(COLOURS)]
            if dot.low is not None and dot.high is not None:
                axes.plot(
                    [dot.low, dot.high],
                    [row, row],
                    color=colour,
                    linewidth=3,
                    solid_capstyle="butt",
                    alpha=0.55,
                )
            if dot.score is None:
                say(axes, row, "no score")
            else:
                axes.plot([dot.score], [row], "o", color=colour, markersize=8)
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        if all(dot.score is None for dot in dots):
            axes.set_xticks([])
        rows(axes, [dot.label for dot in dots], below=-0.6)
        return svg(figure)


def distributions(spreads: Sequence[Spread]) -> bytes:
    """An SVG with one histogram per system on a shared axis, and how many items are unscored."""
    from matplotlib.ticker import MaxNLocator

    everything = np.concatenate([np.empty(0), *(spread.values for spread in spreads)])
    edges, whole = _edges(everything), np.array_equal(everything, np.round(everything))
    counts = [np.histogram(spread.values, edges)[0] for spread in spreads]
    # Shares, not counts, so that a system with fewer scored items keeps a shape one can compare.
    shares = [count / max(count.sum(), 1) for count in counts]
    tallest = max((float(share.max()) for share in shares), default=0.0) or 1.0
    with drawing(0.62 + 0.56 * len(spreads)) as (figure, axes):
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=whole))
        for row, (spread, share) in enumerate(zip(spreads, shares, strict=True)):
            axes.axhline(row, color="#bbbbbb", linewidth=0.8)
            if spread.values.size:
                colour = COLOURS[row % len(COLOURS)]
                # Rows grow downwards, so bars rise by subtracting.
                axes.stairs(
                    row - 0.82 * share / tallest, edges, baseline=row, fill=True, color=colour, alpha=0.8
                )
            if spread.unscored:
                say(axes, row - 0.62, f"{spread.unscored:,} unscored")
        if not any(spread.values.size for spread in spreads):
            axes.set_xticks([])
        rows(axes, [spread.label for spread in spreads], below=-0.95, raised=0.25)
        return svg(figure)


def _edges(values: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    if not values.size or not np.array_equal(values, np.round(values)):
        return (
            np.linspace(low, high, BINS + 1) if high > low else np.linspace(low - 0.5, high + 0.5, BINS + 1)
        )
    if high - low < BINS:
        # Every second bin is a gap, so that counts and yes/no values look like the separate values they are.
        pairs: NDArray[np.float64] = np.arange(low, high + 1)[:, None] + np.array([-0.4, 0.4])
        return pairs.ravel()
    # Bins of a whole width hold equally many whole numbers; others would draw teeth that are not in the data.
    step = math.ceil((high - low + 1) / BINS)
    return np.arange(low - 0.5, high + step, step)
