"""The record of a vetting on disk: questions, their scores, what was removed and by which rule."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from dialeval.data.atomic import write_atomically
from dialeval.data.encode import digest
from dialeval.data.writing import write
from dialeval.errors import Unsuitable
from dialeval.selection.json_lines import write_json_lines
from dialeval.selection.vetting import Removal, Vetted

FILES: Final = ("questions.jsonl", "scores.jsonl", "removed.jsonl", "vetting.json")


def write_record(vetted: Vetted, folder: Path) -> None:
    """Write ``questions.jsonl``, ``scores.jsonl``, ``removed.jsonl`` and ``vetting.json`` into ``folder``."""
    if not vetted.questions:
        went = "; ".join(f"{one.questions:,} by: {one.rule}" for one in vetted.counts if one.questions)
        raise Unsuitable(
            f"No question of {vetted.drafted:,} is left ({went or 'there was none'}). Look at the scores, or make a "
            "larger draft."
        )
    write(folder / "questions.jsonl", vetted.questions)
    write(folder / "scores.jsonl", vetted.scores)
    write_json_lines(folder / "removed.jsonl", _removals(vetted.removed))
    summary = json.dumps(as_json(vetted), ensure_ascii=False, indent=2) + "\n"
    write_atomically(folder / "vetting.json", summary.encode())


def as_json(vetted: Vetted) -> dict[str, object]:
    """What happened, in numbers and sentences."""
    faults: dict[str, int] = {}
    for problem in vetted.problems:
        faults[problem.fault] = faults.get(problem.fault, 0) + 1
    return {
        "format": 1,
        "seed": vetted.seed,
        "drafted": vetted.drafted,
        "questions": len(vetted.questions),
        "second_questions": vetted.second_questions,
        "sha256": digest(vetted.questions),
        "rules": [
            {"rule": str(one.rule), "questions": one.questions, "candidates": one.candidates}
            for one in vetted.counts
        ],
        "unusable_answers": faults,
        "unusable": [problem._asdict() for problem in vetted.problems],
    }


def _removals(removed: Iterable[Removal]) -> Iterable[dict[str, object]]:
    for one in removed:
        yield {**one._asdict(), "rule": str(one.rule)}
