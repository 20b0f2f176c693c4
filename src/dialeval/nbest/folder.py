"""Files of n-best evaluation: the only writer and reader of stimuli and of judged lists."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from dialeval.data.codec.bad import BadLine, OnBad, refuse
from dialeval.data.codec.decode import decode
from dialeval.data.codec.encode import encode
from dialeval.data.codec.fields import number, text, wrong
from dialeval.data.codec.jsonl import rows_of
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, check, shown
from dialeval.errors import BadInput
from dialeval.files.documents import write_json_lines
from dialeval.nbest.document import Stimulus, StimulusKind
from dialeval.nbest.measuring.judged import JudgedList, SweptList, Verdict

_KINDS: Final[Mapping[str, StimulusKind]] = {"yes": "ENTQ", "no": "CNTQ"}
_VERDICTS: Final[Mapping[str, Verdict]] = {
    "consistent": "consistent",
    "contradictory": "contradictory",
    "ambiguous": "ambiguous",
}


def write_stimuli(path: Path, stimuli: Iterable[Stimulus]) -> None:
    """Write each stimulus as a line."""
    write_json_lines(path, stimuli, follow=True)


def read_stimuli(source: Source, on_bad: OnBad = refuse) -> list[Stimulus]:
    """Return the stimuli of a file, at least one; those that expect no answer are open.

    The stimuli of recorded lists count once, however many systems answered them.
    """
    check(source)
    stimuli: dict[str, Stimulus] = {}
    for row in rows_of(source)(source, on_bad):
        try:
            found = _stimulus(row)
            if stimuli.setdefault(found.id, found) != found:
                what = f"{found.id!r}, which stands above with another context or answer"
                raise wrong(row.where, "id", what, "one id for each stimulus", "Rename one of them.")
        except BadInput as error:
            on_bad(BadLine(error, row.raw))
    if not stimuli:
        todo = "Make some with 'dialeval nbest stimuli'."
        raise BadInput(shown(source), "no stimulus", "lines with id and context", todo)
    return list(stimuli.values())


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


def write_sweep(path: Path, swept: Iterable[SweptList]) -> None:
    """Write the judged lists of every beam size, each with its ``beams``."""
    lines = (
        {**_line(judged), "beams": beams}
        for each in swept
        for beams, judged in each.by_beams
        if isinstance(judged, JudgedList)
    )
    write_json_lines(path, lines, follow=True)


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


def has_verdicts(source: Source) -> bool:
    """Whether a file of n-best lists has verdicts on responses, as 'nbest measure' writes them: by its first line."""
    check(source)
    row = next(iter(rows_of(source)(source, refuse)), None)
    responses = row.fields.get("responses") if row is not None and isinstance(row.fields, Mapping) else None
    return isinstance(responses, list) and all(
        isinstance(response, Mapping) and "verdict" in response for response in responses
    )


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
