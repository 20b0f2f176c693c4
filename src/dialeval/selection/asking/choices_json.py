"""Choices as JSON: a line for each, and a system's errors by label with examples quoted (docs/files.md)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from dialeval.core import Result
from dialeval.files.documents import write_json_lines
from dialeval.selection.asking.choosing import Choice
from dialeval.selection.asking.error_breakdown import LabelErrors

Json: TypeAlias = dict[str, Any]

MOST_EXAMPLES: Final = 3
"""How many wrong choices are quoted for each label."""


def choice_json(choice: Choice) -> Json:
    """A choice as one line of ``--per-item`` says it; a score that is no finite number is null."""
    pairs = zip(choice.question.candidates, choice.scores, strict=True)
    return {
        "id": choice.item,
        "system": choice.system,
        "status": choice.question.status,
        "chosen": choice.chosen,
        "correct": choice.right,
        "rank": choice.rank,
        "context": [_turn(turn.speaker, turn.text, turn.name) for turn in choice.question.context],
        "candidates": [
            {"text": one.text, "score": finite(score), "correct": one.correct}
            | ({"error": one.error} if one.error else {})
            for one, score in pairs
        ],
    }


def write_choices(path: Path, rows: Iterable[Json]) -> None:
    """Write these choices, a line each."""
    write_json_lines(path, rows)


def errors_json(errors: Sequence[LabelErrors]) -> list[Json]:
    """A system's errors by label: how many candidates, how often chosen, the accuracy against them alone, examples."""
    return [
        {
            "label": one.label,
            "candidates": one.candidates,
            "questions": one.alone.scored,
            "chosen": len(one.chosen),
            "alone": finite(one.alone.score),
            **ends(one.alone),
            "chance": finite(one.chance),
            "examples": [_quoted(choice) for choice in one.chosen[:MOST_EXAMPLES]],
        }
        for one in errors
    ]


def ends(result: Result, *, prefix: str = "") -> Json:
    """The ends of a result's interval as ``low`` and ``high``; null where there is none."""
    interval = result.interval
    return {
        f"{prefix}low": finite(interval.low) if interval else None,
        f"{prefix}high": finite(interval.high) if interval else None,
    }


def finite(value: float) -> float | None:
    """The value as JSON can hold it."""
    return value if math.isfinite(value) else None


def _quoted(choice: Choice) -> Json:
    right = next(one.text for one in choice.question.candidates if one.correct)
    return {
        "id": choice.item,
        "context": [turn.text for turn in choice.question.context],
        "correct": right,
        "chosen": choice.question.candidates[choice.chosen].text,
    }


def _turn(speaker: str, text: str, name: str | None) -> Json:
    return {"role": speaker, "content": text} | ({"name": name} if name else {})
