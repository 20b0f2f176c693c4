"""LangSmith runs: lines or arrays of the API, ``{"runs": []}``, and ``{"post", "patch"}`` as the library sends them.

``session_id`` of a run is its project; the conversation is the ``session_id``, ``thread_id`` or ``conversation_id`` of
its metadata. Feedback of single raters becomes judgements; ``feedback_stats`` are means, and are counted only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from dialeval.data.codec.bad import BadLine, OnBad
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, shown
from dialeval.data.importers.exports.calls import (
    KINDS as TRACES,
    Call,
    Left,
    Traces,
    seconds,
    trace_records,
)
from dialeval.data.importers.exports.documents import bad, entry, listing, objects, table, word
from dialeval.data.importers.exports.messages import messages_in, parsed
from dialeval.data.importers.exports.scores import Score, Source as Giver, judgements
from dialeval.data.types import Kind, Record
from dialeval.errors import BadInput

KINDS: Final = TRACES
_GIVERS: Final[Mapping[str, Giver]] = {
    "app": "person",
    "model": "judge",
    "auto_eval": "judge",
    "api": "check",
}
_THREAD: Final = ("session_id", "thread_id", "conversation_id")


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """A record for each conversation, or trace without one, or the feedback on them."""
    runs: dict[str, tuple[Row, dict[str, object]]] = {}
    feedback: list[tuple[Row, Mapping[str, object]]] = []
    refused: set[str] = set()
    left, path = Left(), shown(source)
    for row, fields in objects(source, on_bad):
        try:
            _sort(fields, row, runs, feedback)
        except BadInput as error:
            refused |= {named} if (named := word(fields, "trace_id", "id")) else set()
            on_bad(BadLine(error, row.raw))
    calls, conversations = [], dict[str, str]()
    for number, (row, run) in enumerate(runs.values()):
        trace = word(run, "trace_id", "id")
        try:
            if thread := _thread_of(run, row):
                conversations.setdefault(trace, thread)
            call = _call(run, row, trace, number, runs)
        except BadInput as error:
            refused.add(trace)
            on_bad(BadLine(error, row.raw))
            continue
        if call is not None:
            calls.append(call)
        else:
            left["tool run" if run.get("run_type") == "tool" else "run: no call of a model"] += 1
        feedback += [
            (row, {"run_id": word(run, "id"), **entry(each, row.where, "feedback")})
            for each in listing(run, "feedback", row.where)
        ]
        if run.get("feedback_stats"):
            left["mean of feedback: no single ratings"] += 1
    if not runs and not feedback:
        return
    traces = Traces(calls, conversations, frozenset(refused))

    def judging(systems: Mapping[str, str]) -> Iterator[Record]:
        yield from judgements([_score(fields, runs, traces, systems) for _, fields in feedback], path)

    yield from trace_records(traces, kind, on_bad, path, name="langsmith", left=left, judging=judging)


def _sort(
    fields: Mapping[str, object],
    row: Row,
    runs: dict[str, tuple[Row, dict[str, object]]],
    feedback: list[tuple[Row, Mapping[str, object]]],
) -> None:
    """Take in runs, the changes of runs and feedback; a change is joined by its id, else by its place in the trace."""
    if isinstance(fields.get("runs"), list):
        for each in listing(fields, "runs", row.where):
            _sort(entry(each, row.where, "runs"), row, runs, feedback)
        return
    if "post" in fields or "patch" in fields:
        for name in ("post", "patch"):
            for each in listing(fields, name, row.where):
                _sort(entry(each, row.where, name), row, runs, feedback)
        return
    if "run_id" in fields and "key" in fields:
        feedback.append((row, fields))
        return
    own = word(fields, "id") or next(
        (
            name
            for name, (_, run) in runs.items()
            if word(run, "dotted_order") == word(fields, "dotted_order") != ""
        ),
        "",
    )
    if not own:
        raise bad(row.where, "id", "no id of a run", "text", "Export the runs again, with their ids.")
    before = runs[own][1] if own in runs else {}
    runs[own] = (
        row,
        {**before, **{name: value for name, value in fields.items() if value not in (None, {})}},
    )


def _thread_of(run: Mapping[str, object], row: Row) -> str:
    extra = run.get("extra")
    extra = parsed(extra) if isinstance(extra, str) else extra
    metadata = extra.get("metadata") if isinstance(extra, Mapping) else None
    return word(metadata, *_THREAD) if isinstance(metadata, Mapping) else ""


def _call(
    run: Mapping[str, object],
    row: Row,
    trace: str,
    number: int,
    runs: Mapping[str, tuple[Row, Mapping[str, object]]],
) -> Call | None:
    if run.get("run_type") not in ("llm", "chat_model"):
        return None
    given = {}
    for name in ("inputs", "outputs"):  # Parquet and CSV hold them as text
        held = run.get(name)
        given[name] = parsed(held) if isinstance(held, str) else table(run, name, row.where)
    said = messages_in(given["inputs"], "user")
    reply = messages_in(given["outputs"], "assistant") or []
    if said is None and given["inputs"]:
        found = (
            f"an input of {', '.join(map(repr, given['inputs']))}"
            if isinstance(given["inputs"], Mapping)
            else "no object"
        )
        raise bad(row.where, "inputs", found, "'messages', as [{'role', 'content'}]", "Leave the run out.")
    extra = run.get("extra")
    metadata = extra.get("metadata") if isinstance(extra, Mapping) else None
    sent, received = given["inputs"], given["outputs"]
    model = (word(received, "model") if isinstance(received, Mapping) else "") or (
        word(sent, "model") if isinstance(sent, Mapping) else ""
    )
    model = model or (word(metadata, "ls_model_name") if isinstance(metadata, Mapping) else "")
    above = runs.get(word(run, "parent_run_id"))
    inside = above is not None and above[1].get("run_type") == "tool"
    start, end = seconds(run.get("start_time")), seconds(run.get("end_time"))
    held_said = None if said is None else tuple(said)
    return Call(row.where, trace, start, end, held_said, tuple(reply), model, number, inside=inside)


def _score(
    fields: Mapping[str, object],
    runs: Mapping[str, tuple[Row, Mapping[str, object]]],
    traces: Traces,
    systems: Mapping[str, str],
) -> Score:
    run = word(fields, "run_id")
    trace = word(fields, "trace_id") or (word(runs[run][1], "trace_id", "id") if run in runs else run)
    item = traces.item(trace)
    source = fields.get("feedback_source")
    giver = _GIVERS.get(word(source, "type") if isinstance(source, Mapping) else "", "check")
    who = word(source, "user_name", "user_id") if isinstance(source, Mapping) and giver == "person" else ""
    value, score = fields.get("value"), fields.get("score")
    label = value if score is None and isinstance(value, str) else ""
    return Score(
        *(item, systems.get(item, ""), word(fields, "key"), giver, score),
        rater=who,
        comment=word(fields, "comment"),
        label=label,
    )
