"""The run folder: written whole, and read back into results that can be compared (its files: docs/files.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dialeval.core import Missing, Resampling
from dialeval.data import Example, read, write
from dialeval.data.choices import Choice, ChoiceRow, read_choices, write_choices
from dialeval.errors import BadInput
from dialeval.files.atomic import write_atomically
from dialeval.files.documents import as_json, write_document
from dialeval.selection.measure import choices_of
from dialeval.study.manifest import Circumstances, manifest
from dialeval.study.results import read_results, write_results
from dialeval.study.run import Run, Scored
from dialeval.study.summary import summarise

CHOICES = "choices.jsonl"
FILES = ("study.yaml", "examples.jsonl", "results.parquet", "summary.json", "manifest.json")


@dataclass(frozen=True, slots=True)
class LoadedRun:
    """A run read back from its folder."""

    folder: Path
    scored: tuple[Scored, ...]
    examples: tuple[Example, ...]
    resampling: Resampling
    questions: Mapping[str, bytes]
    """What was to be chosen under each measure, by measure and item, in canonical form."""
    statuses: Mapping[str, str] = field(default_factory=dict)
    """Whether people have looked at the questions of each measure over choices, in a sentence."""


def write_run(run: Run, folder: str | Path, circumstances: Circumstances | None = None) -> None:
    """Write everything but the report.

    Each file appears whole. The manifest goes first and comes last, so a folder that has one is complete.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for stale in (folder / "manifest.json", folder / "report.html", *folder.glob(".*.part")):
        stale.unlink(missing_ok=True)
    write_atomically(folder / "study.yaml", run.study.text.encode())
    examples = [e for r in run.respondents for e in r.examples if not isinstance(e, Missing)]
    write(folder / "examples.jsonl", examples)
    _write_choices(run, folder / CHOICES)
    write_results(run.scored, folder / "results.parquet")
    _write_points(run, folder / "points.parquet")
    write_document(folder / "summary.json", summarise(run))
    write_document(folder / "manifest.json", manifest(run, circumstances or Circumstances.now()))


def _write_choices(run: Run, path: Path) -> None:
    """Write what systems chose, a line for each; no file where nothing was to be chosen."""
    rows = [ChoiceRow(one.measure.label, choice) for one in run.scored for choice in choices_of(one.subjects)]
    if rows:
        write_choices(path, rows)
    else:
        path.unlink(missing_ok=True)


def _write_points(run: Run, path: Path) -> None:
    """Write what people and measures said of the same answers; no file where nobody was asked."""
    if run.agreement is None:
        path.unlink(missing_ok=True)
        return
    from dialeval.meta import write_points

    write_points(run.agreement.joined, path)


def load_run(folder: str | Path) -> LoadedRun:
    """The results of the run in ``folder``, ready to be compared."""
    folder = Path(folder)
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise BadInput(
            path=str(folder),
            found=f"no {', no '.join(missing)}" if folder.is_dir() else "no such folder",
            needed="a run folder with " + ", ".join(FILES),
            todo="Write one with 'dialeval run STUDY -o FOLDER'; the same command finishes a run that was cut short.",
        )
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    resampling = Resampling.of_json(summary)
    answers = folder / "examples.jsonl"
    # Empty where all systems only choose, or all failed: a reader would call that a mistake.
    examples = tuple(read(answers, "example")) if answers.stat().st_size else ()
    scored = read_results(folder, examples, resampling)
    statuses = {one["measure"]: one["status"] for one in summary.get("selection", [])}
    return LoadedRun(folder, scored, examples, resampling, _questions(folder / CHOICES), statuses)


def _questions(path: Path) -> dict[str, bytes]:
    if not path.is_file():
        return {}
    found = {}
    for row in read_choices(path):
        if isinstance(row.outcome, Choice):
            question = row.outcome.question
            offered = [[candidate.text, candidate.correct] for candidate in question.candidates]
            asked = json.dumps([as_json(question.context), offered], ensure_ascii=False)
            found[f"{row.measure} {row.item}"] = asked.encode()
    return found
