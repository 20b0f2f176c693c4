"""A run folder as its files tell it, checked on the way in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeVar

from dialeval.errors import BadInput
from dialeval.meta.report.points import Points, read_points
from dialeval.study.document import Summary
from dialeval.study.report.manifest import Manifest
from dialeval.study.report.values import Values, read_values

T = TypeVar("T")
FileName = Literal["study.yaml", "examples.jsonl", "results.parquet", "summary.json", "manifest.json"]
FILES: tuple[FileName, ...] = (
    "summary.json",
    "manifest.json",
    "results.parquet",
    "examples.jsonl",
    "study.yaml",
)


class Origin(NamedTuple):
    """What a folder should be, and how a damaged one is mended."""

    needed: str
    again: str


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
        require(path, name)
    try:
        study = (path / "study.yaml").read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise _damaged(path / "study.yaml", "bytes that are not UTF-8", RUN) from None
    manifest = parse(Manifest, path / "manifest.json")
    summary, values = read_summary(path), read_values(path / "results.parquet")
    points = read_points(require(path, "points.parquet")) if summary.human else {}
    return Folder(path, study, summary, manifest, values, points)


def read_summary(path: Path) -> Summary:
    """What ``summary.json`` of the run folder at ``path`` says."""
    return parse(Summary, require(path, "summary.json"))


def require(path: Path, name: str, origin: Origin = RUN) -> Path:
    """That file of the folder; BadInput where it is not there."""
    file = path / name
    if file.is_file():
        return file
    elsewhere = "a file" if path.exists() else "nothing there"
    found = f"a folder without {name}" if path.is_dir() else elsewhere
    raise BadInput(str(path), found, origin.needed, f"Give such a folder, or write it again. {origin.again}")


def _damaged(file: Path, found: str, origin: Origin, field: str | None = None) -> BadInput:
    return BadInput(str(file), found, f"{file.name} of {origin.needed}", origin.again, field=field)


def parse(shape: type[T], file: Path, origin: Origin = RUN) -> T:
    """What the JSON file says, as values of that shape; BadInput names the field that is absent or damaged."""
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(shape).validate_json(file.read_bytes(), strict=True)
    except ValidationError as bad:
        first = bad.errors(include_url=False)[0]
        field = "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for at in first["loc"]).lstrip(".")
        if first["type"] == "json_invalid":
            raise _damaged(file, f"broken JSON ({first['msg']})", origin) from None
        if field == "format":
            raise BadInput(
                str(file),
                f"format {first['input']!r}",
                f"format 1, in {origin.needed}",
                "Use the version of dialeval that wrote the folder, or write it again.",
                field="format",
            ) from None
        missing = first["type"] in ("missing", "missing_argument")
        found = "no such field" if missing else f"{_shown(first['input'])} ({first['msg']})"
        raise _damaged(file, found, origin, field or None) from None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
