"""Encoder of records as canonical lines of JSON, one by one or many at once, and digests of them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, is_dataclass
from itertools import chain
from json.encoder import encode_basestring as _quote
from typing import Any, Final, cast

import numpy as np

from dialeval.data.columns import ExampleColumns, columns_of
from dialeval.data.types import (
    EXTRA,
    Assertion,
    Candidate,
    Context,
    Dialogue,
    Example,
    Judgement,
    Kind,
    NBest,
    Prompt,
    Question,
    Record,
    Response,
    Turn,
)
from dialeval.errors import Unsuitable


def canonical(record: Record) -> bytes:
    """The record as one line of JSON, the same bytes for equal records everywhere; no newline at its end."""
    try:
        return _text(record).encode("utf-8")
    except UnicodeEncodeError:
        raise Unsuitable(
            f"{record.item!r} holds half of a character (a lone surrogate), which no file can keep. "
            "Decode its text with errors='replace' before making the record."
        ) from None


def subject_line(subject: object) -> bytes:
    """The canonical form of anything measured; kinds that are not records go by their fields."""
    if type(subject) in _KINDS:
        return canonical(cast(Record, subject))
    fields: object = repr(subject)
    if is_dataclass(subject) and not isinstance(subject, type):
        fields = asdict(subject, dict_factory=_as_said)
    return json.dumps([type(subject).__name__, fields], sort_keys=True, default=repr).encode()


def _as_said(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields without what is known of a response beside its words: what it took, when, and why there is none."""
    return {name: None if name == "usage" else value for name, value in fields if name != "cause"}


def encode(record: Record) -> dict[str, object]:
    """The JSON object that holds ``record``; optional fields that are empty are left out (docs/files.md)."""
    return cast(dict[str, object], json.loads(_text(record)))


def digest(records: Iterable[Record]) -> str:
    """The sha256, in hex, of the records' canonical lines."""
    sha = hashlib.sha256()
    for record in records:
        sha.update(canonical(record))
        sha.update(b"\n")
    return sha.hexdigest()


def kind_of_record(record: Record) -> Kind:
    """The kind of a record, by its type."""
    return _KINDS[type(record)]


_KINDS: Final[dict[type[Record], Kind]] = {
    Dialogue: "dialogue",
    Prompt: "prompt",
    Example: "example",
    Question: "question",
    NBest: "nbest",
    Judgement: "judgement",
}


def _text(record: Record) -> str:
    # Put together by hand: caches take a digest of every subject, and json.dumps of a dict takes three times as long.
    if isinstance(record, Example):
        return (
            f'{{"id":{_quote(record.item)},"system":{_quote(record.system)},"context":{_turns(record.context)},'
            f'"response":{_response(record.response)}{_references(record.references)}{_given(record)}}}'
        )
    if isinstance(record, Prompt):
        references = _references(record.references)
        return (
            f'{{"id":{_quote(record.item)},"context":{_turns(record.context)}{references}{_given(record)}}}'
        )
    if isinstance(record, Judgement):
        return _judgement(record)
    if isinstance(record, Dialogue):
        return _dialogue(record)
    if isinstance(record, Question):
        candidates = ",".join([_candidate(candidate) for candidate in record.candidates])
        status = "" if record.status is None else f',"status":"{record.status}"'
        return (
            f'{{"id":{_quote(record.item)},"context":{_turns(record.context)},'
            f'"candidates":[{candidates}]{status}}}'
        )
    return _nbest(record)


def _turns(turns: Context) -> str:
    return f"[{','.join([_turn(turn) for turn in turns])}]"


def _turn(turn: Turn) -> str:
    name = "" if turn.name is None else f',"name":{_quote(turn.name)}'
    if turn.extra is None:
        return f'{{"role":{_quote(turn.speaker)},"content":{_quote(turn.text)}{name}}}'
    extra = {key: _json(turn.extra[key]) for key in EXTRA if key in turn.extra}
    content = extra.pop("content", None) or _quote(turn.text)
    others = "".join(f',"{key}":{value}' for key, value in extra.items())
    return f'{{"role":{_quote(turn.speaker)},"content":{content}{name}{others}}}'


