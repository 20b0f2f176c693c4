"""The subjects of an evaluation, noted once for all metrics: names, digest, and which of them cannot be scored."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import fields, is_dataclass
from itertools import chain, compress, islice
from operator import is_
from types import FunctionType
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Integers, Missing, Resampling, Subject
from dialeval.core.batches import SharedBatch, example_columns, lacks_references
from dialeval.data import Example, subject_lines
from dialeval.data.columns import ExampleColumns
from dialeval.errors import Unsuitable
from dialeval.evaluation.runs import Repetition, why_absent
from dialeval.evaluation.silence import is_unanswered
from dialeval.text.blank import is_blank
from dialeval.text.ids import TextColumn

S = TypeVar("S", bound=Subject)
T = TypeVar("T")


class Screening(NamedTuple, Generic[S]):
    """Those of a batch that a metric can score, and why it cannot score the others, by place in the roll."""

    scorable: SharedBatch[S]
    reasons: Mapping[int, str]


_NO_REASONS: Final[Mapping[int, str]] = {}
_NOBODY: Final[Mapping[int, Any]] = {}
_TOGETHER: Final = 1024
"""Subjects of which metrics may compute what they need at once, in several batches where these are smaller."""


class NotedBatch(Generic[S]):
    """Some of the subjects, in order."""

    __slots__ = ("_complete", "_screened", "columns", "digest", "first", "subjects", "unanswered")

    def __init__(
        self, subjects: SharedBatch[S | Missing], first: int, digest: str, columns: ExampleColumns | None
    ) -> None:
        self.subjects = subjects
        self.columns = columns
        """Their fields, where all of them are examples."""
        self.first = first
        """The place of the first of them in the roll."""
        self.digest = digest
        """Of all of them; empty where no cache needs it."""
        self._screened: dict[object, Screening[S]] = {}
        self._complete = columns is not None and columns.complete
        self.unanswered = _unanswered(subjects, first, columns)
        """Those that the system left unanswered, by place in the roll."""

    def screened(self, check: Callable[[S], str | None]) -> Screening[S]:
        """By what keeps a metric from scoring; metrics that have one and the same function for that are asked once."""
        known = self._screened.get(check)
        if known is None:
            known = self._screen(check)
            if isinstance(check, FunctionType):  # a method may depend on its metric
                self._screened[check] = known
        return known

    def _screen(self, check: Callable[[S], str | None]) -> Screening[S]:
        # The commonest check, which the columns have answered for all of them.
        if (
            self._complete
            and check is lacks_references
            and self.columns is not None
            and not self.columns.bare
        ):
            return Screening(cast("SharedBatch[S]", self.subjects), _NO_REASONS)
        if self._complete:
            whys = list(map(check, cast(Sequence[S], self.subjects)))
        else:
            whys = [_why(subject, check) for subject in self.subjects]
        if whys.count(None) == len(whys):
            return Screening(cast("SharedBatch[S]", self.subjects), _NO_REASONS)
        pairs = zip(cast(Sequence[S], self.subjects), whys, strict=True)
        reasons = {self.first + index: why for index, why in enumerate(whys) if why is not None}
        return Screening(SharedBatch([subject for subject, why in pairs if why is None]), reasons)


def _unanswered(
    subjects: Sequence[S | Missing], first: int, columns: ExampleColumns | None
) -> Mapping[int, S | Missing]:
    if columns is not None and columns.complete:
        places = [place for place, text in enumerate(columns.texts) if is_blank(text)]
    else:
        places = [place for place, subject in enumerate(subjects) if is_unanswered(subject)]
    return {first + place: subjects[place] for place in places} if places else _NOBODY


def _why(subject: S | Missing, check: Callable[[S], str | None]) -> str | None:
    if isinstance(subject, Missing):
        return subject.reason
    return why_absent(subject) or check(subject)


class Roll(Generic[S]):
    """All subjects so far. Batches are noted as they are asked for, so that a stream is never held in memory.

    ``packed``, ids and systems take a fifth of the memory.
    """

    def __init__(self, batch_size: int, *, digests: bool, packed: bool = False) -> None:
        self._size, self._digests = batch_size, digests
        self._items: list[str] | TextColumn = TextColumn() if packed else []
        self._systems: list[str] | TextColumn = TextColumn(repeated=True) if packed else []
        self._answers: array[int] | None = array("q")
        self._data = hashlib.sha256()
        self._derived: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self._items)

    def note(self, subjects: Iterable[S | Missing]) -> Iterator[NotedBatch[S]]:
        """The subjects in batches, each noted when it is asked for."""
        coming = len(subjects) if isinstance(subjects, Sized) else 0
        for chunk in self._chunks(iter(subjects), coming):
            first = len(self._items)
            columns = _columns(chunk)
            if columns is None:
                self.name(*_names(chunk), _hashes(chunk))
            else:
                self.name(columns.items, columns.systems, map(hash, map(str.strip, columns.texts)))
            lines = subject_lines(chunk, columns)
            self._data.update(lines)
            self._data.update(b"\n")
            # The digest covers the whole chunk: what was left out of a batch cannot alias another batch.
            yield NotedBatch(
                chunk, first, hashlib.sha256(lines).hexdigest() if self._digests else "", columns
            )

    def _chunks(self, stream: Iterator[S | Missing], coming: int) -> Iterator[SharedBatch[S | Missing]]:
        """Batches, small ones as stretches of a larger one where that holds nothing but complete examples."""
        while whole := SharedBatch(islice(stream, self._size * max(1, _TOGETHER // self._size))):
            whole.coming = coming
            if len(whole) <= self._size:
                yield whole
                continue
            columns = _columns(whole)
            alike = columns is not None and columns.complete and not columns.bare
            for start in range(0, len(whole), self._size):
                yield SharedBatch(whole[start : start + self._size], whole if alike else None, start)

    def name(
        self, items: Iterable[str], systems: Iterable[str], answers: Iterable[int] | None = None
    ) -> None:
        """Enter subjects by name, with the hashes of their answers if these are known."""
        self._items.extend(items)
        self._systems.extend(systems)
        if answers is None:
            self._answers = None
        elif self._answers is not None:
            self._answers.extend(answers)
        self._derived.clear()

    @property
    def items(self) -> Sequence[str]:
        """The item of each subject: a tuple, the same for all metrics, or packed."""
        return self._once("items", lambda: _held(self._items))

    @property
    def systems(self) -> Sequence[str]:
        """The system of each subject, in the same way."""
        return self._once("systems", lambda: _held(self._systems))

    @property
    def answers(self) -> Integers | None:
        """The hash of each subject's answer; None if that of one is not known."""
        known = self._answers
        return None if known is None else self._once("answers", lambda: np.array(known, dtype=np.int64))

    @property
    def data(self) -> str:
        """The digest of the subjects' canonical lines."""
        return self._data.copy().hexdigest()

    def clusters(self, resampling: Resampling, chosen: NDArray[np.bool_]) -> Integers | None:
        """Which of the chosen subjects are resampled together; None where none are."""
        if chosen.all():
            return self._once(resampling, lambda: resampling.clusters(self._items))
        return resampling.clusters(list(compress(self._items, chosen.tolist())))

    def _once(self, key: Hashable, compute: Callable[[], T]) -> T:
        if key not in self._derived:
            self._derived[key] = compute()
        value: T = self._derived[key]
        return value


