"""Explanations of a score: what each feature adds to it, and to each judged turn of a dialogue."""

from __future__ import annotations

from typing import NamedTuple

from dialeval.data.types import Dialogue, Example, Response
from dialeval.selfeval.quality.metric import Quality
from dialeval.selfeval.quality.rows import feature_rows, kind_of
from dialeval.selfeval.subjects import Judged, exchanges_of


class Contribution(NamedTuple):
    """What one feature adds to a score, beside an average subject; all of them add up to the score."""

    feature: str
    value: float
    """The feature itself, NaN where it is undefined."""
    adds: float


class TurnQuality(NamedTuple):
    """The score of one judged turn as a response of its own."""

    text: str
    score: float
    contributions: tuple[Contribution, ...]


def explain(subject: Judged, metric: Quality | None = None) -> list[Contribution]:
    """What each feature adds to the subject's score, the largest effect first."""
    head = (metric or Quality()).head(kind_of(subject))
    rows = feature_rows([subject], head.names)
    added = head.contributions(rows)[0]
    found = [
        Contribution(name, float(value), float(adds))
        for name, value, adds in zip(head.names, rows[0], added, strict=True)
    ]
    return sorted(found, key=lambda contribution: -abs(contribution.adds))


def explain_turns(dialogue: Dialogue, metric: Quality | None = None) -> list[TurnQuality]:
    """Each judged turn of a dialogue, scored and explained as a response to what was said before it."""
    turns = []
    for exchange in exchanges_of(dialogue):
        if any(turn.text.strip() for turn in exchange.context):
            example = Example(dialogue.item, dialogue.system, exchange.context, Response(exchange.response))
            contributions = explain(example, metric)
            score = sum(contribution.adds for contribution in contributions)
            turns.append(TurnQuality(exchange.response, score, tuple(contributions)))
    return turns
