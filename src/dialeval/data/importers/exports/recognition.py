"""The export that a file or folder is, by its first object; None of any other file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from dialeval.data.codec.sources import Source
from dialeval.data.importers.exports.documents import first_value, head_of

Fields: TypeAlias = Mapping[str, object]


def export_of(source: Source) -> str | None:
    """The format of a file by its first object."""
    if str(source).lower().endswith(".eval"):
        return "inspect"
    value = first_value(head_of(source))
    if isinstance(value, list):
        first = value[0] if value else None
        if isinstance(first, Mapping) and _is_message(first) and not _is_row(first):
            return "messages"
        if isinstance(first, Mapping) and _is_slack(first):
            return "slack"
        value = first
    if not isinstance(value, Mapping):
        return None
    return next((name for name, fits in _SIGNS.items() if fits(value)), None)


TABLES: Final = ("otel", "langfuse", "langsmith")
"""Exports that also come as tables: Parquet of Phoenix and LangSmith, CSV and Parquet of Langfuse."""


def table_export(fields: object) -> str | None:
    """The format of a table by its first row."""
    if not isinstance(fields, Mapping):
        return None
    held = {name: value for name, value in fields.items() if isinstance(name, str)}
    return next((name for name in TABLES if _SIGNS[name](held)), None)


def folder_export(folder: Path) -> str | None:
    """The format of a folder by the files and folders in it."""
    names = {path.name.partition(".")[0] for path in folder.iterdir()}
    if {"channels", "users"} <= names or {"dms", "users"} <= names:
        return "slack"
    if names & {"observations", "observations_v2", "scores"} and not names & {"results", "run"}:
        return "langfuse"
    return None


def _is_message(fields: Fields) -> bool:
    return isinstance(fields.get("role"), str) and ("content" in fields or "tool_calls" in fields)


def _is_row(fields: Fields) -> bool:
    """Return whether a message names its conversation, so that it is one of a table's rows."""
    from dialeval.data.importers.message_rows import message_columns

    return message_columns(fields) is not None


def _is_span(fields: Fields) -> bool:
    context = fields.get("context")
    traced = any(name in fields for name in ("trace_id", "traceId", "context.trace_id")) or (
        isinstance(context, Mapping) and "trace_id" in context
    )
    described = "attributes" in fields or any(name.startswith("attributes.") for name in fields)
    return traced and described


def _is_otel(fields: Fields) -> bool:
    if isinstance(fields.get("resourceSpans"), list) or _is_span(fields):
        return True
    spans = fields.get("spans")
    if isinstance(spans, list) and spans and isinstance(spans[0], Mapping) and _is_span(spans[0]):
        return True
    return any(name.startswith(("gen_ai.", "llm.input_messages", "openinference.")) for name in fields)


_OBSERVED: Final = (
    *(
        "GENERATION",
        "SPAN",
        "EVENT",
        "AGENT",
        "TOOL",
        "CHAIN",
        "RETRIEVER",
        "EVALUATOR",
        "EMBEDDING",
        "GUARDRAIL",
    ),
)


def _is_langfuse(fields: Fields) -> bool:
    trace, data = fields.get("trace"), fields.get("data")
    if isinstance(trace, Mapping) and ("observations" in fields or "observations" in trace):
        return True
    if isinstance(fields.get("traces"), list) and ("observations" in fields or "projectId" in fields):
        return True
    if isinstance(data, list) and data and isinstance(data[0], Mapping) and "data" not in data[0]:
        return _is_langfuse(data[0])
    if fields.get("source") in ("API", "ANNOTATION", "EVAL") and "name" in fields:
        return True
    traced = "traceId" in fields or "trace_id" in fields
    if traced and fields.get("type") in _OBSERVED:
        return True
    listed = isinstance(fields.get("observations"), list)
    return "id" in fields and (listed or {"projectId", "sessionId"} <= fields.keys())


