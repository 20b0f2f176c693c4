"""Reasons why items have no value, packed: there may be millions of items, and there are few different reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


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
