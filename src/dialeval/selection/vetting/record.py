"""The record of a vetting on disk: questions, their scores, what was removed and by which rule."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dialeval.annotation.answers import Unusable, blamed, fault_counts, faults_told
from dialeval.annotation.forms import ACCEPTABILITY
from dialeval.data.codec.encode import digest
from dialeval.data.writer import write
from dialeval.errors import Unsuitable
from dialeval.files.documents import write_document, write_json_lines
from dialeval.files.folders import check_links
from dialeval.selection.vetting.filter import SiftingResult
from dialeval.selection.vetting.vetting import RuleCount, VettingResult

FILES: Final = ("questions.jsonl", "scores.jsonl", "removed.jsonl", "vetting.json")
SIFTING: Final = "sifting.json"
"""File in place of ``vetting.json`` if no rater was asked."""


@dataclass(frozen=True, slots=True)
class CandidateCounts:
    """``drafted`` is ``kept`` and ``removed`` together, less those that came back as second truths."""

    drafted: int
    kept: int
    removed: int
    second_truths: int


@dataclass(frozen=True, slots=True)
class VettingRecord:
    """The content of ``vetting.json``."""

    format: int
    seed: int
    drafted: int
    questions: int
    second_questions: int
    candidates: CandidateCounts
    sha256: str
    """Of the questions."""
    rules: tuple[RuleCount, ...]
    unusable_answers: dict[str, int]
    unusable: tuple[Unusable, ...]


@dataclass(frozen=True, slots=True)
class SiftingRecord:
    """The content of ``sifting.json``."""

    drafted: int
    questions: int
    status: str | None
    """The questions', or ``mixed``."""
    judges: tuple[str, ...]
    removed: dict[str, int]
    """Number that each rule removed."""


def write_vetted(vetted: VettingResult, folder: Path) -> VettingRecord:
    """Write ``questions.jsonl``, ``scores.jsonl``, ``removed.jsonl`` and ``vetting.json`` into ``folder``."""
    if not vetted.questions:
        raise Unsuitable(f"No question of {vetted.drafted:,} is left. {_why(vetted)}")
    record = vetting_record(vetted)
    check_links(folder)
    write(folder / "questions.jsonl", vetted.questions)
    write(folder / "scores.jsonl", vetted.scores, private=True)
    write_json_lines(folder / "removed.jsonl", vetted.removed)
    write_document(folder / "vetting.json", record, indent=2, private=True)
    (folder / SIFTING).unlink(missing_ok=True)  # of an unvetted set that stood here before
    return record


def write_sifted(sifted: SiftingResult, drafted: int, folder: Path) -> SiftingRecord:
    """Write ``questions.jsonl``, ``removed.jsonl`` and ``sifting.json`` into ``folder``."""
    if not sifted.questions:
        raise Unsuitable(
            f"No question of {drafted:,} passed the automatic filter. Draft more candidates for each (build --m)."
        )
    statuses = {question.status for question in sifted.questions}
    record = SiftingRecord(
        drafted=drafted,
        questions=len(sifted.questions),
        status=statuses.pop() if len(statuses) == 1 else "mixed",
        judges=sifted.judges,
        removed=dict(Counter(removal.rule for removal in sifted.removed).most_common()),
    )
    check_links(folder)
    write(folder / "questions.jsonl", sifted.questions)
    write_json_lines(folder / "removed.jsonl", sifted.removed)
    write_json_lines(folder / SIFTING, [record])
    if (folder / "vetting.json").is_file():  # of raters, about a set that stood here before
        (folder / "scores.jsonl").unlink(missing_ok=True)
        (folder / "vetting.json").unlink()
    return record


def vetting_record(vetted: VettingResult) -> VettingRecord:
    """Return the record of what happened, in numbers and sentences."""
    return VettingRecord(
        format=1,
        seed=vetted.seed,
        drafted=vetted.drafted,
        questions=len(vetted.questions),
        second_questions=vetted.second_questions,
        candidates=_candidates(vetted),
        sha256=digest(vetted.questions),
        rules=vetted.counts,
        unusable_answers=fault_counts(vetted.unusable),
        unusable=vetted.unusable,
    )


def _candidates(vetted: VettingResult) -> CandidateCounts:
    return CandidateCounts(
        drafted=vetted.candidates,
        kept=sum(len(question.candidates) for question in vetted.questions),
        # A question without one ground truth has a line of its own beside those of all its candidates.
        removed=sum(
            removal.candidate is not None or removal.rule != vetted.rules.one_truth
            for removal in vetted.removed
        ),
        second_truths=sum(removal.became is not None for removal in vetted.removed),
    )


def _why(vetted: VettingResult) -> str:
    """Why no question is left: the answers' own faults first, and missing raters only where answers are missing."""
    told = faults_told(vetted.unusable)
    if told and len(vetted.unusable) >= vetted.used:
        return blamed(vetted.unusable, ACCEPTABILITY, used=vetted.used)
    if not vetted.used:
        return "There are no answers. Give the files that raters filled in as --scores."
    went = "; ".join(f"{count.questions:,} by: {count.rule}" for count in vetted.counts if count.questions)
    also = f" {'; '.join(told)}." if told else ""
    return f"{vetted.used:,} answers were used; {went}{also} Look at the scores, or make a larger draft."
