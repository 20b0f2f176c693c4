"""The record of a vetting on disk: questions, their scores, what was removed and by which rule."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from dialeval.annotation.answers import blamed, faults_told
from dialeval.annotation.forms import ACCEPTABILITY
from dialeval.data.codec.encode import digest
from dialeval.data.writing import write
from dialeval.errors import Unsuitable
from dialeval.files.documents import write_document, write_json_lines
from dialeval.selection.vetting.vetting import Removal, Vetted

FILES: Final = ("questions.jsonl", "scores.jsonl", "removed.jsonl", "vetting.json")
SIFTING: Final = "sifting.json"
"""What stands in place of ``vetting.json`` where no rater was asked."""


def write_record(vetted: Vetted, folder: Path) -> None:
    """Write ``questions.jsonl``, ``scores.jsonl``, ``removed.jsonl`` and ``vetting.json`` into ``folder``."""
    if not vetted.questions:
        raise Unsuitable(f"No question of {vetted.drafted:,} is left. {_why(vetted)}")
    write(folder / "questions.jsonl", vetted.questions)
    write(folder / "scores.jsonl", vetted.scores)
    write_json_lines(folder / "removed.jsonl", _removals(vetted.removed))
    write_document(folder / "vetting.json", as_json(vetted), indent=2)
    (folder / SIFTING).unlink(
        missing_ok=True
    )  # of a set that nobody had looked at, and that stood here before


def as_json(vetted: Vetted) -> dict[str, object]:
    """What happened, in numbers and sentences."""
    faults: dict[str, int] = {}
    for one in vetted.unusable:
        faults[one.fault] = faults.get(one.fault, 0) + 1
    return {
        "format": 1,
        "seed": vetted.seed,
        "drafted": vetted.drafted,
        "questions": len(vetted.questions),
        "second_questions": vetted.second_questions,
        "candidates": _candidates(vetted),
        "sha256": digest(vetted.questions),
        "rules": [
            {"rule": str(one.rule), "questions": one.questions, "candidates": one.candidates}
            for one in vetted.counts
        ],
        "unusable_answers": faults,
        "unusable": [one._asdict() for one in vetted.unusable],
    }


def _candidates(vetted: Vetted) -> dict[str, int]:
    """``drafted`` is ``kept`` and ``removed`` together, less those that came back as second truths."""
    return {
        "drafted": vetted.candidates,
        "kept": sum(len(question.candidates) for question in vetted.questions),
        # A question without one ground truth has a line of its own beside those of all its candidates.
        "removed": sum(
            one.candidate is not None or one.rule != vetted.rules.one_truth for one in vetted.removed
        ),
        "second_truths": sum(one.became is not None for one in vetted.removed),
    }


def _why(vetted: Vetted) -> str:
    """Why no question is left: the answers' own faults first, and missing raters only where answers are missing."""
    told = faults_told(vetted.unusable)
    if told and len(vetted.unusable) >= vetted.used:
        return blamed(vetted.unusable, ACCEPTABILITY, used=vetted.used)
    if not vetted.used:
        return "There is no answer. Give the files that raters filled in as --scores."
    went = "; ".join(f"{one.questions:,} by: {one.rule}" for one in vetted.counts if one.questions)
    also = f" {'; '.join(told)}." if told else ""
    return f"{vetted.used:,} answers were used; {went}{also} Look at the scores, or make a larger draft."


def _removals(removed: Iterable[Removal]) -> Iterable[dict[str, object]]:
    for one in removed:
        yield {**one._asdict(), "rule": str(one.rule)}
