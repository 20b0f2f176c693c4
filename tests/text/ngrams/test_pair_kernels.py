"""Tables of pairs, against dictionaries."""

from __future__ import annotations

import random

from dialeval.text.ngrams._pair_kernels import VALUE, empty_table, seek, with_room


def test_pairs_are_numbered_as_by_a_dictionary_while_the_table_grows() -> None:
    rng = random.Random(0)
    known: dict[tuple[int, int], int] = {}
    table, sizes = empty_table(), set()
    for _ in range(3_000):
        pair = rng.randrange(40), rng.randrange(40)
        table = with_room(table, len(known), 1)
        sizes.add(len(table))
        row = seek(table, *pair)
        assert table[row, VALUE] == known.get(pair, 0)
        table[row] = *pair, known.setdefault(pair, len(known) + 1)
    assert len(sizes) > 1


def test_pairs_that_share_a_half_are_told_apart_at_the_ends_of_the_range() -> None:
    ends = (0, 1, 2**31 - 2, 2**31 - 1)
    table = empty_table()
    for value, (left, right) in enumerate(((a, b) for a in ends for b in ends), start=1):
        row = seek(table, left, right)
        assert table[row, VALUE] == 0
        table[row] = left, right, value
    larger = with_room(table, 16, 1_000)
    found = [int(larger[seek(larger, a, b), VALUE]) for a in ends for b in ends]
    assert found == list(range(1, 17))
