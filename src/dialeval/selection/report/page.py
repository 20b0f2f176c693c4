"""One self-contained HTML file from the folder that ``dialeval select ask`` writes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dialeval.display.pages import asset, policy, template
from dialeval.display.table import Table
from dialeval.files.atomic import write_atomically
from dialeval.files.documents import Origin, read_document, require_file
from dialeval.selection.document import AskedDocument, ErrorLabel, Quoted
from dialeval.selection.report import pictures, tables
from dialeval.selection.report.hardest import hardest

ASKED: Final = Origin("a folder as written by 'dialeval select ask -o FOLDER'", "Ask again.")


@dataclass(frozen=True, slots=True)
class Examples:
    """Wrong choices quoted under what is wrong with them."""

    label: str
    quoted: tuple[Quoted, ...]


@dataclass(frozen=True, slots=True)
class ErrorView:
    """One system's errors as a page shows them."""

    table: Table
    examples: tuple[Examples, ...]


def error_views(found: Iterable[tuple[str, tuple[ErrorLabel, ...]]]) -> list[ErrorView]:
    """What a page shows of each system's errors; nothing of a system without labels."""
    return [
        ErrorView(
            tables.errors(system, labels),
            tuple(Examples(one.label or tables.UNLABELLED, one.examples) for one in labels if one.examples),
        )
        for system, labels in found
        if labels
    ]


def read_asked(folder: Path) -> AskedDocument:
    """What ``asked.json`` in that folder says; BadInput names what is absent or damaged."""
    return read_document(AskedDocument, require_file(folder, "asked.json", ASKED), ASKED)


def document_of(content: Mapping[str, object]) -> AskedDocument:
    """The same from the content of the file, before it is written."""
    from pydantic import TypeAdapter

    return TypeAdapter(AskedDocument).validate_json(json.dumps(content))


def render_asked(folder: str | Path) -> Path:
    """Write ``asked.html`` into the folder and return its path; the same folder gives the same bytes."""
    from markupsafe import Markup

    folder = Path(folder)
    document = read_asked(folder)
    style = asset("page.css")
    page = template("dialeval.selection.report", "selection.html").render(
        document=document,
        ranking=tables.ranking(document),
        pairs=tables.pairs(document),
        failures=tables.failures(document),
        trials=tables.trials(document.trials) if document.trials else None,
        plots=pictures.trial_plots(document.trials) if document.trials else [],
        hardest=hardest(folder / "choices.jsonl"),
        errors=error_views((row.system, row.errors) for row in document.results),
        style=Markup(style),
        policy=policy(style=style),
    )
    path = folder / "asked.html"
    write_atomically(path, page.encode())
    return path
