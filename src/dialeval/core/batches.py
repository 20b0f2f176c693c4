"""Batches of subjects that one metric after the other is given."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from dialeval.data.columns import ExampleColumns, columns_of
from dialeval.data.types import Example

T = TypeVar("T")
S_co = TypeVar("S_co", covariant=True)


class SharedBatch(tuple[S_co, ...]):
    """Subjects, and what metrics have computed of them that other metrics need too; lost on the way to a process."""

    known: dict[Hashable, Any]
    whole: SharedBatch[S_co] | None
    """A larger batch that these are a stretch of: what is cheaper to compute of many is computed of that."""
    start: int
    """Where they begin in it."""
    coming: int
    """Number of subjects that are known to come, these among them; 0 if nobody can say."""

    def __new__(
        cls, subjects: Iterable[S_co] = (), whole: SharedBatch[S_co] | None = None, start: int = 0
    ) -> SharedBatch[S_co]:
        """With nothing computed yet."""
        batch = super().__new__(cls, subjects)
        batch.known, batch.whole, batch.start, batch.coming = {}, whole, start, 0
        return batch

    def __reduce__(self) -> tuple[Any, ...]:
        return SharedBatch, (tuple(self),)


def once(subjects: Sequence[object], key: Hashable, compute: Callable[[], T]) -> T:
    """Return what ``compute`` gives, computed once if the subjects are a shared batch; ``key`` says what it is."""
    if not isinstance(subjects, SharedBatch):
        return compute()
    if key not in subjects.known:
        subjects.known[key] = compute()
    value: T = subjects.known[key]
    return value


def coming_with(subjects: Sequence[object]) -> int:
    """Return the number of subjects that are known to come in all, by a batch of them."""
    return max(len(subjects), subjects.coming if isinstance(subjects, SharedBatch) else 0)


class Stretch(NamedTuple):
    """A batch, and where some of its subjects are."""

    whole: Sequence[Any]
    place: slice


def stretch_of(subjects: Sequence[Any]) -> Stretch:
    """The largest batch that has these subjects, perhaps nothing but these, and where they are in it."""
    if isinstance(subjects, SharedBatch) and subjects.whole is not None:
        return Stretch(subjects.whole, slice(subjects.start, subjects.start + len(subjects)))
    return Stretch(subjects, slice(len(subjects)))


def lacks_references(example: Example) -> str | None:
    """The reason a reference metric cannot score this example, or None where it can."""
    return None if example.references else "no references"


def example_columns(examples: Sequence[Example]) -> ExampleColumns:
    """The fields of these examples, read once from a shared batch."""

    def read() -> ExampleColumns:
        whole, place = stretch_of(examples)
        return columns_of(examples) if whole is examples else example_columns(whole).part(place)

    return once(examples, ExampleColumns, read)
