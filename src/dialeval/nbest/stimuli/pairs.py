"""Pairs of natural language inference, as their corpora write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.data.codec.bad import BadLine, OnBad, Where, refuse
from dialeval.data.codec.fields import optional_text, text, wrong
from dialeval.data.codec.jsonl import rows_of
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, check
from dialeval.errors import BadInput

Relation: TypeAlias = Literal["entailment", "neutral", "contradiction"]

_RELATIONS: Final[Mapping[str, Relation | None]] = {
    "entailment": "entailment",
    "neutral": "neutral",
    "contradiction": "contradiction",
    "e": "entailment",
    "n": "neutral",
    "c": "contradiction",
    "-": None,  # SNLI and MultiNLI: the annotators did not agree
    "": None,
    # Hugging Face's SNLI and MultiNLI have numbers.
    "0": "entailment",
    "1": "neutral",
    "2": "contradiction",
    "-1": None,
}
_FIELDS: Final = {"premise": "sentence1", "hypothesis": "sentence2", "label": "gold_label", "id": "pairID"}
"""What the corpora's own files call our fields."""


class Pair(NamedTuple):
    """A premise, a hypothesis, and how they relate."""

    item: str
    premise: str
    hypothesis: str
    relation: Relation | None
    """None where the annotators did not agree."""
    genre: str | None = None
    numbered: bool = False
    """Whether the label was a number, whose meaning is a convention: 0 entailment, 1 neutral, 2 contradiction."""


def read_pairs(source: Source, on_bad: OnBad = refuse) -> Iterator[Pair]:
    """The pairs of a file with ``premise``, ``hypothesis`` and ``label``, or the names of SNLI and MultiNLI.

    Labels are words, their first letters, or the numbers of Hugging Face's SNLI and MultiNLI.
    """
    check(source)
    for row in rows_of(source)(source, on_bad):
        try:
            yield _pair(row)
        except BadInput as error:
            on_bad(BadLine(error, row.raw))


def _pair(row: Row) -> Pair:
    fields, where = row.fields, row.where
    if not isinstance(fields, Mapping):
        raise wrong(where, "", fields, "a JSON object", 'Write {"premise", "hypothesis", "label"}.')
    named = {
        ours: fields[ours] if ours in fields or theirs not in fields else fields[theirs]
        for ours, theirs in _FIELDS.items()
        if ours in fields or theirs in fields
    }
    item = named.get("id")
    label = _label(named, where)
    return Pair(
        str(item) if isinstance(item, str | int) and str(item) else str(row.number),
        text(named, "premise", where, "", "text (what was said)"),
        text(named, "hypothesis", where, "", "text (a statement about it)"),
        _RELATIONS[label],
        optional_text(fields, "genre", where, ""),
        label.lstrip("-").isdigit(),
    )


def _label(named: Mapping[str, object], where: Where) -> str:
    given, expected = named.get("label"), "entailment, neutral or contradiction (or 0, 1, 2 in this order)"
    number = isinstance(given, int) and not isinstance(given, bool)
    label = str(given) if number else text(named, "label", where, "", expected).strip().lower()
    if label not in _RELATIONS:
        raise wrong(where, "label", given, expected, "Write one of the three words.")
    return label
