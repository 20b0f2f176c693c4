"""The folder that ``dialeval meta`` writes: the only writer and reader of its files (docs/files.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from dialeval.files.atomic import atomic_path, write_atomically
from dialeval.files.documents import Origin, read_document, require_file, write_document
from dialeval.meta.document import Document, Points
from dialeval.meta.examination import Findings
from dialeval.meta.points import read_points, write_points
from dialeval.meta.report.page import page_of
from dialeval.ratings.joined import Joined

META_FILES: Final = frozenset({"meta.json", "meta.html", "points.parquet", "unjoined.jsonl", "plots"})
"""All that stands in such a folder, some of it if its writing was interrupted."""
META: Final = Origin("a folder as written by 'dialeval meta'", "Run the command again.")


def write_findings(findings: Findings, folder: str | Path) -> None:
    """Write everything but the page, each file whole."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    stale = [folder / "meta.json", folder / "meta.html"]
    for pattern in (".*.part", "plots/*.svg", "plots/.*.part"):
        stale += folder.glob(pattern)
    for file in stale:
        file.unlink(missing_ok=True)
    write_points(findings.joined, folder / "points.parquet")
    _write_unjoined(findings.joined, folder / "unjoined.jsonl")
    write_document(folder / "meta.json", findings.document)


def write_page(document: Document, points: Points, folder: str | Path, *, plots: bool = False) -> Path:
    """Write ``meta.html`` into the folder and return its path; the same document gives the same bytes.

    With ``plots``, every plot of the page is also written as an SVG file of its own, into ``plots/``.
    """
    page = page_of(document, points)
    path = Path(folder) / "meta.html"
    write_atomically(path, page.html.encode())
    for name, svg in page.plots.items() if plots else ():
        write_atomically(path.parent / "plots" / name, svg)
    return path


def render_meta(folder: str | Path, *, plots: bool = False) -> Path:
    """Write the page of a finished folder again, from its files."""
    folder = Path(folder)
    document = read_meta(folder)
    points = read_points(require_file(folder, "points.parquet", META))
    return write_page(document, points, folder, plots=plots)


def read_meta(folder: Path) -> Document:
    """The document in ``meta.json`` of that folder; BadInput names what is missing or damaged."""
    return read_document(Document, require_file(folder, "meta.json", META), META)


def _write_unjoined(joined: Joined, path: Path) -> None:
    """Write every answer of an item or system that one side does not know, a line each; no file if none is."""
    if not joined.apart.strange.any():
        path.unlink(missing_ok=True)
        return
    with atomic_path(path) as scratch, scratch.open("w", encoding="utf-8", newline="\n") as lines:
        for answer in joined.strangers():
            row = {"side": answer.side, "item": answer.item, "system": answer.system}
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
