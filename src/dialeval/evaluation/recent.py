"""The subjects that were evaluated last, for callers who ask one metric after the other about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from operator import is_
from typing import Any, Final, NamedTuple

from dialeval.core import Missing, Subject
from dialeval.evaluation.roll import KeptRoll, NotedBatch, Roll

_MOST_REMEMBERED: Final = 32768


class _Asked(NamedTuple):
    """How subjects are noted."""

    batch_size: int
    digests: bool


class _Remembered(NamedTuple):
    """A roll. Its subjects are known again by being the very same objects, which are kept alive with it."""

    asked: _Asked
    kept: KeptRoll[Any]


_last: list[_Remembered] = []
"""At most one; replaced whole, so that threads never see parts of two."""


def recent_roll(
    subjects: Iterable[Subject | Missing], batch_size: int, *, digests: bool
) -> tuple[Roll[Any], Iterable[NotedBatch[Any]]]:
    """The roll of these subjects and its batches; those of the last time where the subjects are the same."""
    asked = _Asked(batch_size, digests)
    roll: Roll[Any] = Roll(batch_size, digests=digests)
    if not isinstance(subjects, list | tuple) or len(subjects) > _MOST_REMEMBERED:
        return roll, roll.note(subjects)
    for known in _last[:]:
        if known.asked == asked and _are_same(known.kept, subjects):
            return known.kept
    return roll, _remembered(roll, subjects, asked)


def _remembered(
    roll: Roll[Any], subjects: list[Any] | tuple[Any, ...], asked: _Asked
) -> Iterator[NotedBatch[Any]]:
    """The batches, each noted when it is asked for; once all are, they are remembered."""
    batches = []
    for batch in roll.note(subjects):
        batches.append(batch)
        yield batch
    if all(map(_cannot_change, batches)):
        _last[:] = [_Remembered(asked, KeptRoll(roll, batches))]


def _are_same(known: KeptRoll[Any], subjects: list[Any] | tuple[Any, ...]) -> bool:
    noted = chain.from_iterable([batch.subjects for batch in known.batches])
    return len(known.roll) == len(subjects) and all(map(is_, noted, subjects))


def _cannot_change(batch: NotedBatch[Any]) -> bool:
    """Whether all are examples without a mapping in them, which somebody might write to before the next metric."""
    return batch.columns is not None and all(
        [turn.extra is None for context in batch.columns.contexts if context for turn in context]
    )
