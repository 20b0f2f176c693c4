"""Pairs of natural language inference, as their corpora write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.data.codec.bad import BadLine, OnBad, Where, refuse
from dialeval.data.codec.containers import rows_of
from dialeval.data.codec.fields import optional_text, text, wrong
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


def read_pairs(source: Source, on_bad: OnBad = refuse) -> Iterator[Pair]:
    """The pairs of a file with ``premise``, ``hypothesis`` and ``label``, or the names of SNLI and MultiNLI."""
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
    return Pair(
        str(item) if isinstance(item, str | int) and str(item) else str(row.number),
        text(named, "premise", where, "", "text (what was said)"),
        text(named, "hypothesis", where, "", "text (a statement about it)"),
        _relation(named, where),
        optional_text(fields, "genre", where, ""),
    )


def _relation(named: Mapping[str, object], where: Where) -> Relation | None:
    label = text(named, "label", where, "", "entailment, neutral or contradiction").strip().lower()
    if label not in _RELATIONS:
        expected = "entailment, neutral or contradiction"
        raise wrong(where, "label", label, expected, "Write one of the three words.")
    return _RELATIONS[label]
