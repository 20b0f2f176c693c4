"""Recorded responses of systems that ran elsewhere."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from dialeval.core import Floats, Integers, Signature
from dialeval.data import kind_of, read
from dialeval.data.codec.column_names import Columns
from dialeval.data.codec.dialects import tell
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import file_of, source_stamp
from dialeval.data.prompts import answers_in, prompts_of
from dialeval.data.reader import place_of, read_guessing
from dialeval.data.table import Table
from dialeval.data.types import UNNAMED, Context, Example, NBest, Prompt, Response
from dialeval.errors import BadInput, Unsuitable
from dialeval.files.digests import Stamp, hash_file
from dialeval.text.ids import TextNumbers
from dialeval.text.tokenisers.words import folded

_SAME: Final = 1e-4
"""Log-probabilities that differ by less, as a share, are one: batches round differently."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """Replays the responses recorded in a file of examples or n-best lists, found by the item's id.

    A response and its id are enough; lines of text, or responses without ids, are in the order of the prompts.
    ``system`` says whose, if the file holds those of several. An item that is not in the file has no response. One
    that was recorded with another last turn than the prompt's is an error, for then the ids do not mean the same.

    ``paths`` are several runs of one system, as with other seeds, in place of ``path``; alone, the first run is
    replayed. ``columns`` are those of ``read``.
    """

    name: str
    path: Path = Path()
    system: str | None = None
    paths: tuple[Path, ...] = ()
    columns: Mapping[str, str | list[str]] | str | None = None

    def __post_init__(self) -> None:
        columns = Columns.of(self.columns)
        object.__setattr__(self, "columns", str(columns) if columns else None)
        if self.paths and self.path in (Path(), self.paths[0]):
            object.__setattr__(self, "path", self.paths[0])
        elif self.paths:
            raise Unsuitable("Found both 'path' and 'paths': give one file, or those of several runs.")
        elif self.path == Path():
            raise Unsuitable(
                "path: required: a file of recorded responses, or 'paths' with those of several runs."
            )
        if len(set(self.paths)) < len(self.paths):
            raise Unsuitable("paths: found one file twice: each run of a system has its own.")

    @property
    def runs(self) -> tuple[Transcript, ...]:
        """Each run as a transcript; this one if there is one."""
        if len(self.paths) < 2:
            return (self,)
        return tuple(Transcript(self.name, path, self.system, columns=self.columns) for path in self.paths)

    @property
    def signature(self) -> Signature:
        """All that could move its responses."""
        files = [hash_file(file_of(run.path)) for run in self.runs]
        facts = (("file", files[0]), *((f"run{number}", file) for number, file in enumerate(files[1:], 2)))
        columns = self._columns
        named = (("columns", str(columns)),) if columns else ()
        return Signature("transcript", (("system", self.system), *named), facts)

    @property
    def _columns(self) -> Columns | None:
        return Columns.of(self.columns)

    def replay(self, prompts: Sequence[Prompt]) -> list[tuple[Response, ...]]:
        """Return what was recorded for each prompt, best first; none if nothing was."""
        return list(self.each(prompts))

    def each(self, prompts: Sequence[Prompt]) -> Iterator[tuple[Response, ...]]:
        """Yield the same one by one, if all of them would take much memory."""
        recorded = _recorded(source_stamp(self.path), self.system, self._columns)
        if recorded.in_order:
            self._check_count(len(recorded.entries), len(prompts))
            for entry in islice(recorded.entries, len(prompts)):
                yield entry.responses
        else:
            for prompt in prompts:
                yield self._responses(prompt, recorded.of(prompt.item))

    def _check_count(self, lines: int, prompts: int) -> None:
        if lines < prompts:
            found, expected = (
                f"{lines:,} responses without ids",
                f"{prompts:,}, one for each item of the data",
            )
            todo = "Add a line for each item, in the order of the data, or give every response its 'id'."
            raise BadInput(str(self.path), found, expected, todo)
        if lines > prompts:
            tell(str(self.path), f"used the first {prompts:,} of {lines:,} responses, which have no ids")

    @property
    def items(self) -> Collection[str] | None:
        """Ids of the items that were recorded; None if the file has none, so that its order says which is meant."""
        recorded = _recorded(source_stamp(self.path), self.system, self._columns)
        return None if recorded.in_order else recorded.items

    def lines(self, items: Collection[str]) -> Lines | None:
        """Number of lines, and those that record none of ``items``; None if the file has no ids.

        A line that holds a dialogue records its turns, of which one is enough.
        """
        recorded = _recorded(source_stamp(self.path), self.system, self._columns)
        if recorded.in_order:
            return None
        if not recorded.dialogues:
            return Lines(len(recorded.items), [item for item in recorded.items if item not in items])
        lines: dict[str, bool] = {}
        for item, entry in zip(recorded.items, recorded.entries, strict=True):
            line = entry.dialogue or item
            lines[line] = lines.get(line, False) or item in items
        return Lines(len(lines), [line for line, known in lines.items() if not known])

    def logprob(self, contexts: Sequence[Context], responses: Sequence[str]) -> Floats:
        """Return what was recorded for each response in its context; Unsuitable if nothing was.

        Ids do not count here, so one response in one context must have one log-probability throughout the file.
        """
        if len(self.runs) > 1:
            raise Unsuitable(
                f"{self.name} has {len(self.runs)} runs, which may differ in log-probabilities. Give the file of one, "
                "as 'path'."
            )
        known = _likelihoods(source_stamp(self.path), self.system, self._columns)
        recorded = [known.get((_heard(c), r), ()) for c, r in zip(contexts, responses, strict=True)]
        for response, values in zip(responses, recorded, strict=True):
            if len(values) > 1:
                raise self._conflict(response, values)
        values_found = [values[0].logprob if values else None for values in recorded]
        absent = [response for response, value in zip(responses, values_found, strict=True) if value is None]
        if absent:
            raise Unsuitable(
                f"{self.path} records no log-probability for {len(absent)} of {len(responses)} responses, the first "
                f"being {_short(absent[0])}. Record n-best lists with 'logprob' for every candidate, in their contexts."
            )
        return np.array(values_found, dtype=np.float64)

    def tokens(self, responses: Sequence[str]) -> Integers:
        """Unsuitable: a file does not say how many tokens a response had."""
        raise Unsuitable(
            f"{self.path} records log-probabilities but no numbers of tokens. Normalise by 'sum', not by 'mean'."
        )

    def _conflict(self, response: str, values: Sequence[_LogprobRecord]) -> BadInput:
        first, other = values[:2]
        lines = f" on line {first.line} and {other.logprob:g} on line {other.line}"
        same = f" and {other.logprob:g}, both on line {other.line},"
        return BadInput(
            path=str(self.path),
            line=other.line,
            found=f"log-probabilities {first.logprob:g}{same if first.line == other.line else lines} for "
            f"{_short(response)} in the same context",
            expected="one",
            todo="Drop one of them, or put lists of different models under different names of systems.",
        )

    def _responses(self, prompt: Prompt, entry: _Entry | None) -> tuple[Response, ...]:
        if entry is None:
            return ()
        said, heard = (context[-1].text if context else None for context in (prompt.context, entry.context))
        # Equal texts are equal when folded, which takes a while.
        if said is not None and heard is not None and said != heard and folded(said) != folded(heard):
            raise BadInput(
                path=str(self.path),
                found=f"item {prompt.item!r} as an answer to {_short(folded(heard))}",
                expected=f"an answer to {_short(folded(said))}, as the data has it",
                todo="Give both files the same ids, or empty the contexts of the transcript to go by id alone.",
            )
        return entry.responses


def recorded_systems(path: Path, columns: Columns | None = None) -> list[str]:
    """The systems whose responses a file records, in order."""
    return list(dict.fromkeys(recording.record.system for recording in _records(path, columns)))


class Lines(NamedTuple):
    """The lines of a file of recorded responses."""

    total: int
    strange: list[str]
    """Ids of those that record no item of the data."""


class _LogprobRecord(NamedTuple):
    """A log-probability, and the line that records it."""

    logprob: float
    line: int | None


class _Entry(NamedTuple):
    context: Context
    responses: tuple[Response, ...]
    line: int | None
    dialogue: str | None = None
    """The id of the dialogue that it is a turn of, if the file holds dialogues."""


class _Entries(NamedTuple):
    """Records of a file, by item."""

    items: TextNumbers
    entries: Table[_Entry]
    in_order: bool
    """Whether the file has no ids, so that its order says which item is meant."""
    dialogues: bool
    """Whether lines hold dialogues, so that one line records several items."""

    def of(self, item: str) -> _Entry | None:
        """Return what was recorded for the item."""
        number = self.items.number(item)
        return None if number is None else self.entries[number]


@lru_cache(maxsize=16)
def _recorded(file: Stamp, system: str | None, columns: Columns | None) -> _Entries:
    """Each item's entry, of one system."""
    by_system: dict[str, tuple[TextNumbers, Table[_Entry]]] = {}
    in_order, dialogues = True, False
    for record, line, named, dialogue in _records(file.path, columns):
        in_order, dialogues = in_order and not named, dialogues or dialogue is not None
        if record.system not in by_system:
            by_system[record.system] = TextNumbers(), Table(_Entry)
        items, entries = by_system[record.system]
        responses = (record.response,) if isinstance(record, Example) else record.responses
        if items.add(record.item) < len(entries):
            raise BadInput(
                path=str(file.path),
                found=f"item {record.item!r} of system {record.system!r} twice",
                expected="each item once",
                todo="Drop one of them, or put several responses to one item in a file of n-best lists.",
            )
        entries.append(_Entry(record.context, responses, line, dialogue))
    return _Entries(*by_system[_choose(file.path, system, sorted(by_system))], in_order, dialogues)