def _held(texts: list[str] | TextColumn) -> Sequence[str]:
    return tuple(texts) if isinstance(texts, list) else texts


class KeptRoll(NamedTuple, Generic[S]):
    """A roll with its batches, for metrics that come one after the other."""

    roll: Roll[S]
    batches: Iterable[NotedBatch[S]]


def keep(subjects: Iterable[S | Missing], batch_size: int, *, digests: bool) -> KeptRoll[S]:
    """The roll of these subjects: a batch is noted when the first metric asks for it, and kept for the others."""
    roll: Roll[S] = Roll(batch_size, digests=digests)
    return KeptRoll(roll, _KeptBatches(roll.note(subjects)))


class _KeptBatches(Generic[S]):
    """Batches of a stream that can be asked for again; what keeps one from being noted is raised each time."""

    def __init__(self, stream: Iterator[NotedBatch[S]]) -> None:
        self._stream = stream
        self._kept: list[NotedBatch[S]] = []
        self._error: Exception | None = None

    def __iter__(self) -> Iterator[NotedBatch[S]]:
        index = 0
        while index < len(self._kept) or self._note_another():
            yield self._kept[index]
            index += 1

    def _note_another(self) -> bool:
        """Whether there was one."""
        if self._error is not None:
            raise self._error
        try:
            batch = next(self._stream, None)
        except Exception as error:
            self._error = error
            raise
        if batch is not None:
            self._kept.append(batch)
        return batch is not None


