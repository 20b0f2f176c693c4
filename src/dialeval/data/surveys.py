"""Counts of a file's contents, in one pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dialeval.data.codec.bad import OnBad, refuse
from dialeval.data.codec.column_names import SYSTEM, ColumnsGiven
from dialeval.data.codec.fields import ALSO_READ, FIELDS, meant_by
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source
from dialeval.data.importers.conversation import shape_of
from dialeval.data.reader import read_guessing
from dialeval.data.types import (
    Dialogue,
    Example,
    Judgement,
    Kind,
    NBest,
    Prompt,
    Question,
    Record,
    Response,
    Turn,
)
from dialeval.text.tokenisers.words import split_whitespace


@dataclass(slots=True)
class Spread:
    """Counts per record: how many there are in all, at least and at most."""

    records: int = 0
    total: int = 0
    least: int = 0
    most: int = 0

    @property
    def mean(self) -> float:
        """The mean count; NaN of no records."""
        return self.total / self.records if self.records else float("nan")

    def add(self, count: int) -> None:
        """Take in one record's count."""
        self.least = min(self.least, count) if self.records else count
        self.most = max(self.most, count)
        self.records += 1
        self.total += count


@dataclass(frozen=True, slots=True)
class Survey:
    """Contents of a file."""

    kind: Kind
    systems: Mapping[str, int]
    """Records of each system, in order of appearance; empty if records name none."""
    raters: Mapping[str, int]
    turns: Spread
    """Turns of contexts or dialogues."""
    said: int
    """These turns in all, and the responses of examples."""
    words: int
    """Words that are said in them, between spaces."""
    answers: Spread
    """References, candidates or n-best responses, whichever the kind has; values present for judgements."""
    without_references: int = 0
    """Examples or prompts that have none."""
    empty_responses: int = 0
    """Responses without a word in them."""
    missing_responses: Mapping[str, int] = field(default_factory=dict)
    """Examples without a response, by the reason."""
    unknown: Mapping[str, int] = field(default_factory=dict)
    """Fields we do not know, and how many records have them."""

    @property
    def records(self) -> int:
        """Number of records."""
        return self.turns.records

    @property
    def meant(self) -> dict[str, str]:
        """Unknown fields that look like one of ours, and which."""
        guesses = {name: meant_by(name, FIELDS[self.kind]) for name in self.unknown}
        return {name: guess for name, guess in guesses.items() if guess}


def survey(
    source: Source,
    *,
    kind: Kind | None = None,
    format: str | None = None,
    columns: ColumnsGiven = None,
    on_bad: OnBad = refuse,
) -> Survey:
    """Read a whole file, strictly, and count what is in it."""
    names: Counter[str] = Counter()

    def note(row: Row) -> None:
        if isinstance(row.fields, Mapping) and shape_of(row.fields) in (None, "openai"):
            names.update(row.fields.keys())

    guess = read_guessing(source, kind=kind, format=format, columns=columns, on_bad=on_bad, note=note)
    systems: Counter[str] = Counter()
    raters: Counter[str] = Counter()
    turns, answers = Spread(), Spread()
    absent: Counter[str] = Counter()
    bare = empty = said = words = 0
    for record in guess.records:
        if not isinstance(record, Prompt | Question) and record.system:
            systems[record.system] += 1
        if isinstance(record, Judgement):
            raters[record.rater] += 1
        texts = [turn.text for turn in _turns(record)]
        turns.add(len(texts))
        if isinstance(record, Example) and record.response.missing is None:
            texts.append(record.response.text)
        said += len(texts)
        words += sum(len(split_whitespace(text)) for text in texts)
        answers.add(_answers(record))
        bare += isinstance(record, Prompt | Example) and not record.references
        for response in _responses(record):
            if response.missing is not None:
                absent[response.missing] += 1
            else:
                empty += not response.text.strip()
    known = (*FIELDS[guess.kind], *ALSO_READ.get(guess.kind, ()))
    unknown = {
        name: count for name, count in names.items() if name not in known and not name.startswith(SYSTEM)
    }
    return Survey(
        guess.kind,
        dict(systems),
        dict(raters),
        turns,
        said,
        words,
        answers,
        bare,
        empty,
        dict(absent),
        unknown,
    )


def _turns(record: Record) -> Sequence[Turn]:
    if isinstance(record, Judgement):
        return ()
    return record.turns if isinstance(record, Dialogue) else record.context


def _responses(record: Record) -> tuple[Response, ...]:
    if isinstance(record, NBest):
        return record.responses
    return (record.response,) if isinstance(record, Example) else ()


def _answers(record: Record) -> int:
    match record:
        case Prompt() | Example():
            return len(record.references)
        case Question():
            return len(record.candidates)
        case NBest():
            return len(record.responses)
        case Judgement():
            return int(record.value is not None)
        case Dialogue():
            return 0
