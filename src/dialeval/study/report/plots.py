"""Plots as SVG: small, one measure each, the same bytes from the same numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dialeval.display.plots import COLOURS, Dot, draw_dots, drawing, rows, say, svg

BINS: Final = 30
RANKS_WIDTH: Final = 5.6
"""Inches: the picture at the top of the page."""


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """One system in a plot of distributions."""

    label: str
    values: NDArray[np.float64]
    unscored: int = 0


@dataclass(frozen=True, slots=True)
class RankBar:
    """One system in a plot of ranks."""

    label: str
    rank: float
    best: int
    worst: int
    chance: str
    """P(best), in words."""
    others: tuple[float, ...] = ()
    """Ranks under other measures."""


def ranks(bars: Sequence[RankBar]) -> bytes:
    """An SVG with one row per system: its rank as a dot, the ranks that are possible as a bar, P(best) at the end."""
    worst = max([bar.worst for bar in bars] + [math.ceil(rank) for bar in bars for rank in bar.others])
    with drawing(0.95 + 0.46 * len(bars), RANKS_WIDTH) as (figure, axes):
        for row, bar in enumerate(bars):
            colour = COLOURS[row % len(COLOURS)]
            ends = [bar.best - 0.16, bar.worst + 0.16]
            axes.plot(ends, [row, row], color=colour, linewidth=11, solid_capstyle="round", alpha=0.35)
            # In a lane below the bar, and moved apart where they would lie on one another, always in the same way.
            for index, rank in enumerate(bar.others):
                place = rank + 0.07 * (sum(other == rank for other in bar.others[:index]) % 5)
                axes.plot([place], [row + 0.33], "o", color="#666666", markersize=3.6, markeredgewidth=0)
            axes.plot([bar.rank], [row], "o", color=colour, markersize=9, markeredgecolor="white")
            where = axes.get_yaxis_transform()
            axes.text(1.02, row, bar.chance, transform=where, ha="left", va="center", fontsize=10)
        axes.text(
            1.02, -0.75, "P(best)", transform=axes.get_yaxis_transform(), ha="left", va="center", fontsize=9
        )
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        axes.set_xticks(range(1, worst + 1))
        rows(axes, [bar.label for bar in bars], below=-0.6)
        axes.set_xlim(0.6, worst + 0.4)
        axes.set_xlabel("rank (1 is best)", fontsize=9)
        return svg(figure)


def intervals(dots: Sequence[Dot], span: tuple[float, float] | None = None) -> bytes:
    """An SVG with one row per system: its score as a dot, its interval as a bar; ``span`` is what the axis holds."""
    with drawing(0.62 + 0.36 * len(dots)) as (figure, axes):
        draw_dots(axes, dots)
        if span is not None:
            room = 0.04 * (span[1] - span[0])
            axes.set_xlim(span[0] - room, span[1] + room)
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
