"""The folder of an escalation: ``escalation.json`` and ``answers.jsonl``, perhaps beside a rating study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.errors import BadInput
from dialeval.files.documents import Origin, read_document, require_file, write_document, write_json_lines
from dialeval.files.foreign import as_bad_input
from dialeval.judge.escalation import Escalation, JudgedAnswer

FILE: Final = "escalation.json"
ANSWERS: Final = "answers.jsonl"
ORIGIN: Final = Origin(
    "a folder as written by 'dialeval judge escalate'",
    "Escalate again with the same seed; ratings of the same answers can be kept.",
)


class Escalated(NamedTuple):
    """What was drawn, and from which answers."""

    escalation: Escalation
    answers: tuple[JudgedAnswer, ...]


def write_escalation(folder: Path, escalation: Escalation, answers: Sequence[JudgedAnswer]) -> None:
    """Write both files; a folder that has ``escalation.json`` is complete."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json_lines(folder / ANSWERS, answers)
    write_document(folder / FILE, escalation)


def read_escalation(folder: Path) -> Escalated:
    """Return what was written there; BadInput names the file and field that is missing or damaged."""
    escalation = read_document(Escalation, require_file(folder, FILE, ORIGIN), ORIGIN)
    return Escalated(escalation, tuple(_answers(require_file(folder, ANSWERS, ORIGIN))))


def _answers(path: Path) -> list[JudgedAnswer]:
    from pydantic import TypeAdapter, ValidationError

    lines = TypeAdapter(JudgedAnswer)
    with as_bad_input((UnicodeDecodeError,), str(path), "text", "answers in UTF-8", ORIGIN.again):
        text = path.read_text(encoding="utf-8")
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line:
            continue
        try:
            found.append(lines.validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or None
            raise BadInput(
                str(path), first["msg"], "a judged answer", ORIGIN.again, line=number, field=where
            ) from None
    return found
