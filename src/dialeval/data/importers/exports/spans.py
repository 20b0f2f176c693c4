"""Spans of OpenTelemetry: GenAI conventions old and new (OTLP JSON, flat spans) and OpenInference (Phoenix).

A span becomes a call of a model if it holds messages; spans of tools are counted. Annotations of people and judges, and
``gen_ai.evaluation.result`` events, become judgements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, shown
from dialeval.data.importers.exports.calls import KINDS as TRACES, Call, Left, Traces, seconds, trace_records
from dialeval.data.importers.exports.documents import bad, entry, listing, objects, table, word
from dialeval.data.importers.exports.messages import Message, messages_in, parsed
from dialeval.data.importers.exports.scores import Score, Source as Giver, judgements
from dialeval.data.types import Kind, Record
from dialeval.display.wording import count
from dialeval.errors import BadInput

KINDS: Final = TRACES
_CONVERSATION: Final = (
    *("gen_ai.conversation.id", "session.id", "gcp.vertex.agent.session_id", "langfuse.session.id"),
    *("conversation.id", "thread.id", "langsmith.metadata.thread_id", "langsmith.metadata.session_id"),
    *("traceloop.association.properties.session_id", "mlflow.trace.session"),
)
"""Attributes that name the conversation of a span."""
_MODEL: Final = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "model_name")
_INPUT: Final = (
    *("gen_ai.input.messages", "gen_ai.prompt", "pydantic_ai.all_messages", "gcp.vertex.agent.llm_request"),
    *("llm.input_messages", "all_messages_events", "mlflow.chat.messages"),
)
_OUTPUT: Final = (
    *("gen_ai.output.messages", "gen_ai.completion", "gcp.vertex.agent.llm_response"),
    *("llm.output_messages",),
)
_TOOLS: Final = ("execute_tool", "tool")
_AGENTS: Final = ("invoke_agent", "create_agent", "agent", "chain", "workflow", "task")


class Span(NamedTuple):
    """A span with flat attributes."""

    row: Row
    trace: str
    id: str
    parent: str
    name: str
    start: float
    end: float
    attributes: Mapping[str, object]
    events: Sequence[tuple[str, Mapping[str, object]]]
    fields: Mapping[str, object]


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """A record for each conversation, or the judgements of its spans."""
    path, left = shown(source), Left()
    spans: list[Span] = []
    refused: set[str] = set()
    for row, fields in objects(source, on_bad):
        for held, flat in _spans_in(fields, row):
            try:
                spans.append(span_of(held, row, flat=flat))
            except BadInput as error:
                refused.add(word(held, "traceId", "trace_id"))
                on_bad(BadLine(error, row.raw))
    name = "openinference" if any("openinference.span.kind" in span.attributes for span in spans) else "otel"
    yield from span_records(spans, refused, kind, on_bad, path, name=name, left=left)


def span_records(
    spans: Sequence[Span],
    refused: set[str],
    kind: Kind,
    on_bad: OnBad,
    path: str,
    *,
    name: str,
    left: Left,
    assessed: Callable[[Traces, Mapping[str, str]], Iterable[Score]] = lambda traces, systems: (),
) -> Iterator[Record]:
    """A record for each conversation of the spans, or the judgements of them and those that stand beside them."""
    calls = []
    tools = {span.id for span in spans if _kind(span) in _TOOLS}
    inside = _inside(spans, tools)
    for number, span in enumerate(spans):
        try:
            call = _call(span, number, inside=span.id in inside)
        except BadInput as error:
            refused.add(span.trace)
            on_bad(BadLine(error, span.row.raw))
            continue
        if call is not None:
            calls.append(call)
        else:
            left["tool span" if span.id in tools else "span: no messages of a model"] += 1
    traces = Traces(calls, _conversations(spans), frozenset(refused))
    if not spans:
        return
    if not calls and kind != "judgement" and not refused:
        raise _no_messages(path, spans)

    def judging(systems: Mapping[str, str]) -> Iterator[Record]:
        told = [*_scores(spans, traces, systems), *assessed(traces, systems)]
        yield from judgements(told, path)

    yield from trace_records(traces, kind, on_bad, path, name=name, left=left, judging=judging)


def _no_messages(path: str, spans: Sequence[Span]) -> BadInput:
    names = ", ".join(sorted({name for span in spans for name in span.attributes})[:8])
    todo = "Record what was said: set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT, or its like."
    found = f"{count(len(spans), 'span')} without messages (attributes: {names or 'none'})"
    return bad(Where(path), "", found, "'gen_ai.input.messages' or 'llm.input_messages.0.message.role'", todo)


def _spans_in(fields: Mapping[str, object], row: Row) -> Iterator[tuple[Mapping[str, object], bool]]:
    """The spans of a row: OTLP's, a list of them, or the row itself; and whether the row is attributes only."""
    where = row.where
    if "resourceSpans" in fields:
        for at, resource in enumerate(listing(fields, "resourceSpans", where)):
            held = entry(resource, where, f"resourceSpans[{at}]")
            scopes = listing(held, "scopeSpans", where) or listing(held, "instrumentationLibrarySpans", where)
            for scope in scopes:
                inner = entry(scope, where, f"resourceSpans[{at}].scopeSpans")
                for span in listing(inner, "spans", where, f"resourceSpans[{at}].scopeSpans"):
                    yield entry(span, where, f"resourceSpans[{at}].scopeSpans.spans"), False
        return
    if isinstance(fields.get("spans"), list):
        for span in listing(fields, "spans", where):
            yield entry(span, where, "spans"), False
        return
    yield fields, not any(name in fields for name in ("traceId", "trace_id", "context", "context.trace_id"))


