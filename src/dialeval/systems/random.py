"""A baseline with random responses: the floor for every system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random as Dice

from dialeval.core import Signature
from dialeval.data.codec.sources import file_of, source_stamp
from dialeval.data.types import Context, Response
from dialeval.files.digests import Stamp, hash_file
from dialeval.systems.decoding.model import context_seed
from dialeval.systems.exchanges import exchanges


@dataclass(frozen=True, slots=True)
class Random:
    """Answers with a random response of a corpus, each different text as likely as any other.

    The choice follows from the seed and the context alone, so it does not depend on what else is asked. An empty
    context is answered like any other. By chance it may say the reference, once in as many times as the corpus has
    different responses.
    """

    name: str
    corpus: Path

    @property
    def signature(self) -> Signature:
        """All that could move its responses, beside the seed."""
        return Signature("random", (), (("corpus", hash_file(file_of(self.corpus))),), version=2)

    def generate(
        self, contexts: Sequence[Context], *, n: int = 1, seed: int = 0
    ) -> list[tuple[Response, ...]]:
        """``n`` different responses to each context, or as many as the corpus has."""
        pool = _pool(source_stamp(self.corpus))
        return [
            tuple(Response(pool[number]) for number in _draw(len(pool), n, context, seed))
            for context in contexts
        ]


@lru_cache(maxsize=4)
def _pool(corpus: Stamp) -> tuple[str, ...]:
    return tuple(dict.fromkeys(exchange.response for exchange in exchanges(corpus.path)))


def _draw(size: int, n: int, context: Context, seed: int) -> list[int]:
    """At most ``n`` different numbers below ``size``: the start of a shuffle, of which only the moves are kept."""
    # Only random() is promised to stay the same from one Python to the next; choice() and sample() are not.
    dice = Dice(context_seed(seed, context))
    moved: dict[int, int] = {}
    drawn: list[int] = []
    for first in range(min(n, size)):
        other = first + int(dice.random() * (size - first))
        drawn.append(moved.get(other, other))
        moved[other] = moved.get(first, first)
    return drawn
