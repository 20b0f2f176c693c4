"""Langfuse: traces as the page downloads them, sessions, answers of the API, blob exports, and their scores.

Scores with source ANNOTATION are people's, those with EVAL judges'; of API scores nobody knows, so they are checks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.dialects import tell
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, is_stdin, shown
from dialeval.data.importers.exports.calls import (
    KINDS as TRACES,
    Call,
    Left,
    Traces,
    seconds,
    trace_records,
)
from dialeval.data.importers.exports.documents import bad, entry, listing, objects, word
from dialeval.data.importers.exports.messages import Message, messages_in, parsed
from dialeval.data.importers.exports.recognition import export_of
from dialeval.data.importers.exports.scores import Score, Source as Giver, judgements
from dialeval.data.importers.exports.spans import flat_attributes, messages_of
from dialeval.data.types import Kind, Record
from dialeval.display.wording import count
from dialeval.errors import BadInput

KINDS: Final = TRACES
_GENERATION: Final = "GENERATION"
_GIVERS: Final[Mapping[str, Giver]] = {"ANNOTATION": "person", "EVAL": "judge", "API": "check"}


class _Held(NamedTuple):
    """The records of an export, apart by what they are."""

    traces: dict[str, tuple[Row, Mapping[str, object]]]
    observations: dict[str, tuple[Row, Mapping[str, object]]]
    scores: dict[str, tuple[Row, Mapping[str, object]]]


def kinds_of(source: Source) -> tuple[Kind, ...]:
    """Only judgements, if the file's name says that it holds scores."""
    scores = not is_stdin(source) and re.match(r"scores?\b|scores?_", Path(source).name) is not None
    return ("judgement",) if scores and Path(source).is_file() else KINDS


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """A record for each session, or trace without one, or the judgements of them."""
    held, refused = _Held({}, {}, {}), set[str]()
    for file in _files(source):
        for row, fields in objects(file, on_bad):
            try:
                _sort(fields, row, held)
            except BadInput as error:
                refused |= {named} if (named := word(fields, "traceId", "trace_id", "id")) else set()
                on_bad(BadLine(error, row.raw))
    left, path = Left(), shown(source)
    calls = list(_calls(held, refused, left, on_bad))
    sessions = {
        trace: session
        for trace, (_, fields) in held.traces.items()
        if (session := word(fields, "sessionId", "session_id"))
    }
    for _, fields in held.observations.values():
        if session := word(fields, "sessionId", "session_id"):
            sessions.setdefault(_trace(fields), session)
    traces = Traces(calls, sessions, frozenset(refused))

    def judging(systems: Mapping[str, str]) -> Iterator[Record]:
        yield from judgements(_scores(held, traces, systems, path), path)

    if calls or kind == "judgement":
        yield from trace_records(traces, kind, on_bad, path, name="langfuse", left=left, judging=judging)
    elif held.scores and not held.traces:
        todo = "Read them as judgements: --as judgement."
        raise bad(Where(path), "", "scores and no traces", "traces", todo)


def _files(source: Source) -> Sequence[Source]:
    """The file, or those below a folder of exports, in the order of their names."""
    if is_stdin(source) or not Path(source).is_dir():
        return [source]
    files = [
        path
        for path in sorted(Path(source).rglob("*"))
        if path.is_file() and re.search(r"\.(?:json|jsonl|ndjson)(?:\.gz)?$", path.name)
    ]
    kept = [path for path in files if _PART.match(path.parent.name) or export_of(path) == "langfuse"]
    if len(kept) < len(files):
        tell(shown(source), f"left out: {count(len(files) - len(kept), 'file')} that Langfuse did not write")
    return kept


_PART: Final = re.compile(r"(?:traces|observations|scores)(?:_v\d+)?$")
"""Folders of a blob export."""


def _sort(fields: Mapping[str, object], row: Row, held: _Held) -> None:
    """Take in whatever an object of an export is."""
    if isinstance(fields.get("data"), list):  # an answer of the API
        for each in listing(fields, "data", row.where):
            _sort(entry(each, row.where, "data"), row, held)
        return
    if isinstance(fields.get("trace"), Mapping):  # as the page downloads it
        _sort(entry(fields["trace"], row.where, "trace"), row, held)
    if {"trace", "traces", "observations", "scores"} & fields.keys() and "id" not in fields:
        for name in ("traces", "observations", "scores"):
            for each in listing(fields, name, row.where):
                _sort(entry(each, row.where, name), row, held)
        return
    own = word(fields, "id")
    if not own:
        raise bad(
            row.where, "id", "no id", "text (the id of a trace, observation or score)", "Export it again."
        )
    if _is_score(fields):
        held.scores.setdefault(own, (row, fields))
    elif isinstance(fields.get("traces"), list):  # a session
        for each in listing(fields, "traces", row.where):
            _sort({"sessionId": own, **entry(each, row.where, "traces")}, row, held)
    elif "type" in fields and _trace(fields):
        # The page's download has every observation twice, without its texts inside the trace.
        if own not in held.observations or _has_texts(fields):
            held.observations[own] = (row, fields)
    else:
        held.traces[own] = (row, fields)
        for name in ("observations", "scores"):
            for each in listing(fields, name, row.where):
                if isinstance(each, Mapping):  # the list of traces has their ids only
                    _sort({"traceId": own, **each}, row, held)


def _trace(fields: Mapping[str, object]) -> str:
    return word(fields, "traceId", "trace_id")