def span_of(fields: Mapping[str, object], row: Row, *, flat: bool = False) -> Span:
    """A span; attributes alone are a span of their own trace."""
    if flat:
        return Span(
            row, f"{row.number}", f"{row.number}", "", "", 0.0, 0.0, flat_attributes(fields), (), fields
        )
    where = row.where
    context = table(fields, "context", where)
    trace = word(fields, "traceId", "trace_id", "context.trace_id") or word(context, "trace_id")
    if not trace:
        raise bad(where, "traceId", "no id of a trace", "text", "Export the spans again, with their ids.")
    given = fields.get("attributes")
    attributes = _otlp(given) if isinstance(given, list) else table(fields, "attributes", where)
    beside = {
        name.removeprefix("attributes."): value
        for name, value in fields.items()
        if name.startswith("attributes.")
    }
    if "span_kind" in fields and "openinference.span.kind" not in attributes:
        beside["openinference.span.kind"] = fields["span_kind"]
    events = listing(fields, "events" if "events" in fields else "span_events", where)
    return Span(
        row,
        trace,
        word(fields, "spanId", "span_id", "context.span_id") or word(context, "span_id"),
        word(fields, "parentSpanId", "parent_span_id", "parent_id"),
        word(fields, "name"),
        seconds(fields.get("startTimeUnixNano", fields.get("start_time"))),
        seconds(fields.get("endTimeUnixNano", fields.get("end_time"))),
        flat_attributes({**attributes, **beside}),
        [_event(event, where) for event in events],
        fields,
    )


def _event(value: object, where: Where) -> tuple[str, Mapping[str, object]]:
    held = entry(value, where, "events")
    given = held.get("attributes")
    return word(held, "name", "event_name"), flat_attributes(
        _otlp(given) if isinstance(given, list) else given or {}
    )


def _otlp(pairs: Sequence[object], depth: int = 0) -> dict[str, object]:
    """The attributes of OTLP JSON, a list of ``{"key", "value": {"stringValue": ...}}``."""
    return {
        str(pair["key"]): _otlp_value(pair.get("value"), depth)
        for pair in pairs
        if isinstance(pair, Mapping) and "key" in pair
    }


def _otlp_value(value: object, depth: int) -> object:
    if not isinstance(value, Mapping) or depth > 32:
        return None
    for name, held in value.items():
        if name == "arrayValue":
            values = held.get("values") if isinstance(held, Mapping) else None
            return [_otlp_value(each, depth + 1) for each in values or []]
        if name == "kvlistValue":
            values = held.get("values") if isinstance(held, Mapping) else None
            return _otlp(values or [], depth + 1)
        if name == "intValue":
            return int(held) if isinstance(held, str) and re.fullmatch(r"-?\d{1,19}", held) else held
        return held
    return None


