"""Texts of millions of subjects in little memory: ids joined in blocks, names of systems by number."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final, overload

import numpy as np
from numpy.typing import NDArray

BLOCK: Final = 1024
"""Texts that are joined into one: enough that what Python adds to each text is nothing."""


class PackedTexts(Sequence[str]):
    """Texts that are kept joined, in their length and 4 bytes each; one is cut out whenever it is asked for.

    A tuple of the same ids takes some 70 bytes more for each.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._joined: list[str] = []
        self._ends: list[array[int]] = []
        self._rest: list[str] = []
        self.extend(texts)

    def extend(self, texts: Iterable[str]) -> None:
        """Put these after the others."""
        self._rest.extend(texts)
        whole = len(self._rest) // BLOCK * BLOCK
        for start in range(0, whole, BLOCK):
            block = self._rest[start : start + BLOCK]
            self._joined.append("".join(block))
            self._ends.append(array("I", accumulate(map(len, block))))
        del self._rest[:whole]

    def __len__(self) -> int:
        return BLOCK * len(self._joined) + len(self._rest)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> PackedTexts: ...
    def __getitem__(self, index: int | slice) -> str | PackedTexts:
        places = range(len(self))[index]
        if isinstance(places, range):
            return PackedTexts(self._at(place) for place in places)
        return self._at(places)

    def __iter__(self) -> Iterator[str]:
        for joined, ends in zip(self._joined, self._ends, strict=True):
            start = 0
            for end in ends:
                yield joined[start:end]
                start = end
        yield from self._rest

    def _at(self, place: int) -> str:
        block, index = divmod(place, BLOCK)
        if block == len(self._joined):
            return self._rest[index]
        ends = self._ends[block]
        return self._joined[block][ends[index - 1] if index else 0 : ends[index]]


class PackedNames(Sequence[str]):
    """Names of which there are few, each kept once, and a number of 4 bytes for each place."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self._places = array("I")
        self.extend(names)

    def extend(self, names: Iterable[str]) -> None:
        """Put these after the others."""
        self._places.extend(map(self._number, names))

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self._names[number] for number in self._places[index]]
        return self._names[self._places[index]]

    def _number(self, name: str) -> int:
        number = self._numbers.setdefault(name, len(self._names))
        if number == len(self._names):
            self._names.append(name)
        return number


def text_hashes(texts: Iterable[str]) -> NDArray[np.int64]:
    """A 64-bit hash of each text, to count and group them by where a dict of millions would take gigabytes.

    Hashes hold for this process only. Two different texts share one once in 370,000 files of ten million texts.
    """
    return np.fromiter(map(hash, texts), dtype=np.int64)


def count_distinct(hashes: NDArray[np.int64]) -> int:
    """How many different ones there are."""
    ordered = np.sort(hashes)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + 1 if len(ordered) else 0
