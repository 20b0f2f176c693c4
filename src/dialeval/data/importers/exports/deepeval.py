"""DeepEval: test runs, whose cases have metrics that a model judged, and traces of its tracing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from dialeval.data.codec.bad import BadLine, OnBad
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, is_stdin, shown
from dialeval.data.importers.exports.calls import Call, Left, Traces, seconds, trace_records
from dialeval.data.importers.exports.documents import bad, entry, first_value, head_of, listing, objects, word
from dialeval.data.importers.exports.messages import Message, messages_in, parsed
from dialeval.data.importers.exports.results import KINDS as RESULTS, Result, result_records, split
from dialeval.data.importers.exports.scores import Score, judgements
from dialeval.data.types import Kind, Record
from dialeval.errors import BadInput

KINDS: Final = RESULTS


def kinds_of(source: Source) -> tuple[Kind, ...]:
    """Dialogues first of traces and of conversational cases, examples of test cases."""
    first = {} if is_stdin(source) else first_value(head_of(source))
    held = first if isinstance(first, Mapping) else {}
    if "llmSpans" in held or (held.get("conversationalTestCases") and not held.get("testCases")):
        return ("dialogue", "prompt", "example", "judgement")
    return KINDS


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """A record for each case or trace, or the metrics of them."""
    results: list[Result] = []
    traces: list[tuple[Row, Mapping[str, object]]] = []
    for row, fields in objects(source, on_bad):
        if "llmSpans" in fields:
            traces.append((row, fields))
            continue
        for name, parse in (("testCases", _case), ("conversationalTestCases", _conversation)):
            for at, each in enumerate(listing(fields, name, row.where)):
                try:
                    results.append(parse(entry(each, row.where, f"{name}[{at}]"), fields, row, at))
                except BadInput as error:
                    on_bad(BadLine(error, f"{name}[{at}]"))
    if results:
        yield from result_records(results, kind, on_bad, shown(source))
    if traces:
        yield from _traces(traces, kind, on_bad, shown(source))


def _system(run: Mapping[str, object]) -> str:
    held = run.get("hyperparameters")
    listed = held if isinstance(held, Mapping) else {}
    return word(listed, "model", "Model", "llm") or word(run, "identifier")


def _case(case: Mapping[str, object], run: Mapping[str, object], row: Row, at: int) -> Result:
    asked, output = case.get("input"), case.get("actualOutput")
    if not isinstance(asked, str):
        raise bad(row.where, f"testCases[{at}].input", "no input", "text", "Export the run again.")
    expected = case.get("expectedOutput")
    return Result(
        *(row.where, f"testCases[{at}]", word(case, "name") or str(at + 1), _system(run)),
        context=[{"role": "user", "content": asked}],
        reply=output if isinstance(output, str) else None,
        missing="no actualOutput",
        cause="silent",
        references=(expected,) if isinstance(expected, str) and expected.strip() else (),
        scores=tuple(_scores(case)),
    )


def _conversation(case: Mapping[str, object], run: Mapping[str, object], row: Row, at: int) -> Result:
    turns = [
        {**entry(turn, row.where, "turns"), "tool_calls": entry(turn, row.where, "turns").get("toolsCalled")}
        for turn in listing(case, "turns", row.where, f"conversationalTestCases[{at}]")
    ]
    context, reply = split(messages_in(turns) or [])
    return Result(
        *(row.where, f"conversationalTestCases[{at}]", word(case, "name") or str(at + 1), _system(run)),
        context=context,
        reply=reply,
        missing="no last turn of the assistant",
        scores=tuple(_scores(case)),
    )


def _scores(case: Mapping[str, object]) -> Iterator[Score]:
    metrics = case.get("metricsData")
    for each in metrics if isinstance(metrics, list) else []:
        if isinstance(each, Mapping):
            model = word(each, "evaluationModel")
            reason = word(each, "reason")
            yield Score(
                *("", "", word(each, "name") or "metric", "judge" if model else "check", each.get("score")),
                rater=model,
                comment=reason or word(each, "error"),
            )


def _with_calls(messages: list[Message] | None) -> list[Message] | None:
    """The messages; those of the assistant that are nothing but a call of a tool, as JSON, become that call."""
    if messages is None:
        return None
    told: list[Message] = []
    for message in messages:
        content = message.get("content")
        inner = parsed(content) if message["role"] == "assistant" and isinstance(content, str) else None
        is_call = isinstance(inner, dict) and {"call_id", "name", "arguments"} <= inner.keys()
        told += (messages_in(inner) or [message]) if is_call else [message]
    return told


def _traces(
    traces: list[tuple[Row, Mapping[str, object]]], kind: Kind, on_bad: OnBad, path: str
) -> Iterator[Record]:
    left, calls, threads = Left(), [], dict[str, str]()
    scores: list[tuple[str, Score]] = []
    for row, trace in traces:
        own = word(trace, "uuid") or str(row.number)
        if (thread := word(trace, "threadId")) not in ("", "None"):
            threads[own] = thread
        scores += [(own, score) for score in _scores(trace)]
        for number, each in enumerate(listing(trace, "llmSpans", row.where)):
            span = entry(each, row.where, "llmSpans")
            said = _with_calls(messages_in(span.get("input"), "user"))
            reply = messages_in(span.get("output"), "assistant") or []
            start, end = seconds(span.get("startTime")), seconds(span.get("endTime"))
            held = None if said is None else tuple(said)
            calls.append(Call(row.where, own, start, end, held, tuple(reply), word(span, "model"), number))
        for name in ("baseSpans", "agentSpans", "retrieverSpans", "toolSpans"):
            left["tool span" if name == "toolSpans" else "span: no messages of a model"] += len(
                listing(trace, name, row.where)
            )
    held_traces = Traces(calls, threads)

    def judging(systems: Mapping[str, str]) -> Iterator[Record]:
        told = [(held_traces.item(own), score) for own, score in scores]
        yield from judgements(
            [score._replace(item=item, system=systems.get(item, "")) for item, score in told], path
        )

    yield from trace_records(held_traces, kind, on_bad, path, name="deepeval", left=left, judging=judging)
