"""The folder that ``dialeval meta`` writes, from which its page is rendered (its files: docs/files.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from dialeval.files.atomic import atomic_path
from dialeval.files.documents import write_document
from dialeval.meta.document import Json, document
from dialeval.meta.examine import Findings
from dialeval.meta.points import write_points
from dialeval.ratings.joined import Joined

FILES: Final = frozenset({"meta.json", "meta.html", "points.parquet", "unjoined.jsonl", "plots"})
"""All that stands in such a folder, some of it where its writing was interrupted."""


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
    write_document(folder / "meta.json", content)
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
