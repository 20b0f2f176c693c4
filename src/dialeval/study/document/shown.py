"""Items in a report: values, reasons why there are none, and some items in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.data.results import ItemValues
from dialeval.meta.document import Points
from dialeval.study.document.manifest import Manifest
from dialeval.study.document.summary import Summary
from dialeval.text.ids import TextColumn, TextNumbers


class Unscored(NamedTuple):
    """Number of items of a system that a measure could not score for one and the same reason."""

    measure: str
    system: str
    reason: str
    items: int


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """One number per measure, system and item, or the reason there is none."""

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    items: Sequence[str]
    """In the order of the data."""
    numbers: NDArray[np.float64]
    """Shape (measures, systems, items); NaN where unscored or absent."""
    reasons: Mapping[Place, str]
    """Why each unscored item is so; a NaN without a reason was never asked for."""

    def of(self, measure: str, system: str) -> NDArray[np.float64]:
        """The values that system has under that measure, shape (n,), unscored items left out."""
        if measure not in self.measures or system not in self.systems:
            return np.empty(0)
        row: NDArray[np.float64] = self.numbers[self.measures.index(measure), self.systems.index(system)]
        finite: NDArray[np.float64] = row[np.isfinite(row)]
        return finite

    def whole(self, measure: str) -> bool:
        """Whether all values under that measure are whole numbers, as counts and yes/no values are."""
        values = self.numbers[self.measures.index(measure)]
        return bool(np.all(np.isnan(values) | (values == np.round(values))))

    def unscored(self) -> tuple[Unscored, ...]:
        """The reasons for which items have no value, most frequent first."""
        counts = Counter((place.measure, place.system, reason) for place, reason in self.reasons.items())
        ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        return tuple(Unscored(self.measures[m], self.systems[s], why, n) for (m, s, why), n in ranked)

    @classmethod
    def of_blocks(cls, blocks: Sequence[ItemValues]) -> Values:
        """The values of all measures and systems side by side, each axis in order of first appearance."""
        measures = {name: index for index, name in enumerate(dict.fromkeys(b.measure for b in blocks))}
        systems = {name: index for index, name in enumerate(dict.fromkeys(b.system for b in blocks))}
        items, places = _placed([block.items for block in blocks])
        numbers = np.full((len(measures), len(systems), len(items)), np.nan)
        reasons = PackedReasons()
        for block, columns in zip(blocks, places, strict=True):
            measure, system = measures[block.measure], systems[block.system]
            numbers[measure, system, columns] = block.values
            reasons.add(measure, system, columns, block.reasons)
        return cls(tuple(measures), tuple(systems), items, numbers, reasons)


class _ItemPlaces(NamedTuple):
    """All different items, and where each list of them has its own."""

    items: Sequence[str]
    places: list[NDArray[np.int64]]


def _placed(lists: Sequence[Sequence[str]]) -> _ItemPlaces:
    """In order of first appearance; lists that are packed, as those of many items are, stay so."""
    if lists and all(isinstance(items, TextColumn) and items == lists[0] for items in lists):
        order = np.arange(len(lists[0]))
        return _ItemPlaces(lists[0], [order] * len(lists))
    numbers = TextNumbers() if any(isinstance(items, TextColumn) for items in lists) else None
    if numbers is not None:
        places = [np.fromiter(map(numbers.add, items), dtype=np.int64) for items in lists]
        return _ItemPlaces(TextColumn(numbers), places)
    known = {name: index for index, name in enumerate(dict.fromkeys(item for own in lists for item in own))}
    return _ItemPlaces(
        tuple(known), [np.array([known[item] for item in own], dtype=np.int64) for own in lists]
    )


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """One turn of a context as the page shows it."""

    role: str
    who: str
    """The speaker's name where it has one, else the role."""
    text: str


@dataclass(frozen=True, slots=True)
class ShownItem:
    """One item as the page shows it, its values in the order of the run's measures and systems."""

    item: str
    context: tuple[ShownTurn, ...]
    earlier: int
    """Turns before these that were left out."""
    references: tuple[str, ...]
    responses: tuple[str | None, ...]
    """One per system; None where a system gave none."""
    values: tuple[tuple[float | None, ...], ...]
    reasons: tuple[tuple[str | None, ...], ...]
    """Why a value is None; None beside a value, and where none was asked for."""
    evidence: tuple[tuple[str | None, ...], ...] = ()
    """Evidence of measures that explain themselves; empty if none has anything to say."""


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """A run as its report shows it, from the run itself or from its folder."""

    study: str
    """The text of ``study.yaml``."""
    summary: Summary
    manifest: Manifest
    values: Values
    items: tuple[ShownItem, ...]
    """Those that the page carries."""
    notes: tuple[str, ...]
    """Notes of capabilities below the leaderboard, and of files with lines that match no item."""
    points: Points
    """Ratings and scores of the same answers."""
    judges: tuple[str, ...] = ()
    """Sentences on the judges, which are among the notes, too."""


class Place(NamedTuple):
    """Where a value stands in the array of values."""

    measure: int
    system: int
    item: int


class _Block(NamedTuple):
    """The unscored items of one measure and system, in order, and the number of each one's reason."""

    items: NDArray[np.int64]
    numbers: NDArray[np.uint32]


class PackedReasons(Mapping[Place, str]):
    """A reason for each place that has one, in 12 bytes each."""

    def __init__(self) -> None:
        self._blocks: dict[tuple[int, int], _Block] = {}
        self._numbers: dict[str, int] = {}
        self._texts: list[str] = []

    def add(self, measure: int, system: int, columns: NDArray[np.int64], whys: Mapping[int, str]) -> None:
        """Take the reasons of a measure and system, by row; ``columns`` says which item each row is of."""
        if not whys:
            return
        items = columns[np.fromiter(whys, dtype=np.int64, count=len(whys))]
        numbers = np.fromiter(map(self._number, whys.values()), dtype=np.uint32, count=len(whys))
        order = np.argsort(items, kind="stable")
        self._blocks[measure, system] = _Block(items[order], numbers[order])

    def __getitem__(self, place: Place) -> str:
        block = self._blocks[place.measure, place.system]
        row = int(np.searchsorted(block.items, place.item))
        if row == len(block.items) or block.items[row] != place.item:
            raise KeyError(place)
        return self._texts[int(block.numbers[row])]

    def __iter__(self) -> Iterator[Place]:
        for (measure, system), block in self._blocks.items():
            yield from (Place(measure, system, int(item)) for item in block.items)

    def __len__(self) -> int:
        return sum(len(block.items) for block in self._blocks.values())

    def _number(self, why: str) -> int:
        if why not in self._numbers:
            self._numbers[why] = len(self._texts)
            self._texts.append(why)
        return self._numbers[why]
