"""The folders and files of ``dialeval consistency``: their only writer and reader (docs/files.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from dialeval.consistency.collecting.answers import ProbeAnswer
from dialeval.consistency.detecting.recorded import CheckedDialogue
from dialeval.consistency.document import AnalysisDocument
from dialeval.consistency.report.page import analysis_page
from dialeval.data import Dialogue, decode, encode, refuse
from dialeval.data.codec.bad import Where
from dialeval.data.codec.jsonl import read_rows
from dialeval.errors import BadInput
from dialeval.files.atomic import write_atomically
from dialeval.files.documents import (
    Origin,
    as_json,
    read_document,
    require_file,
    write_document,
    write_json_lines,
)

DETECTED: Final = "detected.jsonl"
"""Dialogues with their most contradictory turns, in a run folder."""
ANALYSIS: Final = "analysis.json"
ANALYSIS_PAGE: Final = "analysis.html"
CONTRADICTIONS: Final = "contradictions.jsonl"
"""Answers to probes, in a run folder and in the file of ``dialeval consistency collect``."""
_OF_DIALOGUES: Final = ("id", "system", "messages", "metadata")
ANALYSED: Final = Origin("a folder as written by 'dialeval consistency analyse -o FOLDER'", "Analyse again.")


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
        "keep": None if answer.chosen is None else answer.keep,
    }
    return {key: value for key, value in fields.items() if value is not None}


def is_answers(source: str) -> bool:
    """Whether a file is one of answers to probes, by the fields of its first line."""
    path = Path(source)
    if not path.is_file() or not path.name.removesuffix(".gz").endswith(".jsonl"):
        return False
    first = next(iter(read_rows(path, refuse)), None)
    fields = first.fields if first is not None else None
    return isinstance(fields, Mapping) and fields.keys() >= {"referent", "response", "context"}


def read_answers(path: Path) -> Iterator[tuple[str, ProbeAnswer]]:
    """Measure and answer of every line."""
    for row in read_rows(path, refuse):
        if not isinstance(row.fields, Mapping):
            raise _damaged(row.where, "a value that is not an object")
        fields = dict(row.fields)
        own = {
            key: fields.pop(key, None)
            for key in ("measure", "referent", "kind", "draw", "candidates", "chosen", "keep")
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
                    own["keep"] or "contradictory",
                ),
            )
        except (TypeError, ValueError) as error:
            raise _damaged(row.where, str(error)) from None


def write_detected(path: Path, rows: Iterable[tuple[str, CheckedDialogue]]) -> None:
    """Write dialogues, each with what was detected in it under a measure; all of them or no file."""
    lines = ({**encode(c.dialogue), **as_json(c.detected), "measure": measure} for measure, c in rows)
    write_json_lines(path, lines, follow=True)


def read_detected(path: Path) -> Iterator[Dialogue]:
    """The dialogue of every line."""
    for row in read_rows(path, refuse):
        fields: object = row.fields
        if isinstance(fields, Mapping):
            fields = {key: value for key, value in fields.items() if key in _OF_DIALOGUES}
        yield decode(fields, "dialogue", row.where)


def _damaged(where: Where, found: str) -> BadInput:
    todo = "Give a file that 'dialeval consistency collect' or 'dialeval run' wrote."
    return BadInput(where.path, found, "an answer to a probe", todo, where.line)
