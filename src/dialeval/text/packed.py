"""Texts of millions of subjects in little memory: ids joined in blocks and numbered, names of systems by number."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
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
            self._join(self._rest[start : start + BLOCK])
        del self._rest[:whole]

    def append(self, text: str) -> None:
        """Put this one after the others."""
        self._rest.append(text)
        if len(self._rest) == BLOCK:
            self._join(self._rest)
            self._rest.clear()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PackedTexts):
            return NotImplemented
        return self is other or (
            self._ends == other._ends and self._joined == other._joined and self._rest == other._rest
        )

    __hash__ = None  # type: ignore[assignment]  # texts can be added

    def __len__(self) -> int:
        return BLOCK * len(self._joined) + len(self._rest)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> PackedTexts: ...
    def __getitem__(self, index: int | slice) -> str | PackedTexts:
        places = range(len(self))[index]
        if not isinstance(places, range):
            return self.at(places)
        if places.step == 1:
            return PackedTexts(self._between(places.start, places.stop))
        return PackedTexts(self.at(place) for place in places)

    def __iter__(self) -> Iterator[str]:
        return self._between(0, len(self))

    def _between(self, start: int, stop: int) -> Iterator[str]:
        """The texts from the first place up to the second."""
        for number in range(start // BLOCK, -(-stop // BLOCK)):
            first, last = max(start - number * BLOCK, 0), min(stop - number * BLOCK, BLOCK)
            if number == len(self._joined):
                yield from self._rest[first:last]
                continue
            joined, ends = self._joined[number], self._ends[number]
            begin = ends[first - 1] if first else 0
            for end in ends[first:last]:
                yield joined[begin:end]
                begin = end

    def _join(self, block: list[str]) -> None:
        self._joined.append("".join(block))
        self._ends.append(array("I", accumulate(map(len, block))))

    def at(self, place: int) -> str:
        """The text at a place that exists, counted from 0: quicker than by brackets."""
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

    def __iter__(self) -> Iterator[str]:
        return map(self._names.__getitem__, self._places)

    def _number(self, name: str) -> int:
        number = self._numbers.setdefault(name, len(self._names))
        if number == len(self._names):
            self._names.append(name)
        return number


class TextNumbers(Collection[str]):
    """Different texts, numbered in the order in which they came: some 20 bytes each beside their characters.

    A dict of the same takes 130 and more. Texts are found by their hashes and then compared, so that none are confused.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts = PackedTexts()
        self._hashes = array("q")
        self._table = array("I", bytes(4 * 1024))
        """Number plus 1 of the text whose hash leads to this slot, or to one before it; 0 where it is free."""
        for text in texts:
            self.add(text)

    def add(self, text: str) -> int:
        """The text's number; the next one where it is new."""
        value = hash(text)
        slot = self._slot(text, value)
        if self._table[slot]:
            return self._table[slot] - 1
        self._texts.append(text)
        self._hashes.append(value)
        self._table[slot] = len(self._hashes)
        if 10 * len(self._hashes) > 6 * len(self._table):
            self._grow()
        return len(self._hashes) - 1

    def number(self, text: str) -> int | None:
        """The text's number; None where it is not among them."""
        held = self._table[self._slot(text, hash(text))]
        return held - 1 if held else None

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and self.number(text) is not None

    def __len__(self) -> int:
        return len(self._hashes)

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def _slot(self, text: str, value: int) -> int:
        """Where the text stands in the table, or the free slot where it would."""
        table, hashes, text_at, mask = self._table, self._hashes, self._texts.at, len(self._table) - 1
        slot = value & mask
        while (held := table[slot]) and (hashes[held - 1] != value or text_at(held - 1) != text):
            slot = (slot + 1) & mask
        return slot

    def _grow(self) -> None:
        table = array("I", bytes(8 * len(self._table)))
        mask = len(table) - 1
        for number, value in enumerate(self._hashes, start=1):
            slot = value & mask
            while table[slot]:
                slot = (slot + 1) & mask
            table[slot] = number
        self._table = table


def text_hashes(texts: Iterable[str]) -> NDArray[np.int64]:
    """A 64-bit hash of each text, to count and group them by where a dict of millions would take gigabytes.

    Hashes hold for this process only. Two different texts share one once in 370,000 files of ten million texts.
    """
    return np.fromiter(map(hash, texts), dtype=np.int64)


def count_distinct(hashes: NDArray[np.int64]) -> int:
    """How many different ones there are."""
    ordered = np.sort(hashes)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + 1 if len(ordered) else 0
