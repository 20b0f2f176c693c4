"""A run folder as its files tell it, checked on the way in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from dialeval.files.documents import Origin, damaged, read_document, require_file
from dialeval.meta.document import Points
from dialeval.meta.folder import read_points
from dialeval.study.document import Summary
from dialeval.study.report.manifest import Manifest
from dialeval.study.report.values import Values, read_values

FileName = Literal["study.yaml", "examples.jsonl", "results.parquet", "summary.json", "manifest.json"]
FILES: tuple[FileName, ...] = (
    "summary.json",
    "manifest.json",
    "results.parquet",
    "examples.jsonl",
    "study.yaml",
)


RUN: Final = Origin(
    "a run folder as written by 'dialeval run'",
    "Run the study again; what was computed is kept, so it is quick.",
)


@dataclass(frozen=True, slots=True, eq=False)
class Folder:
    """All of a run but its examples, which are streamed as they may be many."""

    path: Path
    study: str
    """The text of ``study.yaml``."""
    summary: Summary
    manifest: Manifest
    values: Values
    points: Points
    """What people and measures said of the same answers; nothing where people were not asked."""


def read_folder(path: Path) -> Folder:
    """The run at ``path``; BadInput names the file and field that is absent or damaged."""
    for name in FILES:
        require_file(path, name, RUN)
    try:
        study = (path / "study.yaml").read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise damaged(path / "study.yaml", "bytes that are not UTF-8", RUN) from None
    manifest = read_document(Manifest, path / "manifest.json", RUN)
    summary, values = read_summary(path), read_values(path / "results.parquet")
    points = read_points(require_file(path, "points.parquet", RUN)) if summary.human else {}
    return Folder(path, study, summary, manifest, values, points)


def read_summary(path: Path) -> Summary:
    """What ``summary.json`` of the run folder at ``path`` says."""
    return read_document(Summary, require_file(path, "summary.json", RUN), RUN)
