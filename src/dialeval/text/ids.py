"""Ids and names of millions of subjects in little memory: as columns of Arrow, by number, and by hash."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

Integers: TypeAlias = NDArray[np.int64]
BLOCK: Final = 1 << 14
"""Texts that are packed at once; of fewer, Arrow is not even imported."""


class TextColumn(Sequence[str]):
    """Texts in columns of Arrow, which take their length and 4 bytes each; a tuple takes 60 bytes more for each.

    If they are ``repeated``, as names of systems are, each takes 4 bytes wherever it stands. The last texts are in a
    list, so that a few are no slower than that.
    """

    def __init__(self, texts: Iterable[str] = (), *, repeated: bool = False) -> None:
        self._repeated = repeated
        self._column: pa.ChunkedArray | None = None
        self._packed = 0
        self._rest: list[str] = []
        self.extend(texts)

    @property
    def column(self) -> pa.ChunkedArray:
        """The texts as Arrow holds them."""
        if self._rest or self._column is None:
            self._pack(len(self._rest))
        return self._column

    def extend(self, texts: Iterable[str]) -> None:
        """Append these texts."""
        stream = iter(texts)
        while more := list(islice(stream, BLOCK)):
            self._rest += more
            if len(self._rest) >= BLOCK:
                self._pack(len(self._rest) // BLOCK * BLOCK)

    def append(self, text: str) -> None:
        """Append this text."""
        self._rest.append(text)
        if len(self._rest) == BLOCK:
            self._pack(BLOCK)

    def take(self, places: Integers) -> TextColumn:
        """Return the texts at these places."""
        return TextColumn(map(self.__getitem__, places.tolist()))

    def sorted_places(self) -> Integers:
        """Return the places of the texts in the order of their code points."""
        if self._column is None:
            return np.array(sorted(range(len(self)), key=self._rest.__getitem__), dtype=np.int64)
        import pyarrow.compute as pc

        # By bytes of UTF-8, which is the order of code points that Python has.
        return np.asarray(pc.sort_indices(self.column).to_numpy(), dtype=np.int64)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TextColumn):
            return NotImplemented
        if self is other or len(self) != len(other):
            return self is other
        if self._column is None and other._column is None:
            return self._rest == other._rest
        return bool(self.column.equals(other.column))

    __hash__ = None  # type: ignore[assignment]  # texts can be added

    def __len__(self) -> int:
        return self._packed + len(self._rest)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[place] for place in range(len(self))[index]]
        place = index + len(self) if index < 0 else index
        if place >= self._packed:
            return self._rest[place - self._packed]
        if place < 0:
            raise IndexError(f"no text at {index}")
        text: str = self._column[place].as_py()  # type: ignore[index]  # a column holds what is packed
        return text

    def __iter__(self) -> Iterator[str]:
        for chunk in self._column.chunks if self._column is not None else ():
            if self._repeated:
                yield from map(chunk.dictionary.to_pylist().__getitem__, chunk.indices.to_pylist())
            else:
                yield from chunk.to_pylist()
        yield from self._rest

    def _pack(self, count: int) -> None:
        """Move so many of the last texts into the column."""
        import pyarrow as pa

        chunk = pa.array(self._rest[:count], pa.string())
        if self._repeated:
            chunk = chunk.dictionary_encode()
        self._column = pa.chunked_array([*(self._column.chunks if self._column is not None else ()), chunk])
        self._packed += count
        del self._rest[:count]


class TextNumbers(Collection[str]):
    """Different texts, numbered in the order in which they came: some 20 bytes each beside their characters.

    A dict of the same takes 130 and more. Texts are found by their hashes and then compared, so that none are confused.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts = TextColumn()
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
        table, hashes, text_at, mask = (
            self._table,
            self._hashes,
            self._texts.__getitem__,
            len(self._table) - 1,
        )
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
    """Return the number of different ones."""
    ordered = np.sort(hashes)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + 1 if len(ordered) else 0