def _columns(subjects: SharedBatch[Any]) -> ExampleColumns | None:
    alike = subjects.whole is not None or set(map(type, subjects)) == {Example}
    return example_columns(subjects) if alike else None


class _Names(NamedTuple):
    items: list[str]
    systems: list[str]


def _names(subjects: Sequence[Subject]) -> _Names:
    try:
        return _Names([subject.item for subject in subjects], [subject.system for subject in subjects])
    except AttributeError:
        strange = next((subject for subject in subjects if not hasattr(subject, "item")), None)
        if strange is None:
            raise
    raise Unsuitable(
        f"Found {type(strange).__name__} among what is to be scored, expected subjects such as Example. Texts and "
        "tables go into score(), as in score(['a response'], [['its reference']])."
    )


def hash_answer(subject: object) -> int | None:
    """A hash of all that the subject holds but the name of its system; None if it holds what cannot be hashed.

    Of an example, only the response counts, and of that no space around it: its context and references are not the
    system's.
    """
    if isinstance(subject, Missing):
        return hash(None)
    if isinstance(subject, Example):
        return hash(subject.response.text.strip())
    if isinstance(subject, Repetition):
        answers = tuple(map(hash_answer, subject.answers))
        return None if None in answers else hash(answers)
    if not is_dataclass(subject):
        return None
    held = [field.name for field in fields(subject) if field.name not in ("item", "system")]
    try:
        return hash(tuple(getattr(subject, name) for name in held))
    except TypeError:
        return None


def _hashes(subjects: Iterable[object]) -> list[int] | None:
    hashes = list(map(hash_answer, subjects))
    known = [value for value in hashes if value is not None]
    return known if len(known) == len(hashes) else None


_MOST_REMEMBERED: Final = 32768


class _RollSettings(NamedTuple):
    """Settings with which subjects are noted."""

    batch_size: int
    digests: bool


class _KnownRoll(NamedTuple):
    """A roll. Its subjects are known again by being the very same objects, which are kept alive with it."""

    settings: _RollSettings
    kept: KeptRoll[Any]


_last: list[_KnownRoll] = []
"""At most one; replaced whole, so that threads never see parts of two."""


def recent_roll(
    subjects: Iterable[Subject | Missing], batch_size: int, *, digests: bool
) -> tuple[Roll[Any], Iterable[NotedBatch[Any]]]:
    """The roll of these subjects and its batches; those of the last time where the subjects are the same."""
    settings = _RollSettings(batch_size, digests)
    roll: Roll[Any] = Roll(batch_size, digests=digests)
    if not isinstance(subjects, list | tuple) or len(subjects) > _MOST_REMEMBERED:
        return roll, roll.note(subjects)
    for known in _last[:]:
        if known.settings == settings and _are_same(known.kept, subjects):
            return known.kept
    return roll, _remember(roll, subjects, settings)


def _remember(
    roll: Roll[Any], subjects: list[Any] | tuple[Any, ...], settings: _RollSettings
) -> Iterator[NotedBatch[Any]]:
    """The batches, each noted when it is asked for; once all are, they are remembered."""
    batches = []
    for batch in roll.note(subjects):
        batches.append(batch)
        yield batch
    if all(map(_cannot_change, batches)):
        _last[:] = [_KnownRoll(settings, KeptRoll(roll, batches))]


def _are_same(known: KeptRoll[Any], subjects: list[Any] | tuple[Any, ...]) -> bool:
    noted = chain.from_iterable([batch.subjects for batch in known.batches])
    return len(known.roll) == len(subjects) and all(map(is_, noted, subjects))


def _cannot_change(batch: NotedBatch[Any]) -> bool:
    """Whether all are examples without a mapping in them, which somebody might write to before the next metric."""
    return batch.columns is not None and all(
        [turn.extra is None for context in batch.columns.contexts if context for turn in context]
    )