class _Recording(NamedTuple):
    record: Example | NBest
    line: int | None
    named: bool
    """Whether the line gives the item's id."""
    dialogue: str | None = None


def _records(path: Path, columns: Columns | None) -> Iterator[_Recording]:
    """The records, each with its line."""
    if place_of(path).format.name == "text":
        texts = (record for record in read(path, "example"))
        yield from (_Recording(example, index, named=False) for index, example in enumerate(texts, start=1))
        return
    kind = kind_of(path, columns=columns)
    if kind in ("question", "judgement"):
        raise BadInput(
            path=str(path),
            found=f"{kind} records",
            expected="examples or n-best lists",
            todo="Give 'path' a file of recorded responses; 'dialeval docs files' lists the fields.",
        )
    if kind == "dialogue":
        yield from _said_in_dialogues(path, columns)
        return
    known = kind if kind in ("example", "nbest") else "example"
    rows: deque[Row] = deque(maxlen=1)
    for record in read_guessing(path, kind=known, columns=columns, note=rows.append).records:
        if isinstance(record, Example | NBest):
            row = rows[-1] if rows else None  # none in formats that give every item an id
            named = row is None or (isinstance(row.fields, Mapping) and "id" in row.fields)
            yield _Recording(record, row.where.line if row else None, named)