def _response(response: Response) -> str:
    if response.missing is not None:
        return f'{{"missing":{_quote(response.missing)}}}'
    if response.logprob is None:
        return _quote(response.text)
    return f'{{"text":{_quote(response.text)},"logprob":{_number(response.logprob)}}}'


def _references(references: tuple[str, ...]) -> str:
    return (
        f',"references":[{",".join([_quote(reference) for reference in references])}]' if references else ""
    )


def _given(record: Prompt | Example) -> str:
    """Return what an item's data says of its responses beside references."""
    if not record.knowledge and not record.assertions:
        return ""
    knowledge = f',"knowledge":{_json(list(record.knowledge))}' if record.knowledge else ""
    written = [written_assertion(assertion) for assertion in record.assertions]
    return knowledge + (f',"assert":{_json(written)}' if written else "")


def written_assertion(assertion: Assertion) -> dict[str, object]:
    """The assertion as files hold it: ``{"not_contains": "sorry"}``."""
    name = f"not_{assertion.kind}" if assertion.negated else assertion.kind
    return {name: assertion.value, **({"ignore_case": True} if assertion.ignore_case else {})}


def _candidate(candidate: Candidate) -> str:
    correct = "true" if candidate.correct else "false"
    error = "" if candidate.error is None else f',"error":{_quote(candidate.error)}'
    return f'{{"text":{_quote(candidate.text)},"correct":{correct}{error}}}'


def _dialogue(record: Dialogue) -> str:
    system = f',"system":{_quote(record.system)}' if record.system else ""
    metadata = ""
    if record.metadata:
        # Equal mappings may hold their keys in any order.
        metadata = f',"metadata":{_json(dict(record.metadata))}'
    return f'{{"id":{_quote(record.item)},"messages":{_turns(record.turns)}{system}{metadata}}}'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)


def _nbest(record: NBest) -> str:
    responses = ",".join([_response(response) for response in record.responses])
    expected = "" if record.expected is None else f',"expected":"{record.expected}"'
    return (
        f'{{"id":{_quote(record.item)},"system":{_quote(record.system)},"context":{_turns(record.context)},'
        f'"responses":[{responses}]{expected}}}'
    )


def _judgement(record: Judgement) -> str:
    value = "null" if record.value is None else _number(record.value)
    reason = "" if record.reason is None else f',"reason":{_quote(record.reason)}'
    evidence = "" if record.evidence is None else f',"evidence":{_quote(record.evidence)}'
    return (
        f'{{"item":{_quote(record.item)},"system":{_quote(record.system)},"rater":{_quote(record.rater)},'
        f'"criterion":{_quote(record.criterion)},"value":{value}{reason}{evidence}}}'
    )


def _number(value: float) -> str:
    """A JSON number; NaN is null, and JSON has no infinity."""
    if math.isfinite(value):
        return repr(float(value))
    if math.isnan(value):
        return "null"
    raise Unsuitable(
        f"{value} cannot be written: JSON has finite numbers only. Use None where there is no value."
    )


# Stand-ins for what is not text in a line: a quotation mark, and the end of the line.
_MARK: Final = b"\1"
_END: Final = b"\2"
_ESCAPES: Final = ((b"\\", rb"\\"), (b'"', rb"\""), (b"\n", rb"\n"), (b"\t", rb"\t"), (b"\r", rb"\r"))
_TO_QUOTE: Final = np.uint8(ord('"') - _MARK[0])
_FIRST_PRINTABLE: Final = ord(" ")


