"""The folders and files of ``dialeval consistency``: their only writer and reader (docs/files.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from dialeval.consistency.collecting.answers import ProbeAnswer
from dialeval.consistency.document import AnalysisDocument, DetectedDocument
from dialeval.consistency.report.page import analysis_page, detected_page
from dialeval.data import decode, encode, refuse
from dialeval.data.codec.bad import Where
from dialeval.data.codec.jsonl import read_rows
from dialeval.errors import BadInput
from dialeval.files.atomic import write_atomically
from dialeval.files.documents import Origin, read_document, require_file, write_document, write_json_lines

DETECTED: Final = "detected.json"
PAGE: Final = "contradictions.html"
ANALYSIS: Final = "analysis.json"
ANALYSIS_PAGE: Final = "analysis.html"
CONTRADICTIONS: Final = "contradictions.jsonl"
"""Answers to probes, in a run folder and in the file of ``dialeval consistency collect``."""
ORIGIN: Final = Origin("a folder as written by 'dialeval consistency detect -o FOLDER'", "Detect again.")
ANALYSED: Final = Origin("a folder as written by 'dialeval consistency analyse -o FOLDER'", "Analyse again.")


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


def write_analysis(folder: Path, document: AnalysisDocument) -> Path:
    """Write ``analysis.json`` and its page, each whole, and return the page's path."""
    write_document(folder / ANALYSIS, document)
    page = folder / ANALYSIS_PAGE
    write_atomically(page, analysis_page(document).encode())
    return page


def render_analysis(folder: str | Path) -> Path:
    """Write the page of an analysis again, from its file."""
    path = require_file(Path(folder), ANALYSIS, ANALYSED)
    return write_analysis(Path(folder), read_document(AnalysisDocument, path, ANALYSED))


def write_answers(path: Path, rows: Iterable[tuple[str, ProbeAnswer]]) -> None:
    """Write answers to probes, each with the measure under which it was asked; all of them or no file."""
    write_json_lines(path, (_line(measure, answer) for measure, answer in rows), follow=True)


def _line(measure: str, answer: ProbeAnswer) -> dict[str, Any]:
    fields = {
        **encode(answer.example),
        "measure": measure,
        "referent": answer.referent,
        "kind": answer.kind,
        "draw": answer.draw,
        "candidates": answer.candidates,
        "chosen": answer.chosen,
    }
    return {key: value for key, value in fields.items() if value is not None}


def read_answers(path: Path) -> Iterator[tuple[str, ProbeAnswer]]:
    """Measure and answer of every line."""
    for row in read_rows(path, refuse):
        if not isinstance(row.fields, Mapping):
            raise _damaged(row.where, "a value that is not an object")
        fields = dict(row.fields)
        own = {
            key: fields.pop(key, None)
            for key in ("measure", "referent", "kind", "draw", "candidates", "chosen")
        }
        try:
            yield (
                str(own["measure"] or ""),
                ProbeAnswer(
                    decode(fields, "example", row.where),
                    int(own["referent"]),
                    own["kind"] or "follow-up",
                    str(own["draw"] or "top"),
                    int(own["candidates"] or 1),
                    own["chosen"],
                ),
            )
        except (TypeError, ValueError) as error:
            raise _damaged(row.where, str(error)) from None


def _damaged(where: Where, found: str) -> BadInput:
    todo = "Give a file that 'dialeval consistency collect' or 'dialeval run' wrote."
    return BadInput(where.path, found, "an answer to a probe", todo, where.line)
