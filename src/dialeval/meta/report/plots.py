"""Plots of how measures and people agree: scatter and heat map, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from dialeval.display.boxes import BLACK, cut_label
from dialeval.display.plots import COLOURS, WIDTH, drawing, svg
from dialeval.display.wording import one_line
from dialeval.meta.document import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

SHAPES: Final = ("o", "s", "^")
MOST_SYSTEMS: Final = len(COLOURS) * len(SHAPES)
"""How many systems have a look of their own."""
JITTER_HUMAN: Final = 0.025
JITTER_MEASURE: Final = 0.02
"""Standard deviations of the noise as shares of each axis's range: those of Sharma et al. (2017), Figure 3, where they
are 0.1 on a scale from 1 to 5, and 0.02 on one from 0 to 1."""
INK_TURNS: Final = 0.6
"""From this correlation on a cell is so dark that its number is white."""


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """One system's answers in a scatter plot, and the means of those both sides have."""

    label: str
    human: Floats
    measure: Floats
    mean_human: float | None = None
    mean_measure: float | None = None


def scatter(clouds: Sequence[Cloud], *, human: str, measure: str, seed: int = 0) -> bytes:
    """An SVG of people's ratings against a measure: a transparent, jittered point per answer, and system means."""
    told_apart = len(clouds) <= MOST_SYSTEMS
    xs, ys = _together([c.measure for c in clouds]), _together([c.human for c in clouds])
    noise = np.random.default_rng(seed)
    alpha = float(np.clip(18 / max(len(xs), 1) ** 0.5, 0.15, 0.6))
    with drawing(3.5 + (0.2 * -(-len(clouds) // 3) if told_apart else 0.0)) as (figure, axes):
        for index, cloud in enumerate(clouds):
            colour, shape = _look(index) if told_apart else (COLOURS[0], "o")
            axes.plot(
                cloud.measure + noise.normal(0, JITTER_MEASURE * _span(xs), len(cloud.measure)),
                cloud.human + noise.normal(0, JITTER_HUMAN * _span(ys), len(cloud.human)),
                shape,
                color=colour,
                alpha=alpha,
                markersize=4,
                markeredgewidth=0,
            )
        for index, cloud in enumerate(clouds):
            if cloud.mean_measure is not None and cloud.mean_human is not None:
                colour, shape = _look(index) if told_apart else (COLOURS[0], "o")
                axes.plot(
                    [cloud.mean_measure],
                    [cloud.mean_human],
                    shape,
                    color=colour,
                    markersize=9,
                    markeredgecolor=BLACK,
                )
        _frame(axes, measure, human, empty=not len(xs))
        if told_apart and len(clouds) > 1:
            _name_below(figure, [cloud.label for cloud in clouds])
        return svg(figure)


def _name_below(figure: Figure, labels: Sequence[str]) -> None:
    """A legend below the axes, in three columns."""
    figure.legend(
        handles=[_key(cut_label(label), *_look(index)) for index, label in enumerate(labels)],
        loc="outside lower left",
        ncols=3,
        frameon=False,
        fontsize=8.5,
        handletextpad=0.1,
        columnspacing=0.8,
    )


def heat_map(names: Sequence[str], values: Floats) -> bytes:
    """An SVG of a square table of correlations, rows named and columns numbered as the rows; NaN is an empty cell."""
    from matplotlib.colors import LinearSegmentedColormap

    size = len(names)
    width = max(WIDTH, 1.7 + 0.34 * size)
    colours = LinearSegmentedColormap.from_list("agreement", ["#B2182B", "#F7F7F7", "#2166AC"])
    with drawing(0.5 + (width - 1.7) / max(size, 1) * size, width) as (figure, axes):
        edges = np.arange(size + 1) - 0.5
        cells = np.ma.masked_invalid(values)
        axes.pcolormesh(edges, edges, cells, cmap=colours, vmin=-1, vmax=1, edgecolors="white", linewidth=1.5)
        axes.invert_yaxis()
        for row in range(size):
            for column in range(size):
                value = float(values[row, column])
                dark = abs(value) >= INK_TURNS
                ink = "white" if dark else BLACK
                axes.text(column, row, _brief(value), ha="center", va="center", fontsize=8.5, color=ink)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.set_xticks(range(size), labels=[str(at + 1) for at in range(size)])
        labels = [f"{cut_label(name)}  {index + 1}" for index, name in enumerate(names)]
        axes.set_yticks(range(size), labels=labels)
        axes.spines[:].set_visible(False)
        return svg(figure)


def _brief(value: float) -> str:
    """A correlation in two digits, as tables of them are printed: ``.63``, ``−.05``, ``1``."""
    if np.isnan(value):
        return "–"
    digits = f"{abs(value):.2f}".replace("0.", ".").replace("1.00", "1")
    return f"−{digits}" if value < 0 and digits != ".00" else digits


def _look(index: int) -> tuple[str, str]:
    return COLOURS[index % len(COLOURS)], SHAPES[index // len(COLOURS) % len(SHAPES)]


def _key(label: str, colour: str, shape: str) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="", marker=shape, color=colour, label=label, markersize=6)


def _frame(axes: Axes, across: str, upwards: str, *, empty: bool) -> None:
    axes.grid()
    axes.set_axisbelow(True)
    axes.set_xlabel(one_line(across, limit=40), fontsize=9)
    axes.set_ylabel(one_line(upwards, limit=40), fontsize=9)
    if empty:
        axes.set_xticks([])
        axes.set_yticks([])


def _together(parts: Sequence[Floats]) -> Floats:
    return np.concatenate([np.empty(0), *parts])


def _span(values: Floats) -> float:
    """The range of nearly all values, so that a few far ones do not blur the others; else the range of all."""
    if not len(values):
        return 0.0
    low, high = np.quantile(values, [0.025, 0.975])
    return float(high - low) or float(values.max() - values.min())
