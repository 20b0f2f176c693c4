"""The folder of ``dialeval select ask``: the only writer and reader of its files (docs/files.md)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.data.choices import ChoiceRow, read_choices, write_choices
from dialeval.files.atomic import write_atomically
from dialeval.files.documents import Origin, read_document, require_file, write_document
from dialeval.selection.document import AskedDocument
from dialeval.selection.report.page import page_of

FILES: Final = ("asked.json", "choices.jsonl", "asked.html")
_DOCUMENT, _CHOICES, _PAGE = FILES
ORIGIN: Final = Origin("a folder as written by 'dialeval select ask -o FOLDER'", "Ask again.")


class AskedFolder(NamedTuple):
    """What a folder holds beside its page."""

    document: AskedDocument
    choices: tuple[ChoiceRow, ...]


def write_asked(folder: Path, document: AskedDocument, choices: Iterable[ChoiceRow]) -> None:
    """Write ``asked.json`` and ``choices.jsonl`` into the folder, each whole."""
    write_choices(folder / _CHOICES, choices)
    write_document(folder / _DOCUMENT, document)


def read_asked(folder: Path) -> AskedFolder:
    """The content of the folder; BadInput names what is missing or damaged."""
    document = read_document(AskedDocument, require_file(folder, _DOCUMENT, ORIGIN), ORIGIN)
    choices = folder / _CHOICES
    return AskedFolder(document, tuple(read_choices(choices)) if choices.is_file() else ())


def write_page(folder: Path, document: AskedDocument, choices: Iterable[ChoiceRow]) -> Path:
    """Write ``asked.html`` into the folder and return its path; the same content gives the same bytes."""
    path = folder / _PAGE
    write_atomically(path, page_of(document, choices).encode())
    return path


def render_asked(folder: str | Path) -> Path:
    """Write the page of a folder again, from its files."""
    content = read_asked(Path(folder))
    return write_page(Path(folder), content.document, content.choices)
