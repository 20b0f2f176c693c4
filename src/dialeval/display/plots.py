"""Shared parts of all plots: size, colours, settings, named rows, and reproducible SVG."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from dialeval.display.wording import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH: Final = 4.4
"""Inches; at 96 dots an inch about as wide as a phone, so that text keeps its size there."""
LABEL_LIMIT: Final = 18
# Okabe and Ito's colours, which most kinds of colour vision tell apart; black and yellow left out.
COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
SETTINGS: Final[dict[str, object]] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "dialeval",
    "text.parse_math": False,
    "font.size": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.edgecolor": "#777777",
    "ytick.left": False,
    "grid.color": "#dddddd",
}


@contextmanager
def drawing(height: float, width: float = WIDTH) -> Iterator[tuple[Figure, Axes]]:
    """An empty plot of that size in inches, with the settings that all plots share."""
    import matplotlib.style
    from matplotlib.figure import Figure

    with matplotlib.style.context(["default", SETTINGS]), warnings.catch_warnings():
        # The browser draws the labels, so a glyph that matplotlib's own font lacks is none of its business.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(figsize=(width, height), layout="constrained", facecolor="none")
        axes = figure.add_subplot(facecolor="none")
        yield figure, axes


@dataclass(frozen=True, slots=True)
class Dot:
    """One row of a plot of scores; a row without a score is kept."""

    label: str
    score: float | None
    bounds: tuple[float, float] | None = None
    """Ends of the interval of the score; None without one."""


def new_axes() -> Axes:
    """Empty axes of a new figure of pyplot, as those who call ``plot`` expect them."""
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def draw_dots(axes: Axes, dots: Sequence[Dot]) -> None:
    """Draw one row per dot, the first on top: the score, and its interval as a bar."""
    for row, dot in enumerate(dots):
        colour = COLOURS[row % len(COLOURS)]
        if dot.bounds is not None:
            axes.plot(dot.bounds, [row, row], color=colour, linewidth=3, solid_capstyle="butt", alpha=0.55)
        if dot.score is None:
            say(axes, row, "no score")
        else:
            axes.plot([dot.score], [row], "o", color=colour, markersize=8)
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    if all(dot.score is None for dot in dots):
        axes.set_xticks([])
    rows(axes, [dot.label for dot in dots], below=-0.6)


def draw_distribution(axes: Axes, values: NDArray[np.float64]) -> None:
    """Draw how many items have which value."""
    if values.size:
        axes.hist(values, bins=min(30, max(5, round(values.size**0.5))), color=COLOURS[0], alpha=0.8)
    axes.set_ylabel("items")


def draw_line(axes: Axes, score: float, ends: tuple[float, float] | None = None) -> None:
    """Draw a score as an upright line, and its interval as a band."""
    if ends is not None:
        axes.axvspan(*ends, color=COLOURS[1], alpha=0.25, linewidth=0)
    axes.axvline(score, color=COLOURS[1])


def svg(figure: Figure) -> bytes:
    """The figure as SVG, without the date that would change its bytes."""
    out = io.BytesIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def say(axes: Axes, row: float, words: str) -> None:
    """Quiet words at the right end of a row."""
    where = axes.get_yaxis_transform()
    axes.text(1.0, row, words, transform=where, ha="right", va="center", color="#555555", fontsize=8.5)


def rows(axes: Axes, labels: Sequence[str], *, below: float, raised: float = 0.0) -> None:
    """Name the rows, the first one on top."""
    shown = [one_line(label, limit=LABEL_LIMIT) for label in labels]
    axes.set_yticks([row - raised for row in range(len(labels))], labels=shown)
    axes.set_ylim(max(len(labels), 1) - 0.4, below)
    axes.margins(x=0.06)