def _is_langsmith(fields: Fields) -> bool:
    runs = fields.get("runs")
    if isinstance(runs, list) and runs and isinstance(runs[0], Mapping):
        return "run_type" in runs[0]
    if isinstance(fields.get("post"), list) or isinstance(fields.get("patch"), list):
        return True
    if "run_type" in fields and ("inputs" in fields or "trace_id" in fields):
        return True
    return "feedback_source" in fields and "run_id" in fields


def _is_mlflow(fields: Fields) -> bool:
    traces = fields.get("traces")
    if isinstance(traces, list) and traces and isinstance(traces[0], Mapping):
        fields = traces[0]
    info = fields.get("info")
    return isinstance(info, Mapping) and "data" in fields and ("trace_id" in info or "request_id" in info)


def _is_promptfoo(fields: Fields) -> bool:
    results = fields.get("results")
    if isinstance(results, Mapping):
        return "config" in fields and ("results" in results or "version" in results)
    if not isinstance(results, list):
        return False
    first = results[0] if results else {}
    return isinstance(first, Mapping) and "prompt" in first and ("vars" in first or "testCase" in first)


def _is_lm_eval(fields: Fields) -> bool:
    if "doc_id" in fields:
        return "resps" in fields or "filtered_resps" in fields
    return isinstance(fields.get("results"), Mapping) and "configs" in fields and "group_subtasks" in fields


def _is_inspect(fields: Fields) -> bool:
    held = fields.get("eval")
    return isinstance(held, Mapping) and "task" in held and "status" in fields


def _is_deepeval(fields: Fields) -> bool:
    if "testCases" in fields and ("metricsScores" in fields or "conversationalTestCases" in fields):
        return True
    return "agentSpans" in fields and "llmSpans" in fields


def _is_adk(fields: Fields) -> bool:
    events = fields.get("events")
    if isinstance(events, list) and events and isinstance(events[0], Mapping):
        return "author" in events[0] and ("appName" in fields or "app_name" in fields)
    return isinstance(fields.get("eval_cases"), list) or "eval_set_id" in fields


def _is_rasa(fields: Fields) -> bool:
    events = fields.get("events")
    return "sender_id" in fields and isinstance(events, list) and "latest_message" in fields


def _first_message(fields: Fields) -> Fields:
    listed = fields.get("messages")
    first = listed[0] if isinstance(listed, list) and listed else None
    return first if isinstance(first, Mapping) else {}


def _is_discord(fields: Fields) -> bool:
    return isinstance(fields.get("channel"), Mapping) and "author" in _first_message(fields)


def _is_telegram(fields: Fields) -> bool:
    chats = fields.get("chats")
    if isinstance(chats, Mapping) and isinstance(chats.get("list"), list):
        return True
    first = _first_message(fields)
    return "name" in fields and {"date", "type"} <= first.keys() and ("from" in first or "actor" in first)


def _is_instagram(fields: Fields) -> bool:
    return "participants" in fields and "sender_name" in _first_message(fields)


def _is_slack(fields: Fields) -> bool:
    return fields.get("type") == "message" and "ts" in fields and "role" not in fields


def _is_feedback(fields: Fields) -> bool:
    listed = fields.get("feedback")
    first = listed[0] if isinstance(listed, list) and listed else None
    return isinstance(first, Mapping) and {"conversation_id", "verdict"} <= first.keys()


def _is_chatgpt(fields: Fields) -> bool:
    return isinstance(fields.get("mapping"), Mapping) and ("current_node" in fields or "title" in fields)


_SIGNS: Final[Mapping[str, Callable[[Fields], bool]]] = {
    "mlflow": _is_mlflow,
    "otel": _is_otel,
    "langsmith": _is_langsmith,
    "langfuse": _is_langfuse,
    "chatgpt": _is_chatgpt,
    "inspect": _is_inspect,
    "promptfoo": _is_promptfoo,
    "deepeval": _is_deepeval,
    "lm-eval": _is_lm_eval,
    "adk": _is_adk,
    "rasa": _is_rasa,
    "discord": _is_discord,
    "telegram": _is_telegram,
    "instagram": _is_instagram,
    "feedback": _is_feedback,
}
