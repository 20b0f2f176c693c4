"""Questions and answers to learn from: Circa's files, or lines with a question, an answer and a label."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.data.codec.bad import BadLine, OnBad, refuse
from dialeval.data.codec.fields import optional_text, text, wrong
from dialeval.data.codec.jsonl import rows_of
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, check, native_format
from dialeval.data.codec.tables import read_cells
from dialeval.errors import BadInput, Unsuitable
from dialeval.nbest.answers.labels import LABELS, OF_CIRCA, majority
from dialeval.nbest.document import Label

SplitBy: TypeAlias = Literal["scenario", "random"]
_QUESTION, _ANSWER, _VOTES = "question-X", "answer-Y", "judgements"
"""Circa's columns."""


class Exchange(NamedTuple):
    """A polar question, an answer, and what people take it for."""

    item: str
    question: str
    answer: str
    label: Label
    shares: tuple[float, float, float]
    """Of the people who say yes, no and ambiguous."""
    scenario: str = ""


class Corpus(NamedTuple):
    """Exchanges, and how many rows were left out, by reason."""

    exchanges: list[Exchange]
    excluded: Counter[str]


class Parts(NamedTuple):
    """Exchanges to learn from, to stop and set thresholds by, and to measure on."""

    train: list[Exchange]
    valid: list[Exchange]
    test: list[Exchange]


def read_exchanges(sources: Iterable[Source], on_bad: OnBad = refuse) -> Corpus:
    """The exchanges of several files; rows on which people do not agree are left out and counted."""
    kept: list[Exchange] = []
    excluded: Counter[str] = Counter()
    for source in sources:
        check(source)
        for row in _rows(source, on_bad):
            try:
                exchange = _exchange(row)
            except BadInput as error:
                on_bad(BadLine(error, row.raw))
                continue
            if exchange is None:
                excluded["no label of most people"] += 1
            else:
                kept.append(exchange)
    return Corpus(kept, excluded)


def _rows(source: Source, on_bad: OnBad) -> Iterator[Row]:
    """The rows of a file; those of tables as plain text, as Circa's ``context`` does not list messages."""
    if native_format(source) != "tsv":
        return rows_of(source)(source, on_bad)
    cells = read_cells(source, on_bad, delimiter="\t")
    return (Row(row.where, row.number, row.cells, row.text) for row in cells)


def _exchange(row: Row) -> Exchange | None:
    fields, where = row.fields, row.where
    if not isinstance(fields, Mapping):
        raise wrong(where, "", fields, "an object", 'Write {"question", "answer", "label"}.')
    item = str(fields.get("id") or row.number)
    if _QUESTION in fields:
        labels = text(fields, _VOTES, where, "", "labels with '#' between them").split("#")
        votes = [OF_CIRCA.get(label) for label in labels]
        label, shares = majority(votes), _shares(votes)
        question, answer = text(fields, _QUESTION, where, ""), text(fields, _ANSWER, where, "")
        scenario = optional_text(fields, "context", where, "") or ""
    else:
        given = text(fields, "label", where, "", "yes, no or ambiguous")
        label = next((known for known in LABELS if known == given), None)
        if label is None:
            raise wrong(where, "label", given, "yes, no or ambiguous", "Write one of the three words.")
        shares = _shares([label])
        question, answer = text(fields, "question", where, ""), text(fields, "answer", where, "")
        scenario = optional_text(fields, "scenario", where, "") or ""
    return None if label is None else Exchange(item, question, answer, label, shares, scenario)


def _shares(votes: Sequence[Label | None]) -> tuple[float, float, float]:
    said = [vote for vote in votes if vote is not None]
    yes, no, ambiguous = (said.count(label) / max(len(said), 1) for label in LABELS)
    return yes, no, ambiguous


_VALID: Final = 0.1
"""Of what is not tested, the share that training is stopped and thresholds are set by."""


def split_exchanges(exchanges: Sequence[Exchange], by: SplitBy, seed: int) -> Parts:
    """A fifth to measure on: whole scenarios that are not trained on, or exchanges at random.

    By scenario, validation questions are not trained on either; at random, all three parts share questions, as in the
    thesis, and accuracy is flattered.
    """
    keys = [each.scenario if by == "scenario" else each.item + each.answer for each in exchanges]
    ordered = sorted(set(keys), key=lambda key: hashlib.sha256(f"{seed}\n{key}".encode()).digest())
    if len(ordered) < 3:
        raise Unsuitable(f"Found {len(ordered)} {by} group(s); expected at least 3 to hold some out.")
    tested = set(ordered[: max(1, round(0.2 * len(ordered)))])
    rest = [each for each, key in zip(exchanges, keys, strict=True) if key not in tested]
    questions = sorted({each.question if by == "scenario" else each.item + each.answer for each in rest})
    draw = np.random.default_rng(seed)
    kept = set(draw.permutation(questions)[: max(1, round(_VALID * len(questions)))].tolist())
    chosen = [(each.question if by == "scenario" else each.item + each.answer) in kept for each in rest]
    return Parts(
        [each for each, held in zip(rest, chosen, strict=True) if not held],
        [each for each, held in zip(rest, chosen, strict=True) if held],
        [each for each, key in zip(exchanges, keys, strict=True) if key in tested],
    )


def digest(exchanges: Iterable[Exchange]) -> str:
    """The sha256 of the exchanges in order."""
    made = hashlib.sha256()
    for each in exchanges:
        made.update(repr(each).encode() + b"\n")
    return made.hexdigest()


class Answered(NamedTuple):
    """A polar question and what was answered."""

    item: str
    question: str
    answer: str


def read_questions(source: Source, on_bad: OnBad = refuse) -> Iterator[Answered]:
    """The questions and answers of a file's lines, numbered where they have no id."""
    check(source)
    for row in rows_of(source)(source, on_bad):
        fields, where = row.fields, row.where
        if not isinstance(fields, Mapping):
            raise wrong(where, "", fields, "an object", 'Write {"id", "question", "answer"}.')
        item = fields.get("id")
        yield Answered(
            str(row.number if item is None else item),
            text(fields, "question", where, "", "text (a question that yes or no answers)"),
            text(fields, "answer", where, "", "text (what was answered)"),
        )
