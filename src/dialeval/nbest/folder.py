"""Files of n-best evaluation: the only writer and reader of stimuli and of the folder of ``nbest measure``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.data.codec.bad import BadLine, OnBad, refuse
from dialeval.data.codec.containers import rows_of
from dialeval.data.codec.decode import decode
from dialeval.data.codec.encode import encode
from dialeval.data.codec.fields import number, text, wrong
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, check, shown
from dialeval.errors import BadInput
from dialeval.files.atomic import write_atomically
from dialeval.files.documents import Origin, read_document, require_file, write_document, write_json_lines
from dialeval.nbest.document import NBestDocument, Stimulus, StimulusKind
from dialeval.nbest.measuring.judged import JudgedList, Verdict
from dialeval.nbest.report.page import page_of

FILES: Final = ("nbest.json", "lists.jsonl", "nbest.html")
_DOCUMENT, LISTS, _PAGE = FILES
ORIGIN: Final = Origin("a folder as written by 'dialeval nbest measure -o FOLDER'", "Measure again.")
_KINDS: Final[Mapping[str, StimulusKind]] = {"yes": "ENTQ", "no": "CNTQ"}
_VERDICTS: Final[Mapping[str, Verdict]] = {
    "consistent": "consistent",
    "contradictory": "contradictory",
    "ambiguous": "ambiguous",
}


class MeasuredFolder(NamedTuple):
    """What a folder holds beside its page."""

    document: NBestDocument
    lists: tuple[JudgedList, ...]


def write_stimuli(path: Path, stimuli: Iterable[Stimulus]) -> None:
    """Write each stimulus as a line."""
    write_json_lines(path, stimuli, follow=True)


def read_stimuli(source: Source, on_bad: OnBad = refuse) -> list[Stimulus]:
    """The stimuli of a file, of which there must be one; those that expect no answer are open."""
    check(source)
    stimuli = []
    for row in rows_of(source)(source, on_bad):
        try:
            stimuli.append(_stimulus(row))
        except BadInput as error:
            on_bad(BadLine(error, row.raw))
    if not stimuli:
        todo = "Make some with 'dialeval nbest stimuli'."
        raise BadInput(shown(source), "no stimulus", "lines with id and context", todo)
    return stimuli


def _stimulus(row: Row) -> Stimulus:
    prompt = decode(row.fields, "prompt", row.where)
    fields: Mapping[str, object] = row.fields  # type: ignore[assignment]  # the decoder has checked it
    if not prompt.context:
        raise wrong(row.where, "context", [], "at least the message", "Write the history and the message.")
    if fields.get("expected") is None:
        return Stimulus(prompt.item, "open", prompt.context, None)
    expected = text(fields, "expected", row.where, "", "'yes' or 'no'")
    if expected not in _KINDS:
        todo = "Write which answer fits the history, or leave the field out."
        raise wrong(row.where, "expected", expected, "'yes' or 'no'", todo)
    return Stimulus(prompt.item, _KINDS[expected], prompt.context, "yes" if expected == "yes" else "no")


def write_lists(path: Path, lists: Iterable[JudgedList]) -> None:
    """Write judged lists as n-best records, each response with its verdict."""
    write_json_lines(path, map(_line, lists), follow=True)


def _line(judged: JudgedList) -> dict[str, object]:
    record = encode(judged.nbest)
    responses = [
        {
            **({"text": response} if isinstance(response, str) else response),
            "verdict": verdict,
            "probability": p,
        }
        for response, verdict, p in zip(
            record["responses"],  # type: ignore[call-overload]  # a list, as the encoder writes it
            judged.verdicts,
            judged.probabilities,
            strict=True,
        )
    ]
    line = {**record, "responses": responses, "reader": judged.reader}
    return line if judged.obstacle is None else {**line, "obstacle": judged.obstacle}


def read_lists(path: Path) -> Iterator[JudgedList]:
    """The judged lists of a file; BadInput where a response has no verdict."""
    for row in rows_of(path)(path, refuse):
        nbest = decode(row.fields, "nbest", row.where)
        fields: Mapping[str, object] = row.fields  # type: ignore[assignment]  # the decoder has checked it
        given: list[Mapping[str, object]] = fields["responses"]  # type: ignore[assignment]  # likewise
        verdicts = [_verdict(response, row, index) for index, response in enumerate(given)]
        probabilities = [
            math.nan if p is None else p
            for index, response in enumerate(given)
            for p in (number(response, "probability", row.where, f"responses[{index}]"),)
        ]
        reader, obstacle = str(fields.get("reader", "")), fields.get("obstacle")
        yield JudgedList(
            nbest, tuple(verdicts), tuple(probabilities), reader, None if obstacle is None else str(obstacle)
        )


def _verdict(response: Mapping[str, object], row: Row, index: int) -> Verdict:
    found = response.get("verdict") if isinstance(response, Mapping) else None
    if found not in _VERDICTS:
        place = f"responses[{index}].verdict"
        raise wrong(
            row.where, place, found, "consistent, contradictory or ambiguous", "Measure the lists again."
        )
    return _VERDICTS[str(found)]


def write_measured(folder: Path, document: NBestDocument, lists: Iterable[JudgedList]) -> Path:
    """Write ``nbest.json``, ``lists.jsonl`` and the page ``nbest.html``, whose path is returned."""
    write_lists(folder / LISTS, lists)
    write_document(folder / _DOCUMENT, document)
    return _write_page(folder, document)


def read_measured(folder: Path) -> MeasuredFolder:
    """The content of the folder; BadInput names what is missing or damaged."""
    document = read_document(NBestDocument, require_file(folder, _DOCUMENT, ORIGIN), ORIGIN)
    return MeasuredFolder(document, tuple(read_lists(require_file(folder, LISTS, ORIGIN))))


def render_measured(folder: str | Path) -> Path:
    """Write the page of a folder again, from its files."""
    return _write_page(Path(folder), read_measured(Path(folder)).document)


def _write_page(folder: Path, document: NBestDocument) -> Path:
    path = folder / _PAGE
    write_atomically(path, page_of(document).encode())
    return path
