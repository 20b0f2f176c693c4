"""Passages of each turn that are nearest in meaning to what was said before, for detectors that take long."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from dialeval.consistency.pairs.types import Pair
from dialeval.core import Floats
from dialeval.encoder import EMBEDDED
from dialeval.encoder.model import unit_vectors

if TYPE_CHECKING:
    from dialeval.consistency.detecting.dialogues import Quoted

NEAREST: Final = 8
"""How many passages of a turn are read. What contradicts an utterance is about the same thing: of 136 contradictions of
DECODE's validation pairs put into plain dialogues 97 % are among so many, of 85 put into dialogues of DECODE 99 %.
"""
_AT_ONCE: Final = 4096
"""Passages whose vectors are held together."""


def nearest_passages(
    listed: Sequence[Sequence[Quoted]], nearest: int, reads: Callable[[Pair], bool]
) -> list[list[Quoted]]:
    """Keep of each dialogue's passages, for each of its turns, those nearest by the embedded encoder, in their order.

    Passages that no detector ``reads`` cost nothing and are all kept. Every text is encoded once, so the cost grows
    with the number of sentences and not with that of pairs.
    """
    read = [[place for place, quoted in enumerate(each) if reads(quoted.pair)] for each in listed]
    texts = {
        text
        for each, places in zip(listed, read, strict=True)
        for place in places
        for text in each[place].pair[:2]
    }
    vectors = unit_vectors(texts, EMBEDDED)
    return [_of_dialogue(each, places, nearest, vectors) for each, places in zip(listed, read, strict=True)]


def _of_dialogue(
    listed: Sequence[Quoted], read: Sequence[int], nearest: int, vectors: Mapping[str, Floats]
) -> list[Quoted]:
    by_turn: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for place, cosine in zip(read, _cosines([listed[place].pair for place in read], vectors), strict=True):
        by_turn[listed[place].second].append((-cosine, place))
    left = set(read).difference(place for ranked in by_turn.values() for _, place in sorted(ranked)[:nearest])
    return [quoted for place, quoted in enumerate(listed) if place not in left]


def _cosines(pairs: Sequence[Pair], vectors: Mapping[str, Floats]) -> Iterator[float]:
    """The cosine of the two texts of each pair."""
    for start in range(0, len(pairs), _AT_ONCE):
        part = pairs[start : start + _AT_ONCE]
        earlier = np.stack([vectors[pair.earlier] for pair in part])
        response = np.stack([vectors[pair.response] for pair in part])
        yield from (earlier * response).sum(axis=1).tolist()
