"""Which ids a file has used so far, in about 20 bytes each."""

from __future__ import annotations

from array import array


class Seen:
    """A growing set of keys, kept as 64-bit hashes in one flat table.

    A set of the keys themselves takes some 150 bytes each, which a file of fifty million lines cannot afford. Two
    different keys share a hash once in 370,000 files of ten million lines.
    """

    def __init__(self) -> None:
        self._table = array("q", bytes(8 * 1024))
        self._mask = 1023
        self._room = 600

    def add(self, key: object) -> bool:
        """Remember ``key``; False if it was there before."""
        value = hash(key) or 1  # 0 marks a free slot
        table, mask = self._table, self._mask
        at = value & mask
        while held := table[at]:
            if held == value:
                return False
            at = (at + 1) & mask
        table[at] = value
        self._room -= 1
        if not self._room:
            self._grow()
        return True

    def _grow(self) -> None:
        size = 2 * len(self._table)
        table, mask = array("q", bytes(8 * size)), size - 1
        for value in self._table:
            if value:
                at = value & mask
                while table[at]:
                    at = (at + 1) & mask
                table[at] = value
        self._table, self._mask = table, mask
        self._room = int(size * 0.6) - int(size / 2 * 0.6)