def flat_attributes(value: object, prefix: str = "", depth: int = 0) -> dict[str, object]:
    """Attributes under their dotted names; what nests, as in data frames, is spread out as far as it is objects."""
    if not isinstance(value, Mapping):
        return {}
    told: dict[str, object] = {}
    for name, held in value.items():
        if isinstance(held, Mapping) and depth < 8 and f"{prefix}{name}" not in _WHOLE:
            told |= flat_attributes(held, f"{prefix}{name}.", depth + 1)
        else:
            told[f"{prefix}{name}"] = held
    return told


_WHOLE: Final = frozenset((*_INPUT, *_OUTPUT, "input.value", "output.value", "metadata", "input", "output"))


def _kind(span: Span) -> str:
    for name in (
        "openinference.span.kind",
        "gen_ai.operation.name",
        "traceloop.span.kind",
        "mlflow.spanType",
    ):
        value = span.attributes.get(name)
        if isinstance(value, str) and value.strip('"'):
            return value.strip('"').lower()
    return ""


def _inside(spans: Sequence[Span], tools: set[str]) -> set[str]:
    """The spans below a span of a tool, or below a second agent's that one calls."""
    parents = {span.id: span.parent for span in spans if span.id}
    found = set()
    for span in spans:
        above, steps = span.parent, 0
        while above and steps < 1000:
            if above in tools:
                found.add(span.id)
                break
            above, steps = parents.get(above, ""), steps + 1
    return found


def _call(span: Span, number: int, *, inside: bool) -> Call | None:
    """The call of a model that a span records; None of any other span."""
    said, reply = messages_of(span.attributes, span.row.where)
    kind = _kind(span)
    if said is None and not reply:
        said, reply = _of_events(span)
    if said is None and not reply:
        said, reply = _of_values(span, kind)
    if (said is None and not reply) or kind in _TOOLS or (kind in _AGENTS and not _agent_speaks(span)):
        return None
    model = next((str(span.attributes[name]) for name in _MODEL if span.attributes.get(name)), "")
    held = None if said is None else tuple(said)
    return Call(
        span.row.where, span.trace, span.start, span.end, held, tuple(reply), model, number, inside=inside
    )


def _agent_speaks(span: Span) -> bool:
    """Return whether a span of an agent holds a whole history, not only a question and an answer."""
    return "pydantic_ai.all_messages" in span.attributes


def messages_of(attributes: Mapping[str, object], where: Where) -> tuple[list[Message] | None, list[Message]]:
    """The messages sent and received by the attributes of a span; neither if they hold none."""
    said = _indexed(attributes, "llm.input_messages", where) or _indexed(attributes, "gen_ai.prompt", where)
    reply = _indexed(attributes, "llm.output_messages", where) or _indexed(
        attributes, "gen_ai.completion", where
    )
    if said is None:
        said = _first(attributes, _INPUT, "user", where)
    if reply is None:
        reply = _first(attributes, _OUTPUT, "assistant", where)
    system = messages_in(attributes.get("gen_ai.system_instructions"), "system")
    if said is not None and system and not any(message["role"] == "system" for message in said):
        said = [*({**message, "role": "system"} for message in system), *said]
    return said, reply or []


def _first(
    attributes: Mapping[str, object], names: Sequence[str], default: str, where: Where
) -> list[Message] | None:
    for name in names:
        value = attributes.get(name)
        if value in (None, "", "{}", "[]"):
            continue
        # A text that should be JSON and is not was cut off, and is no message.
        found = messages_in(value, None if name.endswith(".messages") else default)
        if found is None or not all(isinstance(message["role"], str) for message in found):
            expected = "messages, as [{'role', 'parts'}] or JSON of them"
            raise bad(where, name, "something else", expected, "Export the trace again.")
        return found
    return None


_PLACE: Final = re.compile(r"(\d{1,6})\.(?:message\.)?(.+)")
_CALLED: Final = re.compile(r"tool_calls\.(\d{1,4})\.(?:tool_call\.)?(?:function\.)?(id|name|arguments)")
_PART: Final = re.compile(r"contents?\.(\d{1,4})\.(?:message_content\.)?(type|text)")
_MOST: Final = 100_000


