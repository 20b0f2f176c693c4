"""The folders of ``dialeval consistency``: the only writer and reader of their files (docs/files.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from dialeval.consistency.document import DetectedDocument
from dialeval.consistency.report.page import detected_page
from dialeval.files.atomic import write_atomically
from dialeval.files.documents import Origin, read_document, require_file, write_document

DETECTED: Final = "detected.json"
PAGE: Final = "contradictions.html"
ORIGIN: Final = Origin("a folder as written by 'dialeval consistency detect -o FOLDER'", "Detect again.")


def write_detected(folder: Path, document: DetectedDocument) -> Path:
    """Write ``detected.json`` and its page, each whole, and return the page's path."""
    write_document(folder / DETECTED, document)
    page = folder / PAGE
    write_atomically(page, detected_page(document).encode())
    return page


def read_detected(folder: Path) -> DetectedDocument:
    """The content of the folder; BadInput names what is missing or damaged."""
    return read_document(DetectedDocument, require_file(folder, DETECTED, ORIGIN), ORIGIN)


def render_detected(folder: str | Path) -> Path:
    """Write the page of a folder again, from its file."""
    return write_detected(Path(folder), read_detected(Path(folder)))
