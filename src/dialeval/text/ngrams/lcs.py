"""The longest common subsequence of two sequences, bit-parallel (Hyyrö, 2004)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def lcs_length(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """How many elements the longest sequence has that can be read, in order, in both ``a`` and ``b``."""
    if len(a) > len(b):
        a, b = b, a
    where: dict[Hashable, int] = {}
    for at, element in enumerate(a):
        where[element] = where.get(element, 0) | 1 << at
    # Bit i of `row` is 0 where the subsequence grows by one at a[i]: one addition fills a row of the table.
    full = (1 << len(a)) - 1
    row = full
    for element in b:
        found = row & where.get(element, 0)
        if found:
            row = (row + found | row - found) & full
    return len(a) - row.bit_count()
