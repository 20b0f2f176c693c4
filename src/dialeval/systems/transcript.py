"""Recorded responses of systems that ran elsewhere."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from dialeval.core import Floats, Integers, Signature
from dialeval.data import kind_of
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import file_of, source_stamp
from dialeval.data.reading import read_guessing
from dialeval.data.types import Context, Example, NBest, Prompt, Response
from dialeval.errors import BadInput, Unsuitable
from dialeval.files.digests import Stamp, hash_file
from dialeval.text.tokenisers.words import folded

_SAME: Final = 1e-4
"""Log-probabilities that differ by less, as a share, are one: batches round differently."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """Replays the responses recorded in a file of examples or n-best lists, found by the item's id.

    ``system`` says whose, where the file holds those of several. An item that is not in the file has no response. One
    that was recorded with another last turn than the prompt's is an error, for then the ids do not mean the same.
    """

    name: str
    path: Path
    system: str | None = None

    @property
    def signature(self) -> Signature:
        """All that could move its responses."""
        return Signature("transcript", (("system", self.system),), (("file", hash_file(file_of(self.path))),))

    def replay(self, prompts: Sequence[Prompt]) -> list[tuple[Response, ...]]:
        """What was recorded for each prompt, best first; none where nothing was."""
        recorded = _recorded(source_stamp(self.path), self.system)
        return [self._responses(prompt, recorded.get(prompt.item)) for prompt in prompts]

    def logprob(self, contexts: Sequence[Context], responses: Sequence[str]) -> Floats:
        """What was recorded for each response in its context; Unsuitable where nothing was.

        Ids do not count here, so one response in one context must have one log-probability throughout the file.
        """
        known = _likelihoods(source_stamp(self.path), self.system)
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

    def _conflict(self, response: str, values: Sequence[_Recorded]) -> BadInput:
        first, other = values[:2]
        lines = f" on line {first.line} and {other.logprob:g} on line {other.line}"
        same = f" and {other.logprob:g}, both on line {other.line},"
        return BadInput(
            path=str(self.path),
            line=other.line,
            found=f"log-probabilities {first.logprob:g}{same if first.line == other.line else lines} for "
            f"{_short(response)} in the same context",
            needed="one",
            todo="Drop one of them, or put lists of different models under different names of systems.",
        )

    def _responses(self, prompt: Prompt, entry: _Entry | None) -> tuple[Response, ...]:
        if entry is None:
            return ()
        if prompt.context and entry.asked is not None and folded(prompt.context[-1].text) != entry.asked:
            raise BadInput(
                path=str(self.path),
                found=f"item {prompt.item!r} as an answer to {_short(entry.asked)}",
                needed=f"an answer to {_short(folded(prompt.context[-1].text))}, as the data has it",
                todo="Give both files the same ids, or empty the contexts of the transcript to go by id alone.",
            )
        return entry.responses


class _Recorded(NamedTuple):
    """A log-probability, and the line that records it."""

    logprob: float
    line: int | None


class _Entry(NamedTuple):
    context: Context
    responses: tuple[Response, ...]
    line: int | None

    @property
    def asked(self) -> str | None:
        """The last turn of the recorded context; None where no context was recorded."""
        return folded(self.context[-1].text) if self.context else None


@lru_cache(maxsize=16)
def _recorded(file: Stamp, system: str | None) -> Mapping[str, _Entry]:
    """Each item's entry, of one system."""
    by_system: dict[str, dict[str, _Entry]] = {}
    for record, line in _records(file.path):
        entries = by_system.setdefault(record.system, {})
        if record.item in entries:
            raise BadInput(
                path=str(file.path),
                found=f"item {record.item!r} of system {record.system!r} twice",
                needed="each item once",
                todo="Drop one of them, or put several responses to one item in a file of n-best lists.",
            )
        given = (record.response,) if isinstance(record, Example) else record.responses
        responses = tuple(response for response in given if response.missing is None)
        entries[record.item] = _Entry(record.context, responses, line)
    return by_system[_choose(file.path, system, sorted(by_system))]


def _records(path: Path) -> Iterator[tuple[Example | NBest, int | None]]:
    """The records, each with its line."""
    kind = kind_of(path)
    if kind in ("dialogue", "question", "judgement"):
        raise BadInput(
            path=str(path),
            found=f"{kind} records",
            needed="examples or n-best lists",
            todo="Give 'path' a file of recorded responses; docs/files.md lists the fields.",
        )
    known = kind if kind in ("example", "nbest") else "example"
    rows: deque[Row] = deque(maxlen=1)
    for record in read_guessing(path, kind=known, note=rows.append).records:
        if isinstance(record, Example | NBest):
            yield record, rows[-1].where.line


def _choose(path: Path, system: str | None, systems: Sequence[str]) -> str:
    if system is None and len(systems) == 1:
        return systems[0]
    if system is None or system not in systems:
        names = ", ".join(repr(name) for name in systems) or "no system"
        wanted = "one system" if system is None else f"responses of {system!r}"
        raise BadInput(str(path), names, wanted, "Say which with 'system: NAME' in the study.")
    return system


@lru_cache(maxsize=16)
def _likelihoods(file: Stamp, system: str | None) -> Mapping[tuple[tuple[str, ...], str], list[_Recorded]]:
    """The different log-probabilities of each recorded response in its context."""
    by_response: dict[tuple[tuple[str, ...], str], list[_Recorded]] = {}
    for entry in _recorded(file, system).values():
        heard = _heard(entry.context)
        for response in entry.responses:
            if response.logprob is None:
                continue
            known = by_response.setdefault((heard, response.text), [])
            if not any(math.isclose(response.logprob, recorded.logprob, rel_tol=_SAME) for recorded in known):
                known.append(_Recorded(response.logprob, entry.line))
    return by_response


def _heard(context: Context) -> tuple[str, ...]:
    return tuple(folded(turn.text) for turn in context)


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