def _is_score(fields: Mapping[str, object]) -> bool:
    return (
        "source" in fields
        and "name" in fields
        and bool({"value", "stringValue", "string_value"} & fields.keys())
    )


def _has_texts(fields: Mapping[str, object]) -> bool:
    return fields.get("input") is not None or fields.get("output") is not None


def _calls(held: _Held, refused: set[str], left: Left, on_bad: OnBad) -> Iterator[Call]:
    spoken: set[str] = set()
    parents = {
        word(fields, "parentObservationId", "parent_observation_id")
        for _, fields in held.observations.values()
        if fields.get("type") == _GENERATION
    }
    for number, (own, (row, fields)) in enumerate(held.observations.items()):
        if fields.get("type") != _GENERATION:
            left["tool span" if fields.get("type") == "TOOL" else "span: no messages of a model"] += 1
            continue
        try:
            said, reply = _messages(fields, row)
        except BadInput as error:
            refused.add(_trace(fields))
            on_bad(BadLine(error, row.raw))
            continue
        if own in parents and not any(message.get("tool_calls") for message in reply):
            left["model call: recorded twice, one inside the other"] += 1
            continue
        if said is None and not reply:
            left["model call: no messages"] += 1
            continue
        spoken.add(_trace(fields))
        yield Call(
            row.where,
            _trace(fields),
            seconds(fields.get("startTime", fields.get("start_time"))),
            seconds(fields.get("endTime", fields.get("end_time"))),
            None if said is None else tuple(said),
            tuple(reply),
            word(fields, "model", "provided_model_name", "providedModelName")
            or word(held.traces.get(_trace(fields), (row, {}))[1], "model"),
            number,
        )
    for trace, (row, fields) in held.traces.items():
        if trace in spoken or trace in refused:
            continue
        said = messages_in(fields.get("input"), "user")
        reply = messages_in(fields.get("output"), "assistant") or []
        if said:
            start = seconds(fields.get("timestamp", fields.get("createdAt")))
            yield Call(row.where, trace, start, start, tuple(said), tuple(reply), word(fields, "model"))
        else:
            left["trace: no messages"] += 1


def _messages(fields: Mapping[str, object], row: Row) -> tuple[list[Message] | None, list[Message]]:
    """The messages of a generation: of its attributes if it came by OpenTelemetry, else of its input and output."""
    metadata = fields.get("metadata")
    held = parsed(metadata) if isinstance(metadata, str) else metadata
    inner = held.get("attributes") if isinstance(held, Mapping) else None
    if isinstance(inner, Mapping):
        said, reply = messages_of(flat_attributes(inner), row.where)
        if said and reply:
            return said, reply
    given = fields.get("input")
    said = messages_in(given) or _transcript(given)
    if said is None and isinstance(given, str) and parsed(given) is None:
        said = messages_in(given, "user")
    output = fields.get("output")
    return said, (messages_in(output, "assistant") or [] if output != "None" else [])


_LINE: Final = re.compile(r"^(system|developer|user|assistant|tool): ", re.MULTILINE)


def _transcript(value: object) -> list[Message] | None:
    """Messages of a text such as ``system: ...`` and ``user: ...`` on lines of their own, as autogen records them."""
    if not isinstance(value, str) or _LINE.match(value) is None:
        return None
    starts = list(_LINE.finditer(value))
    ends = [match.start() for match in starts[1:]] + [len(value)]
    told = []
    for match, end in zip(starts, ends, strict=True):
        said = value[match.end() : end].rstrip("\n")
        role = "system" if match[1] == "developer" else match[1]
        told.append({"role": role, "content": None if said == "None" else said})
    return [dict(message) for message in told]


def _scores(held: _Held, traces: Traces, systems: Mapping[str, str], path: str) -> Iterator[Score]:
    unknown = 0
    for row, fields in held.scores.values():
        item = _subject(fields, held, traces)
        if not item:
            found, expected = "a score of nothing", "the id of a trace, session or observation"
            raise bad(row.where, "traceId", found, expected, "Export the scores again.")
        source = str(fields.get("source")).upper()
        unknown += source not in _GIVERS or source == "API"
        giver = _GIVERS.get(source, "check")
        kind = word(fields, "dataType", "data_type").upper()
        text = word(fields, "stringValue", "string_value")
        value = fields.get("value")
        if isinstance(value, str) and not text:
            text, value = value, None
        label = text if kind == "CATEGORICAL" else ""
        if kind == "BOOLEAN" and isinstance(value, int | float):
            value = bool(value)
        yield Score(
            *(item, systems.get(item, ""), word(fields, "name"), giver),
            value=text if kind == "TEXT" else value,
            rater=word(fields, "authorUserId", "author_user_id") if giver == "person" else "",
            comment=word(fields, "comment") or (text if kind == "TEXT" else ""),
            label=label,
        )
    if unknown:
        tell(
            path,
            f"{count(unknown, 'score')} of source API: nobody knows whose, so each is a measure (--people NAME)",
        )


def _subject(fields: Mapping[str, object], held: _Held, traces: Traces) -> str:
    """The id of the dialogue that a score is about."""
    subject = fields.get("subject")
    inner = subject if isinstance(subject, Mapping) else {}
    if session := word(fields, "sessionId", "session_id"):
        return session
    named = _trace(fields) or _trace(inner)
    if not named and (observation := word(fields, "observationId", "observation_id")):
        named = _trace(held.observations[observation][1]) if observation in held.observations else observation
    return traces.item(named or word(inner, "id"))