def subject_lines(subjects: Sequence[object], columns: ExampleColumns | None = None) -> bytes:
    """The bytes of ``subject_line`` of each subject, a newline between two of them, at a fifth of the cost.

    ``columns`` are those of the subjects, if they are known and all subjects are examples.
    """
    if columns is None and set(map(type, subjects)) == {Example}:
        columns = columns_of(cast(Sequence[Example], subjects))
    lines = None if columns is None else _lines_of_examples(columns)
    return b"\n".join(map(subject_line, subjects)) if lines is None else lines


def _lines_of_examples(columns: ExampleColumns) -> bytes | None:
    """The lines, escaped all together, which costs less than text by text; None if they are not that plain."""
    count, bare = len(columns.items), columns.bare
    turns = list(chain.from_iterable(columns.contexts)) if any(columns.contexts) else []
    if columns.given or bare not in (0, count) or not _are_plain(columns, turns):
        return None
    opening, closing = ("", "") if bare else (",\1references\1:[\1", "\1]")
    end = f"{closing}}}\2{{\1id\1:\1"
    # Six pieces of each line, the opening of the next among them: a join of lists costs half of formatting lines.
    pieces = [""] * (6 * count)
    pieces[0::6] = columns.items
    pieces[1::6] = _middles(columns, turns)
    pieces[2::6] = columns.texts
    pieces[3::6] = [f"\1{opening}"] * count
    try:
        pieces[4::6] = map("\1,\1".join, columns.references)
        pieces[5::6] = [end] * count
        pieces[0] = "{\1id\1:\1" + pieces[0]
        pieces[-1] = f"{closing}}}"
        raw = "".join(pieces)
    except TypeError:  # no text; line by line it shows which
        return None
    inside = 0 if bare else 2 * count + 2 * sum(map(len, columns.references))
    return _escaped(raw, 14 * count + 8 * len(turns) + inside + count - 1)


def _are_plain(columns: ExampleColumns, turns: Sequence[Turn]) -> bool:
    """Return whether there is nothing in them but texts and speakers."""
    optional: list[object] = [response.logprob for response in columns.responses]
    optional += [turn.name for turn in turns]
    optional += [turn.extra for turn in turns]
    texts: list[object] = [turn.speaker for turn in turns]
    texts += [turn.text for turn in turns]
    texts += columns.systems
    return columns.complete and optional.count(None) == len(optional) and set(map(type, texts)) == {str}


def _middles(columns: ExampleColumns, turns: Sequence[Turn]) -> list[str]:
    """Return what stands in each line between the item and the response."""
    systems, contexts = columns.systems, columns.contexts
    if not turns and systems.count(systems[0]) == len(systems):
        return [_middle(systems[0], ())] * len(systems)
    return list(map(_middle, systems, contexts))


def _middle(system: str, context: Context) -> str:
    turns = ",".join([f"{{\1role\1:\1{turn.speaker}\1,\1content\1:\1{turn.text}\1}}" for turn in context])
    return f"\1,\1system\1:\1{system}\1,\1context\1:[{turns}],\1response\1:\1"


def _escaped(raw: str, stand_ins: int) -> bytes | None:
    """Lines with this many stand-ins as JSON; None if a text has some too, or is not text."""
    try:
        escaped = _encoded(raw)
    except UnicodeEncodeError:
        return None
    for character, escape in _ESCAPES:
        escaped = escaped.replace(character, escape)
    codes = np.frombuffer(escaped, np.uint8)
    if np.count_nonzero(codes < _FIRST_PRINTABLE) != stand_ins:
        return None
    quoted: bytes = (codes + (codes == _MARK[0]).view(np.uint8) * _TO_QUOTE).tobytes()
    return quoted.replace(_END, b"\n")


def _encoded(raw: str) -> bytes:
    """The text in UTF-8; line by line, if a single character beyond ASCII would make the whole slow to encode."""
    if raw.isascii():
        return raw.encode()
    return _END.join(map(str.encode, raw.split("\2")))
