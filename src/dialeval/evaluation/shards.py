"""Shards: equal parts of some work, for machines that share nothing but files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from dialeval.core import Missing, Subject
from dialeval.errors import Unsuitable

T = TypeVar("T")
S = TypeVar("S", bound=Subject)


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several parts, counted from 1; prints and parses as ``2/3``.

    Work is cut only where a run on one machine would begin a batch, so that shards compute that run's batches and no
    others. Intervals and tests see all items together afterwards, so that dialogues may be cut as well.
    """

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise Unsuitable(
                f"Found shard {self}, expected a shard from 1/{max(1, self.of)} to {max(1, self.of)}/{max(1, self.of)}."
            )

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard that is written so; Unsuitable where the text is not a shard."""
        written = re.fullmatch(r"\s*(\d{1,6})\s*/\s*(\d{1,6})\s*", text)
        if written is None:
            raise Unsuitable(f"Found {text!r}, expected a shard such as 1/3, counted from 1.")
        return cls(int(written[1]), int(written[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def places(self, total: int, at_once: int) -> range:
        """Places of this shard: whole batches of ``at_once``, beside each other, one more or less than in others."""
        batches = -(-total // at_once)
        first, last = (batches * number // self.of * at_once for number in (self.number - 1, self.number))
        return range(min(first, total), min(last, total))

    def part_of(self, items: Sequence[T], at_once: int) -> Sequence[T]:
        """The items of this shard, of those that are worked on in batches of ``at_once``."""
        places = self.places(len(items), at_once)
        return items[places.start : places.stop]

    def part_of_stream(self, subjects: Iterable[S | Missing], at_once: int) -> Iterator[S | Missing]:
        """The subjects of this shard, of a stream of unknown length: each system's batches are dealt out in turn."""
        # The second system begins with the second shard, so that short ones do not all go to the first.
        first: dict[str, int] = {}
        places: Counter[str] = Counter()
        for subject in subjects:
            batch = first.setdefault(subject.system, len(first)) + places[subject.system] // at_once
            places[subject.system] += 1
            if batch % self.of == self.number - 1:
                yield subject


def whole_batches(places: range, total: int, at_once: int) -> range:
    """Those of the places that fill batches of ``at_once``, which other shards then have no part of."""
    first = -(-places.start // at_once) * at_once
    last = places.stop if places.stop == total else places.stop // at_once * at_once
    return range(first, max(first, last))
