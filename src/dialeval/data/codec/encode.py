"""Encoder of records as canonical lines of JSON, and digests of them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable
from dataclasses import asdict, is_dataclass
from json.encoder import encode_basestring as _quote
from typing import Any, Final, cast

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
