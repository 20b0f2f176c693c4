"""The folder that ``dialeval meta`` writes, from which its page is rendered (its files: docs/files.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from dialeval.files.atomic import atomic_path, write_atomically
from dialeval.meta.document import Json, document
from dialeval.meta.examine import Findings
from dialeval.meta.points import write_points
from dialeval.ratings.joined import Joined

FILES: Final = frozenset({"meta.json", "meta.html", "points.parquet", "unjoined.jsonl", "plots"})


def is_ours(folder: Path) -> bool:
    """Whether the folder may be written into: a finished one, an interrupted one, or one with nothing in it.

    Only names that this module writes may stand in an unfinished one, scratch files of an interrupted write among them.
    """
    if not folder.exists() or (folder / "meta.json").is_file():
        return True
    return folder.is_dir() and all(
        inside.name in FILES or (inside.name.startswith(".") and inside.name.endswith(".part"))
        for inside in folder.iterdir()
    )


def write_findings(
    findings: Findings, folder: str | Path, sources: Mapping[str, str | None] | None = None
) -> Json:
    """Write everything but the page, each file whole, and return what ``meta.json`` says."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    stale = [folder / "meta.json", folder / "meta.html"]
    for pattern in (".*.part", "plots/*.svg", "plots/.*.part"):
        stale += folder.glob(pattern)
    for file in stale:
        file.unlink(missing_ok=True)
    write_points(findings.joined, folder / "points.parquet")
    write_unjoined(findings.joined, folder / "unjoined.jsonl")
    content = document(findings, sources)
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1)
    write_atomically(folder / "meta.json", f"{text}\n".encode())
    return content


def write_unjoined(joined: Joined, path: Path) -> None:
    """Write every cell of an item or system that one side does not know, a line each; no file where there is none."""
    if not joined.apart.strange.any():
        path.unlink(missing_ok=True)
        return
    with atomic_path(path) as scratch, scratch.open("w", encoding="utf-8", newline="\n") as lines:
        for one in joined.strangers():
            row = {"side": one.side, "item": one.item, "system": one.system}
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
