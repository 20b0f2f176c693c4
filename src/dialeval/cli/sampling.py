"""Samples of items drawn at random, for verbs that offer ``--sample`` beside ``--limit``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from random import Random
from typing import Annotated, TypeAlias, TypeVar

from dialeval.cli.parsing.parameters import BadUsage
from dialeval.options import Option

T = TypeVar("T")

Sample: TypeAlias = Annotated[
    int | None,
    Option("--sample", min=1, metavar="N", help="Use only N items, drawn at random by --seed."),
]


def drawn(
    records: Iterable[T],
    item: Callable[[T], str],
    *,
    limit: int | None,
    sample: int | None,
    seed: int,
) -> tuple[list[T], str | None]:
    """The records of the first ``limit`` items or of ``sample`` random ones, in their order, and a note on the sample.

    All records of an item stay together, so that systems are compared on the same items.
    """
    if sample is None:
        return (list(records) if limit is None else _first(records, item, limit)), None
    check_sample(limit, sample)
    kept: dict[str, list[tuple[int, T]]] = {}
    slots: list[str] = []
    seen: set[str] = set()
    draw = Random(seed)
    for place, record in enumerate(records):
        name = item(record)
        if (
            name not in seen
        ):  # Algorithm R of Vitter (1985): each item so far is kept with the same probability
            seen.add(name)
            slot = len(slots) if len(slots) < sample else draw.randrange(len(seen))
            if slot < sample:
                if slot == len(slots):
                    slots.append(name)
                else:
                    del kept[slots[slot]]
                    slots[slot] = name
                kept[name] = []
        if name in kept:
            kept[name].append((place, record))
    told = f"a random sample of {len(slots):,} of {len(seen):,} items, seed {seed}"
    print(told, file=sys.stderr)
    return [record for _, record in sorted((pair for own in kept.values() for pair in own), key=_place)], told


def check_sample(limit: int | None, sample: int | None) -> None:
    """Refuse a sample of the first items: it would be no random one."""
    if limit is not None and sample is not None:
        raise BadUsage("cannot be combined with --limit, whose items are no random sample", where="--sample")


def _place(pair: tuple[int, object]) -> int:
    return pair[0]


def _first(records: Iterable[T], item: Callable[[T], str], limit: int) -> list[T]:
    names: set[str] = set()
    kept = []
    for record in records:
        if item(record) in names or len(names) < limit:
            names.add(item(record))
            kept.append(record)
    return kept
