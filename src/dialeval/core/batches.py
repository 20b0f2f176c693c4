"""Batches of subjects that one metric after the other is given."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

from dialeval.data.columns import ExampleColumns, columns_of
from dialeval.data.types import Example

T = TypeVar("T")
S_co = TypeVar("S_co", covariant=True)


class SharedBatch(tuple[S_co, ...]):
    """Subjects, and what metrics have computed of them that other metrics need too; lost on the way to a process."""

    known: dict[Hashable, Any]

    def __new__(cls, subjects: Iterable[S_co] = ()) -> SharedBatch[S_co]:
        """With nothing computed yet."""
        batch = super().__new__(cls, subjects)
        batch.known = {}
        return batch

    def __reduce__(self) -> tuple[Any, ...]:
        return SharedBatch, (tuple(self),)


def once(subjects: Sequence[object], key: Hashable, compute: Callable[[], T]) -> T:
    """What ``compute`` gives: computed once where the subjects are a shared batch, ``key`` saying what it is."""
    if not isinstance(subjects, SharedBatch):
        return compute()
    if key not in subjects.known:
        subjects.known[key] = compute()
    value: T = subjects.known[key]
    return value


def example_columns(examples: Sequence[Example]) -> ExampleColumns:
    """The fields of these examples, read once from a shared batch."""
    return once(examples, ExampleColumns, lambda: columns_of(examples))
