"""Batches of similar numbers of tokens and of texts of similar length; lessons of one context stay together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple

from dialeval.training.batches import shuffled_batches

_POOL: Final = 4096
"""Bundles that are sorted by length together: enough to pad little, few enough to stay random."""
_TOGETHER: Final = 8
"""Lessons of one context that stay together at most."""


class Width(NamedTuple):
    """How wide a lesson makes a batch, in tokens."""

    context: int
    """0 where the context is read again with every response."""
    response: int


class Bundle(NamedTuple):
    """Lessons by position that share a context, and how wide they make a batch."""

    lessons: list[int]
    width: Width


def bundles(contexts: Sequence[Hashable], widths: Sequence[Width]) -> list[Bundle]:
    """The lessons bundled by context, so that it is encoded once."""
    of_context: dict[Hashable, list[int]] = {}
    for lesson, context in enumerate(contexts):
        of_context.setdefault(context, []).append(lesson)
    chunks = [
        same[first : first + _TOGETHER]
        for same in of_context.values()
        for first in range(0, len(same), _TOGETHER)
    ]
    return [
        Bundle(chunk, Width(widths[chunk[0]].context, max(widths[lesson].response for lesson in chunk)))
        for chunk in chunks
    ]


def training_batches(bundled: Sequence[Bundle], budget: int, seed: int, epoch: int) -> list[list[int]]:
    """An epoch's batches as positions: a function of seed and epoch, so that a resumed run meets the same."""
    return shuffled_batches(
        len(bundled),
        _POOL,
        lambda numbers: cut_batches([bundled[number] for number in numbers], budget),
        seed=seed,
        epoch=epoch,
    )


def cut_batches(bundled: Sequence[Bundle], budget: int) -> list[list[int]]:
    """Batches as positions, in order of length; a bundle that is alone may exceed the budget.

    A batch has the tokens of its contexts or of its responses, whichever are more, padding counted: where no context is
    shared, the rows times the longest text, as fairseq counts.
    """
    batches: list[list[Bundle]] = []
    for bundle in sorted(bundled, key=lambda bundle: bundle.width):
        if batches and _tokens([*batches[-1], bundle]) <= budget:
            batches[-1].append(bundle)
        else:
            batches.append([bundle])
    return [[lesson for bundle in batch for lesson in bundle.lessons] for batch in batches]


def _tokens(batch: Sequence[Bundle]) -> int:
    contexts = len(batch) * max(bundle.width.context for bundle in batch)
    rows = sum(len(bundle.lessons) for bundle in batch)
    return max(contexts, rows * max(bundle.width.response for bundle in batch))
