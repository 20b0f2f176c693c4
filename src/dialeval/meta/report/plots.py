"""Plots of how measures and people agree: scatter and heat map, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from dialeval.display.boxes import BLACK, Box, boxes, cut_label
from dialeval.display.pages import Picture
from dialeval.display.plots import COLOURS, WIDTH, drawing, svg
from dialeval.display.wording import COEFFICIENTS, count, interval, number, one_line
from dialeval.meta.document import Document, Five, Floats, Level, Matrix, Points, Row
from dialeval.meta.report.levels import LABELS, MEANINGS, TITLES, correlation, ordered

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

SHAPES: Final = ("o", "s", "^")
MOST_SYSTEMS: Final = len(COLOURS) * len(SHAPES)
"""Number of systems that have a look of their own."""
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


SHORT: Final[dict[Level, str]] = {"item": "by item", "system": "by system"}
MOST_POINTS: Final = 6_000
"""Over all scatter plots of a page, so that it stays small."""
MOST_IN_ONE: Final = 1_000
LEAST_IN_ONE: Final = 200
MOST_SCATTERS: Final = 24
MOST_NAMES: Final = 24
"""In a heat map."""


def scatters(document: Document, points: Points) -> list[Picture]:
    """One scatter plot per measure, the one that agrees best with people first."""
    measures = [row.measure for row in _by_agreement(document)][:MOST_SCATTERS]
    most = min(MOST_IN_ONE, max(LEAST_IN_ONE, MOST_POINTS // max(len(measures), 1)))
    return [_scatter(document, points, measure, most) for measure in measures]


def heat_maps(document: Document) -> list[Picture]:
    """One heat map of everything with everything for each level at which a measure has a correlation with people."""
    told = {row.level for row in document.rows if row.value is not None}
    return [_heat_map(matrix) for matrix in document.correlations if matrix.level in told]


def box_plots(document: Document) -> list[Picture]:
    """Box plots of correlations: over small test sets, and over halves of the raters."""
    return [*_instability(document), *_ceilings(document)]


def _by_agreement(document: Document) -> list[Row]:
    return ordered(document, document.main_level)


def _scatter(document: Document, points: Points, measure: str, most: int) -> Picture:
    means = {mean.system: mean for mean in document.means if mean.measure == measure}
    chosen_points = {system: points[measure, system] for system in means if (measure, system) in points}
    total = sum(len(pairs.human) for pairs in chosen_points.values())
    clouds, words = [], []
    for system, pairs in chosen_points.items():
        chosen = _spread(len(pairs.human), most / total if total else 1.0)
        mean = means[system]
        clouds.append(Cloud(system, pairs.human[chosen], pairs.value[chosen], mean.human, mean.value))
        words.append(f"{system} {number(mean.value)} and {number(mean.human, 2)} ({count(mean.n, 'answer')})")
    drawn = sum(len(cloud.human) for cloud in clouds)
    svg = scatter(
        clouds,
        human=f"{document.human.criterion}, mean of people",
        measure=measure,
        seed=document.settings.seed,
    )
    alt = f"Scatter plot of {measure} against people's ratings. Means of {measure} and of people: {'; '.join(words)}."
    return Picture(measure, _correlations(document, measure, drawn, total), svg, alt)


def _correlations(document: Document, measure: str, drawn: int, total: int) -> str:
    name = COEFFICIENTS[document.settings.coefficient]
    said = [
        f"{SHORT[row.level]} {correlation(row.value)}"
        for row in document.rows
        if row.measure == measure and row.level in SHORT and row.value is not None
    ]
    sample = "" if drawn == total else f" {drawn:,} of {total:,} points drawn."
    return (f"{name}: {', '.join(said)}." if said else f"{name} undefined.") + sample


def _spread(size: int, share: float) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Positions spread evenly over ``size`` of them, about that share of all."""
    kept = size if share >= 1 else max(1, round(size * share)) if size else 0
    return np.linspace(0, size - 1, kept).round().astype(np.int64)


def _heat_map(matrix: Matrix) -> Picture:
    names = [_people(name) for name in matrix.names[:MOST_NAMES]]
    values: Floats = np.array(
        [[np.nan if v is None else v for v in row[:MOST_NAMES]] for row in matrix.values[:MOST_NAMES]]
    ).reshape(len(names), len(names))
    words = [f"{name} {number(value, 2)}" for name, value in zip(names[1:], values[0, 1:], strict=True)]
    alt = f"Heat map of correlations between people and measures. With people: {'; '.join(words)}."
    left = len(matrix.names) - len(names)
    caption = f"{COEFFICIENTS[matrix.coefficient]}; {MEANINGS[matrix.level]}."
    caption += f" The first {len(names)} of {len(matrix.names)}." if left else ""
    return Picture(TITLES[matrix.level], caption, heat_map(names, values), alt)


def _instability(document: Document) -> list[Picture]:
    if not document.instability:
        return []
    order = {row.measure: index for index, row in enumerate(ordered(document, "system"))}
    stabilities = sorted(document.instability, key=lambda one: order.get(one.measure, len(order)))
    shown = [Box(stability.measure, stability.five, stability.whole) for stability in stabilities]
    words = [
        f"{stability.measure}: {_five(stability.five)}, on all items {number(stability.whole, 2)}"
        for stability in stabilities
    ]
    first = stabilities[0]
    name = COEFFICIENTS[first.coefficient]
    caption = (
        f"{name} of systems' means over {count(first.trials, 'random test set')} of "
        f"{count(first.size or 0, 'item')}; the dot is the value on all items. "
        "Half of the items at a time, test sets overlap: new ones of that size would spread about a third further."
    )
    alt = f"Box plots of system-level correlations over random test sets. {'; '.join(words)}."
    return [Picture("Smaller test sets", caption, boxes(shown, across=f"{name} with people"), alt)]


def _ceilings(document: Document) -> list[Picture]:
    ceilings = [ceiling for ceiling in document.ceiling if ceiling.five is not None]
    if not ceilings:
        return []
    shown, words = [], []
    for ceiling in ceilings:
        best = next(iter(ordered(document, ceiling.level)), None)
        value = None if best is None else best.value
        shown.append(Box(LABELS[ceiling.level], ceiling.five, value))
        rival = "" if best is None or value is None else f", best measure {best.measure} {number(value, 2)}"
        words.append(f"{TITLES[ceiling.level]}: {_five(ceiling.five)}{rival}")
    name = COEFFICIENTS[document.settings.coefficient]
    caption = (
        f"{name} between two halves of the raters over {count(ceilings[0].repeats, 'random split')}; the dot is the "
        "measure that agrees best with people."
    )
    alt = f"Box plots of how well two halves of the raters agree. {'; '.join(words)}."
    return [Picture("People with people", caption, boxes(shown, across=name), alt)]


def _five(five: Five | None) -> str:
    if five is None:
        return "undefined"
    least, first, median, third, greatest = five
    return f"median {number(median, 2)}, quartiles {interval(first, third, 2)}, range {interval(least, greatest, 2)}"


def _people(name: str) -> str:
    return "people" if name == "human" else name