def _indexed(attributes: Mapping[str, object], prefix: str, where: Where) -> list[Message] | None:
    """Messages that are spread over attributes such as ``gen_ai.prompt.0.role``; None if there are none."""
    places: dict[int, dict[str, object]] = {}
    for name, value in attributes.items():
        if name.startswith(f"{prefix}.") and (match := _PLACE.fullmatch(name, len(prefix) + 1)):
            places.setdefault(int(match[1]), {})[match[2]] = value
    if not places:
        whole = attributes.get(prefix)
        listed = whole if isinstance(whole, list) and prefix.startswith("llm.") else None
        return _nested(listed, where, prefix) if listed else None
    told = [_spread(places[place], where, f"{prefix}.{place}") for place in sorted(places)]
    return [message for message in told if message is not None]


def _nested(values: Sequence[object], where: Where, prefix: str) -> list[Message]:
    """Messages as lists of objects, as data frames of Phoenix have them."""
    told = []
    for at, value in enumerate(values):
        flat = {name.removeprefix("message."): held for name, held in flat_attributes(value).items()}
        for name in ("tool_calls", "contents"):
            listed = flat.pop(name, None)
            for place, each in enumerate(listed if isinstance(listed, list) else []):
                flat |= {f"{name}.{place}.{inner}": held for inner, held in flat_attributes(each).items()}
        told.append(_spread(flat, where, f"{prefix}.{at}"))
    return told


def _spread(fields: Mapping[str, object], where: Where, path: str) -> Message:
    """One message of its attributes."""
    role = fields.get("role")
    if not isinstance(role, str):
        raise bad(
            where, f"{path}.role", "no role", "text ('user', 'assistant' ...)", "Export the trace again."
        )
    calls: dict[int, dict[str, object]] = {}
    parts: dict[int, dict[str, object]] = {}
    for name, value in fields.items():
        if match := _CALLED.fullmatch(name):
            calls.setdefault(int(match[1]), {})[match[2]] = value
        elif match := _PART.fullmatch(name):
            parts.setdefault(int(match[1]), {})[match[2]] = value
    content: object = fields.get("content")
    if content is None and parts:
        content = [{"type": "text", **parts[place]} for place in sorted(parts)]
    held: dict[str, object] = {"role": role, "content": content}
    for name in ("name", "tool_call_id"):
        if isinstance(fields.get(name), str):
            held[name] = fields[name]
    if calls:
        held["tool_calls"] = [calls[place] for place in sorted(calls)]
    found = messages_in(held)
    if not found:
        raise bad(where, path, "no message", "a role and a content", "Export the trace again.")
    return found[0]


def _of_events(span: Span) -> tuple[list[Message] | None, list[Message]]:
    """Messages in events of a span: one for each (``gen_ai.user.message``), or details of the whole call."""
    said: list[Message] = []
    reply: list[Message] = []
    for name, attributes in span.events:
        if "gen_ai.input.messages" in attributes or "gen_ai.output.messages" in attributes:
            return messages_of(attributes, span.row.where)
        match = re.fullmatch(r"gen_ai\.(user|system|assistant|tool)\.message", name)
        if name == "gen_ai.choice":
            held = attributes.get("message", attributes.get("content"))
            inner = {key.removeprefix("message."): value for key, value in attributes.items()}
            reply += messages_in(held, "assistant") or messages_in({"role": "assistant", **inner}) or []
        elif name == "gen_ai.content.prompt":
            said += messages_in(attributes.get("gen_ai.prompt"), "user") or []
        elif name == "gen_ai.content.completion":
            reply += messages_in(attributes.get("gen_ai.completion"), "assistant") or []
        elif match:
            inner = {**attributes, "role": match[1]}
            if isinstance(inner.get("tool_calls"), str):
                inner["tool_calls"] = parsed(str(inner["tool_calls"]))
            if match[1] == "tool" and isinstance(inner.get("id"), str):
                inner["tool_call_id"] = inner["id"]
            inner.setdefault("content", None)
            said += messages_in(inner) or []
    return (said or None), reply


