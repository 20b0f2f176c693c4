"""Breakdowns of a run: the scores of parts as tables, and as curves over a number such as the size of a list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from dialeval.display.pages import Picture
from dialeval.display.plots import COLOURS, LABEL_LIMIT, drawing, svg
from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import NOTHING, decimals, interval, number, one_line, score
from dialeval.study.document import PartScore

FEWEST_POINTS: Final = 2
"""Number of values from which on a numeric key is drawn as a curve."""


class _Group(NamedTuple):
    """Parts of one measure that differ in the same keys."""

    measure: str
    keys: tuple[str, ...]
    scores: list[PartScore]

    @property
    def is_curve(self) -> bool:
        """Whether the last key is a number that takes several values."""
        values = {each.part[self.keys[-1]] for each in self.scores}
        return len(values) >= FEWEST_POINTS and all(isinstance(value, int) for value in values)

    @property
    def title(self) -> str:
        return f"{self.measure} by {' and '.join(self.keys)}"


def _groups(parts: Sequence[PartScore]) -> list[_Group]:
    groups: dict[tuple[str, tuple[str, ...]], list[PartScore]] = {}
    for each in parts:
        groups.setdefault((each.measure, tuple(each.part)), []).append(each)
    return [_Group(measure, keys, scores) for (measure, keys), scores in groups.items()]


def part_tables(parts: Sequence[PartScore], systems: Sequence[str], *, curves: bool = False) -> list[Table]:
    """Return a table for each measure and kind of part, with a column for each system; or those behind curves."""
    return [_table(group, systems) for group in _groups(parts) if group.is_curve == curves]


def _table(group: _Group, systems: Sequence[str]) -> Table:
    shown = [system for system in systems if any(each.system == system for each in group.scores)]
    numbers = (each.estimate for each in group.scores)
    places = decimals(x for estimate in numbers for x in (estimate.value, estimate.low, estimate.high))
    found = {(each.system, tuple(each.part.values())): each for each in group.scores}
    rows = tuple(
        (
            *(Cell(str(value)) for value in part),
            *(_cell(found.get((system, part)), places) for system in shown),
        )
        for part in dict.fromkeys(part for _, part in found)
    )
    columns = (*(Column(key) for key in group.keys), *(Column(system, numeric=True) for system in shown))
    return Table(group.title, columns, rows, tuple(_notes(group)))


def _cell(part: PartScore | None, places: int) -> Cell:
    if part is None or part.estimate.value is None:
        return Cell(NOTHING)
    estimate = part.estimate
    return Cell(score(estimate.value, places), interval(estimate.low, estimate.high, places))


def _notes(group: _Group) -> Iterator[str]:
    """Yield which parts rest on less than half of their subjects: the rest may not stand for them."""
    for each in group.scores:
        missing = sum(each.unscored.values())
        if missing > each.estimate.n:
            part = ", ".join(str(value) for value in each.part.values())
            yield (
                f"{each.system}, {part}: {missing:,} of {missing + each.estimate.n:,} unscored "
                f"({', '.join(each.unscored)}), so the rest may not stand for them"
            )


def part_pictures(parts: Sequence[PartScore], systems: Sequence[str]) -> list[Picture]:
    """Return a plot for each curve: scores against the last key, a line for each system."""
    return [
        _picture(group, fixed, systems)
        for group in _groups(parts)
        if group.is_curve
        for fixed in dict.fromkeys(tuple(each.part.values())[:-1] for each in group.scores)
    ]


def _picture(group: _Group, fixed: tuple[str | int, ...], systems: Sequence[str]) -> Picture:
    here = [each for each in group.scores if tuple(each.part.values())[:-1] == fixed]
    shown = [system for system in systems if any(each.system == system for each in here)]
    title = ", ".join([group.measure, *map(str, fixed)])
    words = []
    with drawing(2.6) as (figure, axes):
        for index, system in enumerate(shown):
            points = [
                (each.part[group.keys[-1]], each.estimate)
                for each in here
                if each.system == system and each.estimate.value is not None
            ]
            colour = COLOURS[index % len(COLOURS)]
            label = one_line(system, limit=LABEL_LIMIT)
            places, values = [x for x, _ in points], [estimate.number for _, estimate in points]
            axes.plot(places, values, marker="o", markersize=3.5, color=colour, label=label)
            ends = [(x, *estimate.bounds) for x, estimate in points if estimate.bounds is not None]
            if ends:
                at, lows, highs = zip(*ends, strict=True)
                axes.fill_between(at, lows, highs, color=colour, alpha=0.15, linewidth=0)
            words.append(f"{system}: " + ", ".join(f"{x} {number(estimate.value)}" for x, estimate in points))
        axes.set_xlabel(group.keys[-1])
        axes.grid(axis="y")
        if shown:
            axes.legend(frameon=False, fontsize=8.5)
        drawn = svg(figure)
    caption = f"By {group.keys[-1]}; the band is the interval."
    return Picture(title, caption, drawn, f"{title} by {group.keys[-1]}. {'; '.join(words)}.")
