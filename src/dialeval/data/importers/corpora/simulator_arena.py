"""SimulatorArena (Dou et al., 2025): real users who wrote documents and learnt mathematics with assistants.

As dialogues, ``correct`` of the first problem is the success of a talk. As judgements, each user rates the dialogue,
and votes on single messages under ``DIALOGUE/MESSAGE``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from dialeval.data.codec.bad import OnBad
from dialeval.data.codec.fields import missing, wrong
from dialeval.data.codec.jsonl import rows_of
from dialeval.data.codec.parts import turns as messages
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source
from dialeval.data.importers.conversation import item_of
from dialeval.data.types import Dialogue, Judgement, Kind, Record

KINDS: Final[tuple[Kind, ...]] = ("dialogue", "judgement")
_RATINGS: Final[Mapping[str, str]] = {
    "interaction_rating": "interaction",
    "document_rating": "document",
    "rating": "interaction",
    "rating_problem_2": "second problem",
}
"""Fields with ratings from 1 to 10, and their criteria."""
_KEPT: Final = ("task", "why_stop", "document_type", "problem", "level", "type", "solved", "rater")


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """The dialogue of each line, or the ratings and votes of its user."""

    def parse(row: Row) -> Sequence[Record]:
        fields = row.fields
        if not isinstance(fields, Mapping):
            raise wrong(row.where, "", fields, "a dialogue", "Name document_creation or math_tutoring.")
        return [_dialogue(fields, row)] if kind == "dialogue" else list(_judgements(fields, row))

    return records(rows_of(source)(source, on_bad), parse, on_bad)


def _dialogue(fields: Mapping[str, Any], row: Row) -> Dialogue:
    if "messages" not in fields:
        raise missing(fields, "messages", row.where, "", "the messages of a dialogue")
    item = item_of(fields, row)
    metadata: dict[str, object] = {"scenario": item, "end": "user"}
    metadata |= {name: fields[name] for name in _KEPT if fields.get(name) is not None}
    if fields.get("correct") in ("correct", "incorrect"):
        metadata["success"] = fields["correct"] == "correct"
    turns = messages(fields["messages"], row.where, "messages")
    return Dialogue(item, turns, str(fields.get("system") or ""), metadata)


def _judgements(fields: Mapping[str, Any], row: Row) -> Iterator[Judgement]:
    item = item_of(fields, row)
    system, rater = str(fields.get("system") or ""), str(fields.get("rater") or "user")
    for name, criterion in _RATINGS.items():
        value = fields.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong(row.where, name, value, "a number, or null", "Fix the rating.")
        yield Judgement(item, system, rater, criterion, float(value))
    votes = fields.get("turn_votes", [])
    if not isinstance(votes, list):
        raise wrong(row.where, "turn_votes", votes, "a list of votes", "Fix the votes.")
    for number, vote in enumerate(votes, start=1):
        if not isinstance(vote, Mapping) or not isinstance(vote.get("up"), bool):
            raise wrong(row.where, f"turn_votes[{number - 1}]", vote, "a vote with 'up'", "Fix the vote.")
        place = vote.get("message")
        where = f"{place + 1}" if isinstance(place, int) else f"unplaced-{number}"
        yield Judgement(f"{item}/{where}", system, rater, "vote", float(vote["up"]))