_VALUES: Final = (
    ("input.value", "output.value"),
    ("input", "output"),
    ("mlflow.spanInputs", "mlflow.spanOutputs"),
    ("traceloop.entity.input", "traceloop.entity.output"),
)
_MODELS: Final = (*("llm", "chat", "chat_model"), *("text_completion", "generate_content", "completion"))


def _of_values(span: Span, kind: str) -> tuple[list[Message] | None, list[Message]]:
    """Messages in the recorded input and output of a call of a model, as whichever JSON it was."""
    if kind not in _MODELS:
        return None, []
    for sent, received in _VALUES:
        if span.attributes.get(sent) is None and span.attributes.get(received) is None:
            continue
        plain = sent == "input.value"
        said = messages_in(span.attributes.get(sent), "user" if plain else None)
        reply = messages_in(span.attributes.get(received), "assistant" if said else None) or []
        if said is not None or reply:
            return said, reply
    return None, []


def _conversations(spans: Sequence[Span]) -> dict[str, str]:
    """The conversation of each trace, where a span of it names one."""
    found: dict[str, str] = {}
    for span in spans:
        for name in _CONVERSATION:
            value = span.attributes.get(name)
            if isinstance(value, str) and value.strip() and span.trace not in found:
                found[span.trace] = value.strip('"')
        metadata = span.attributes.get("metadata")
        held = parsed(metadata) if isinstance(metadata, str) else metadata
        if isinstance(held, Mapping) and span.trace not in found:
            named = word(held, "thread_id", "conversation_id", "session_id")
            if named:
                found[span.trace] = named
    return found


_GIVERS: Final[Mapping[str, Giver]] = {"HUMAN": "person", "LLM": "judge", "CODE": "check"}
_ANNOTATED: Final = re.compile(
    r"(?:(?:trace|session)\.)?(?:annotations?|evaluations?)\.(?:(\d{1,4})\.)?(?:annotation\.)?"
)
_FIELDS: Final = ("name", "score", "label", "explanation", "identifier", "annotator_kind")


def _scores(spans: Sequence[Span], traces: Traces, systems: Mapping[str, str]) -> Iterator[Score]:
    for span in spans:
        item = traces.item(span.trace)
        system = systems.get(item, "")
        for name, attributes in span.events:
            if name == "gen_ai.evaluation.result":
                yield _evaluated(attributes, item, system)
        for held in _annotations(span):
            kind = str(held.get("annotator_kind") or "LLM").upper()
            giver = _GIVERS.get(kind, "judge")
            who = str(held.get("identifier") or "") if giver == "person" else ""
            yield Score(
                *(item, system, str(held.get("name") or "annotation"), giver, held.get("score"), who),
                comment=str(held.get("explanation") or ""),
                label=str(held["label"]) if held.get("score") is None and held.get("label") else "",
            )


def _evaluated(attributes: Mapping[str, object], item: str, system: str) -> Score:
    value = attributes.get("gen_ai.evaluation.score.value")
    label = attributes.get("gen_ai.evaluation.score.label")
    return Score(
        *(item, system, str(attributes.get("gen_ai.evaluation.name") or "evaluation"), "judge", value),
        comment=str(attributes.get("gen_ai.evaluation.explanation") or ""),
        label=str(label) if value is None and label else "",
    )


def _annotations(span: Span) -> Iterator[Mapping[str, object]]:
    """The annotations of a span, listed or spread over its fields and attributes."""
    for holder in (span.fields, span.attributes):
        for name in ("annotations", "span_annotations", "trace.annotations", "session.annotations"):
            listed = holder.get(name)
            for each in listed if isinstance(listed, list) else []:
                if isinstance(each, Mapping):
                    held = {key.rpartition(".")[2]: value for key, value in flat_attributes(each).items()}
                    yield {**held, "score": held.get("score")}
    spread: dict[str, dict[str, object]] = {}
    for name, value in {**flat_attributes(span.fields), **span.attributes}.items():
        match = _ANNOTATED.match(name)
        if match and (field := name[match.end() :]) in _FIELDS:
            spread.setdefault(f"{match[1]}{name[: match.start()]}", {})[field] = value
    yield from (held for held in spread.values() if held.get("name"))