def _said_in_dialogues(path: Path, columns: Columns | None) -> Iterator[_Recording]:
    """Every turn of the assistant as ``DIALOGUE/TURN``, and the last turn under the dialogue's own id."""
    silent = True
    for dialogue in read(path, "dialogue", columns=columns):
        system = dialogue.system or UNNAMED
        for prompt, turn in zip(prompts_of(dialogue), answers_in(dialogue), strict=True):
            example = Example(prompt.item, system, prompt.context, Response(turn.text))
            yield _Recording(example, None, named=True, dialogue=dialogue.item)
        last = dialogue.turns[-1] if dialogue.turns else None
        silent = silent and not answers_in(dialogue)
        if last is not None and last.speaker == "assistant":
            silent = False
            whole = Example(dialogue.item, system, dialogue.turns[:-1], Response(last.text))
            yield _Recording(whole, None, named=True, dialogue=dialogue.item)
    if silent:
        todo = "Give 'path' a file of recorded responses; 'dialeval docs files' lists the fields."
        raise BadInput(str(path), "dialogues in which no assistant speaks", "recorded responses", todo)


def _choose(path: Path, system: str | None, systems: Sequence[str]) -> str:
    if system is None and len(systems) == 1:
        return systems[0]
    if system is None or system not in systems:
        names = ", ".join(repr(name) for name in systems) or "no system"
        wanted = "one system" if system is None else f"responses of {system!r}"
        raise BadInput(str(path), names, wanted, "Say which with 'system: NAME' in the study.")
    return system


@lru_cache(maxsize=16)
def _likelihoods(
    file: Stamp, system: str | None, columns: Columns | None
) -> Mapping[tuple[tuple[str, ...], str], list[_LogprobRecord]]:
    """The different log-probabilities of each recorded response in its context."""
    by_response: dict[tuple[tuple[str, ...], str], list[_LogprobRecord]] = {}
    for entry in _recorded(file, system, columns).entries:
        heard = _heard(entry.context)
        for response in entry.responses:
            if response.logprob is None:
                continue
            known = by_response.setdefault((heard, response.text), [])
            if not any(math.isclose(response.logprob, recorded.logprob, rel_tol=_SAME) for recorded in known):
                known.append(_LogprobRecord(response.logprob, entry.line))
    return by_response


def _heard(context: Context) -> tuple[str, ...]:
    return tuple(folded(turn.text) for turn in context)


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
