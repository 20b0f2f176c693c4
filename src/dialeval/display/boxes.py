"""Box plots: distributions in five numbers, one row each, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dialeval.display.plots import COLOURS, LABEL_LIMIT, drawing, rows, say, svg
from dialeval.display.wording import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLACK: Final = "#222222"
PALE: Final = "#dddddd"


@dataclass(frozen=True, slots=True)
class Box:
    """One row of a box plot: a distribution in five numbers, and the value it is about."""

    label: str
    five: tuple[float, float, float, float, float] | None
    """Least, first quartile, median, third quartile, greatest; None where there is none."""
    dot: float | None = None


def boxes(shown: Sequence[Box], *, across: str) -> bytes:
    """An SVG with one box per row, its whiskers the least and greatest value, and a dot for the value it is about."""
    with drawing(0.85 + 0.4 * len(shown)) as (figure, axes):
        for row, box in enumerate(shown):
            if box.five is None:
                say(axes, row, "undefined")
            else:
                _box(axes, row, box.five)
            if box.dot is not None:
                axes.plot([box.dot], [row], "o", color=COLOURS[0], markersize=7, markeredgecolor="white")
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        axes.set_xlabel(one_line(across), fontsize=9)
        if all(box.five is None and box.dot is None for box in shown):
            axes.set_xticks([])
        rows(axes, [cut_label(box.label) for box in shown], below=-0.6)
        return svg(figure)


def cut_label(name: str) -> str:
    """The name, cut in its middle where it is long: measures of one kind differ in how they end."""
    clean = one_line(name)
    if len(clean) <= LABEL_LIMIT:
        return clean
    head = LABEL_LIMIT // 3
    return f"{clean[:head]}…{clean[head + 1 - LABEL_LIMIT :]}"


def _box(axes: Axes, row: int, five: tuple[float, float, float, float, float]) -> None:
    least, first, median, third, greatest = five
    style = {"color": BLACK}
    axes.bxp(
        [{"whislo": least, "q1": first, "med": median, "q3": third, "whishi": greatest}],
        positions=[row],
        widths=0.5,
        orientation="horizontal",
        showfliers=False,
        manage_ticks=False,
        patch_artist=True,
        boxprops={"facecolor": PALE, "edgecolor": BLACK},
        medianprops={"linewidth": 2, **style},
        whiskerprops=style,
        capprops=style,
    )
