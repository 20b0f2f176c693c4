"""The folder that ``dialeval meta`` writes, from which its page is rendered (its files: docs/files.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from dialeval.data.atomic import write_atomically
from dialeval.meta.document import Json, document
from dialeval.meta.examining import Findings
from dialeval.meta.joined import Joined
from dialeval.meta.points import write_points


def write_findings(
    findings: Findings, folder: str | Path, sources: Mapping[str, str | None] | None = None
) -> Json:
    """Write everything but the page, each file whole, and return what ``meta.json`` says."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for stale in (folder / "meta.json", folder / "meta.html", *folder.glob(".*.part")):
        stale.unlink(missing_ok=True)
    write_points(findings.joined, folder / "points.parquet")
    write_unjoined(findings.joined, folder / "unjoined.jsonl")
    content = document(findings, sources)
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1)
    write_atomically(folder / "meta.json", f"{text}\n".encode())
    return content


def write_unjoined(joined: Joined, path: Path) -> None:
    """Write every cell that only one side has, a line each; no file where there is none."""
    rows = [{"side": one.side, "item": one.item, "system": one.system} for one in joined.unjoined]
    if rows:
        write_atomically(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode())
    else:
        path.unlink(missing_ok=True)
