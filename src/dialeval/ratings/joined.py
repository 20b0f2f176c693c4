"""People's ratings and automatic measures on the same axes.

An answer is one system's response to one item. People and measures may each lack some: an answer that either side has
keeps its place, with NaN for the side that has none.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats, Integers
from dialeval.display.notes import Note
from dialeval.errors import UnknownName

Flags: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """One number for each system and item."""

    systems: tuple[str, ...]
    items: tuple[str, ...]
    values: Floats
    """Shape (systems, items); NaN if there is none."""


@dataclass(frozen=True, slots=True, eq=False)
class MeasureGrid:
    """One automatic measure's value for each answer."""

    name: str
    """As tables print it: ``bleu(order=4)``."""
    rater: str
    """In full, as the judgements have it."""
    criterion: str
    grid: Grid

    @property
    def values(self) -> Floats:
        """Shape (systems, items); NaN if unscored."""
        return self.grid.values


@dataclass(frozen=True, slots=True, eq=False)
class PeopleRatings:
    """Every rating of a person that has a value, as columns."""

    raters: tuple[str, ...]
    rater: Integers
    system: Integers
    """Code into the axis of systems."""
    item: Integers
    """Code into the axis of items."""
    value: Floats


@dataclass(frozen=True, slots=True)
class Coverage:
    """Number of answers that a measure shares with people."""

    measure: str
    both: int
    only_human: int
    """Answers that people rated and the measure did not score."""
    only_measure: int
    """Answers that the measure scored and nobody rated."""


@dataclass(frozen=True, slots=True)
class Unjoined:
    """An answer that only one side has: rated by people and scored by no measure, or scored and never rated."""

    side: str
    """``human``, or the name of the measure that scored it."""
    item: str
    system: str


@dataclass(frozen=True, slots=True, eq=False)
class Apart:
    """Answers that only one side has, as masks of shape (systems, items)."""

    human: Flags
    """Rated by people and scored by no measure."""
    measures: Flags
    """Scored by some measure and rated by nobody."""
    strange: Flags
    """Those of both whose item or system the other side knows nothing of; the rest are merely not rated, or scored."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of what went into the human side, and what did not."""

    ratings: int
    """Judgements of people with a value, on the human criterion."""
    could_not_say: int
    """Judgements of people without one."""
    repeated: int
    """Judgements that said the same as another one; they count once."""
    set_aside: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """People's judgements on other criteria: how many on each."""


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """People's ratings on one criterion beside automatic measures, all on the same axes."""

    human: Grid
    """Mean over the raters of each answer."""
    people: PeopleRatings
    criterion: str
    measures: tuple[MeasureGrid, ...]
    counts: Counts
    notes: tuple[Note, ...] = ()
    """Notes on who counted as a person and who as a measure."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The first axis of every grid."""
        return self.human.systems

    @property
    def items(self) -> tuple[str, ...]:
        """The second axis of every grid."""
        return self.human.items

    @property
    def rater_names(self) -> tuple[str, ...]:
        """Names of the people."""
        return self.people.raters

    def measure_named(self, name: str) -> MeasureGrid:
        """The measure of that name, with all parameters or without, or the only one of that criterion."""
        same = [measure for measure in self.measures if measure.name == name]
        same = same or [measure for measure in self.measures if measure.rater.partition("|")[0] == name]
        same = same or [measure for measure in self.measures if measure.criterion == name]
        if len(same) == 1:
            return same[0]
        names = [measure.name for measure in self.measures]
        raise UnknownName("measure", name, names, todo=f"There are {', '.join(names)}." if names else "")

    def plus(self, *measures: MeasureGrid) -> Joined:
        """Return the judgements with further measures, which must be on the same axes."""
        for measure in measures:
            if (measure.grid.systems, measure.grid.items) != (self.systems, self.items):
                raise ValueError(f"{measure.name} is on other axes than the human ratings")
        return dataclasses.replace(self, measures=(*self.measures, *measures))

    @property
    def coverage(self) -> tuple[Coverage, ...]:
        """Numbers of answers that each measure shares with people, in the order of ``measures``."""
        rated = ~np.isnan(self.human.values)
        scored = [~np.isnan(measure.values) for measure in self.measures]
        return tuple(
            Coverage(
                measure.name,
                int((rated & values).sum()),
                int((rated & ~values).sum()),
                int((values & ~rated).sum()),
            )
            for measure, values in zip(self.measures, scored, strict=True)
        )

    @property
    def scored(self) -> Joined:
        """Keep only ratings of answers that some measure scored: measures are compared with no others."""
        if not self.measures:
            return self
        cells = np.any([~np.isnan(measure.values) for measure in self.measures], axis=0)
        people = self.people
        kept = cells[people.system, people.item]
        columns = {name: getattr(people, name)[kept] for name in ("rater", "system", "item", "value")}
        human = dataclasses.replace(self.human, values=np.where(cells, self.human.values, np.nan))
        return dataclasses.replace(self, human=human, people=dataclasses.replace(people, **columns))

    @property
    def apart(self) -> Apart:
        """The answers that only one side has."""
        rated = ~np.isnan(self.human.values)
        scored = np.zeros_like(rated)
        for measure in self.measures:
            scored |= ~np.isnan(measure.values)
        human = rated & ~scored if self.measures else np.zeros_like(rated)
        return Apart(human, scored & ~rated, (human & _unknown(scored)) | (scored & ~rated & _unknown(rated)))

    @property
    def unjoined(self) -> tuple[Unjoined, ...]:
        """Every answer that only one side has: people's first, then each measure's."""
        apart = self.apart
        sides = [("human", apart.human)]
        sides += [(measure.name, apart.measures & ~np.isnan(measure.values)) for measure in self.measures]
        return tuple(cell for side, cells in sides for cell in self._cells(side, cells))

    def strangers(self) -> Iterator[Unjoined]:
        """Answers of an item or a system that the other side does not know, one at a time.

        People's come first, then measures', each answer under the first measure that scored it.
        """
        apart = self.apart
        yield from self._cells("human", apart.human & apart.strange)
        left = apart.measures & apart.strange
        for measure in self.measures:
            scored = ~np.isnan(measure.values)
            yield from self._cells(measure.name, left & scored)
            left &= ~scored

    def _cells(self, side: str, cells: Flags) -> Iterator[Unjoined]:
        for system in np.flatnonzero(cells.any(axis=1)).tolist():
            for item in np.flatnonzero(cells[system]).tolist():
                yield Unjoined(side, self.items[item], self.systems[system])


def _unknown(side: Flags) -> Flags:
    """Answers whose system or item this side does not know."""
    return np.asarray(~(side.any(axis=1, keepdims=True) & side.any(axis=0, keepdims=True)))
