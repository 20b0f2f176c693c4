"""Plots of Certainty and Variety against the number of responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from dialeval.display.pages import Picture
from dialeval.display.plots import COLOURS, LABEL_LIMIT, drawing, svg
from dialeval.display.wording import number, one_line
from dialeval.nbest.document import ListKind, NBestResult

Quantity: TypeAlias = Literal["certainty", "variety"]
_TITLES: Final[dict[Quantity, str]] = {"certainty": "Certainty", "variety": "Variety"}


def curve_pictures(curves: Sequence[NBestResult]) -> list[Picture]:
    """Certainty and Variety against list size for each kind of stimulus (Figure 5.2); none of a single size."""
    if len({result.size for result in curves}) < 2:
        return []
    kinds = dict.fromkeys(result.kind for result in curves)
    return [_picture(curves, kind, quantity) for kind in kinds for quantity in _TITLES]


def _picture(curves: Sequence[NBestResult], kind: ListKind, quantity: Quantity) -> Picture:
    shown = [result for result in curves if result.kind == kind]
    systems = list(dict.fromkeys(result.system for result in shown))
    title = f"{_TITLES[quantity]}, {kind}"
    words = []
    with drawing(2.6) as (figure, axes):
        for index, system in enumerate(systems):
            points = [
                (result.size, value, getattr(result, f"{quantity}_interval"))
                for result in shown
                if result.system == system and (value := getattr(result, quantity)) is not None
            ]
            colour = COLOURS[index % len(COLOURS)]
            sizes, values = [size for size, _, _ in points], [value for _, value, _ in points]
            label = one_line(system, limit=LABEL_LIMIT)
            axes.plot(sizes, values, marker="o", markersize=3.5, color=colour, label=label)
            ends = [(size, *limits) for size, _, limits in points if limits is not None]
            if ends:
                places, lows, highs = (list(column) for column in zip(*ends, strict=True))
                axes.fill_between(places, lows, highs, color=colour, alpha=0.15, linewidth=0)
            words.append(f"{system}: " + ", ".join(f"{size} {number(value)}" for size, value, _ in points))
        axes.set_xlabel("responses in the list")
        axes.set_ylim(-0.02, 1.02)
        axes.grid(axis="y")
        if systems:
            axes.legend(frameon=False, fontsize=8.5)
        drawn = svg(figure)
    caption = "Lists cut to their first responses; the band is the 95 % interval."
    return Picture(title, caption, drawn, f"{title} by list size. {'; '.join(words)}.")
