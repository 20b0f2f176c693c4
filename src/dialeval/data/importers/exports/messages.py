"""Messages of model calls as chat messages, in whichever shape a tool records them.

OpenAI's chat and responses, parts of OpenTelemetry, Anthropic's blocks, Gemini's contents and LangChain's objects, also
as JSON inside a text. What is no message gives None, so that callers can look elsewhere.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from dialeval.data.codec.bad import Where
from dialeval.data.codec.parts import turns as turns_of_messages
from dialeval.data.types import Turn
from dialeval.files.foreign import JSON_ERRORS

Message: TypeAlias = dict[str, object]
"""A chat message: ``role``, ``content``, perhaps ``tool_calls``, ``tool_call_id`` and ``name``."""

DEPTH: Final = 16
"""Levels of lists, objects and JSON in texts around messages; what lies deeper is no message."""
_ROLES: Final[Mapping[str, str]] = {
    "human": "user",
    "humanmessage": "user",
    "ai": "assistant",
    "aimessage": "assistant",
    "aimessagechunk": "assistant",
    "model": "assistant",
    "systemmessage": "system",
    "developer": "system",
    "toolmessage": "tool",
    "tool-response": "tool",
    "tool_response": "tool",
    "tool-call": "assistant",
    "tool_call": "assistant",
    "functionmessage": "function",
    **{role: role for role in ("user", "assistant", "system", "tool", "function")},
}
_TEXTS: Final = ("text", "input_text", "output_text", "refusal")
_THOUGHTS: Final = ("reasoning", "thinking", "redacted_thinking", "thought")
_CALLS: Final = ("tool_call", "tool_use", "function_call", "server_tool_use", "server_tool_call")
_RESULTS: Final = ("tool_call_response", "tool_result", "function_call_output", "server_tool_call_response")
_ASIDE: Final = ("tool input",)
"""Roles of what is no message: definitions of tools that DeepEval lists among them."""


def messages_in(value: object, default: str | None = None, *, depth: int = 0) -> list[Message] | None:
    """The messages that a recorded input or output holds; None if it holds none.

    A text that is no JSON is a message of the ``default`` role, if one is given.
    """
    if depth > DEPTH or value is None:
        return None
    if isinstance(value, str):
        inner = parsed(value)
        if inner is not None:
            found = messages_in(inner, default, depth=depth + 1)
            if found is not None:
                return found
        return [{"role": default, "content": value}] if default and value.strip() else None
    if isinstance(value, list):
        return _listed(value, default, depth)
    return _held(value, default, depth) if isinstance(value, dict) else None


def parsed(text: str) -> object:
    """The object, list or text that a text holds as JSON; None of any other text."""
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return None
    try:
        value = json.loads(text)
        if "\\u" in text:  # half a character, which no file can keep
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except JSON_ERRORS:
        return None
    return value


def _listed(values: Sequence[object], default: str | None, depth: int) -> list[Message] | None:
    if default and values and all(_is_part(value) for value in values):
        return _from_parts(default, values, {})
    told: list[Message] = []
    for value in values:
        found = messages_in(value, default, depth=depth + 1) if isinstance(value, dict | list) else None
        if found is None and isinstance(value, str):
            found = _printed(value)
        if found is None:
            return None
        told += found
    return told if values else None


_PRINTED: Final = re.compile(r"role='(\w+)' content=(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|None)")


def _printed(text: str) -> list[Message] | None:
    """A message that Python printed, as agno records it; its calls of tools are printed too, and left out."""
    match = _PRINTED.match(text)
    if match is None or match[1] not in _ROLES:
        return None
    said = match[2] if match[2] is not None else match[3]
    content = None if said is None else re.sub(r"\\(.)", lambda one: _ESCAPES.get(one[1], one[1]), said)
    result = re.search(r"tool_call_id='([^']*)'", text[match.end() :])
    message: Message = {"role": _ROLES[match[1]], "content": content}
    return [message | ({"tool_call_id": result[1]} if result else {})]


_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r"}


def _is_part(value: object) -> bool:
    return (
        isinstance(value, dict)
        and "role" not in value
        and (value.get("type") in (*_TEXTS, *_CALLS, *_THOUGHTS, *_RESULTS) or set(value) == {"text"})
    )


def _held(value: Mapping[str, object], default: str | None, depth: int) -> list[Message] | None:
    """Messages of one object: a message itself, or what a request or a reply wraps around them."""
    own = _message(value)
    if own is not None:
        return own
    for wrap in _WRAPS:
        if wrap in value and value[wrap] is not None:
            found = messages_in(value[wrap], default, depth=depth + 1)
            if found is not None:
                return [*_instructions(value, found), *found]
    if isinstance(value.get("text"), str) and default:
        return [{"role": default, "content": value["text"]}]
    return None


_WRAPS: Final = (
    *("messages", "message", "kwargs", "generations", "choices", "contents", "candidates", "content"),
    *("output", "input", "new_message", "update", "data", "prompt"),
)
"""Keys of requests and replies under which messages stand, the most telling first."""


def _instructions(value: Mapping[str, object], found: Sequence[Message]) -> list[Message]:
    """The instruction that a request holds beside its messages."""
    config = value.get("config")
    given = (
        value.get("system"),
        value.get("instructions") if "input" in value else None,
        config.get("system_instruction") if isinstance(config, dict) else None,
        value.get("system_instruction"),
    )
    text = next((text for text in map(text_of, given) if text), "")
    if not text or any(message["role"] == "system" for message in found):
        return []
    return [{"role": "system", "content": text}]


def text_of(value: object) -> str:
    """The text of a content of any shape, such as a list of parts; empty if there is none."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(text for text in map(text_of, value) if text)
    if isinstance(value, dict):
        return next(
            (text_of(value[key]) for key in ("text", "content", "parts") if value.get(key) is not None), ""
        )
    return ""


def _message(value: Mapping[str, object]) -> list[Message] | None:
    """The message that an object is: one, or several where results of tools stand inside it; else None."""
    kind = value.get("type")
    if "name" in value and (kind == "function_call" or {"call_id", "arguments"} <= value.keys()):
        return [{"role": "assistant", "content": None, "tool_calls": [_call(value)]}]
    answers = value.get("role") in ("tool", "function") and "content" not in value and "output" in value
    if kind == "function_call_output" or answers:
        return [_result(value)]
    if kind == "reasoning" and "role" not in value:
        return []
    kwargs, kinds = value.get("kwargs"), value.get("id")
    if "lc" in value and isinstance(kwargs, dict) and isinstance(kinds, list):
        return _of_role(str(kinds[-1]) if kinds else "", kwargs)
    role = value.get("role")
    if isinstance(role, str) and ({"content", "parts", "contents", *_CARRIED} & value.keys()):
        return [] if role.lower() in _ASIDE else _of_role(role, value)
    if isinstance(kind, str) and kind.lower() in _ROLES and "content" in value:
        return _of_role(kind, value)
    return None


_CARRIED: Final = ("tool_calls", "function_call", "refusal", "audio")


def _of_role(name: str, value: Mapping[str, object]) -> list[Message] | None:
    role = _ROLES.get(name.lower(), name)
    if not role:
        return None
    beside: Message = {}
    own = value.get("name") if role != "system" else None
    own = own or (value.get("function") if role == "tool" else None)
    if isinstance(own, str) and own:
        beside["name"] = own
    if isinstance(call := value.get("tool_call_id"), str) and call:
        beside["tool_call_id"] = call
    calls = value.get("tool_calls")
    kwargs = value.get("additional_kwargs")
    if not calls and isinstance(kwargs, dict):
        calls = kwargs.get("tool_calls")
    if isinstance(calls, list) and calls:
        beside["tool_calls"] = [_call(call) for call in calls if isinstance(call, dict)]
    for key in ("function_call", "refusal", "audio"):
        if value.get(key):
            beside[key] = value[key]
    content = next(
        (value[key] for key in ("parts", "contents", "content") if value.get(key) is not None), None
    )
    if isinstance(content, list):
        return _from_parts(role, content, beside)
    if content is None or isinstance(content, str):
        return [{"role": role, "content": content, **beside}]
    return [{"role": role, "content": text_of(content) or json.dumps(content, ensure_ascii=False), **beside}]


def _from_parts(role: str, parts: Iterable[object], beside: Message) -> list[Message]:
    """Messages of a list of parts: texts joined, calls beside them, results of tools as messages of their own."""
    kept: list[object] = []
    calls: list[object] = list(beside.get("tool_calls") or [])  # type: ignore[call-overload]
    results: list[Message] = []
    for part in parts:
        if isinstance(part, str):
            kept.append({"type": "text", "text": part})
            continue
        if not isinstance(part, dict):
            continue
        kind = part.get("type")
        gemini_call = part.get("function_call") or part.get("functionCall")
        gemini_result = part.get("function_response") or part.get("functionResponse")
        if isinstance(gemini_call, dict) and kind is None:
            calls.append(_call(gemini_call))
        elif isinstance(gemini_result, dict) and kind is None:
            results.append(_result(gemini_result))
        elif kind in _CALLS:
            calls.append(_call(part))
        elif kind in _RESULTS:
            results.append(_result(part))
        elif kind in _THOUGHTS or part.get("thought"):
            continue
        elif kind in _TEXTS or (kind is None and isinstance(part.get("text"), str)):
            said = (
                part.get("text") if part.get("text") is not None else part.get("content", part.get("refusal"))
            )
            kept.append({"type": "text", "text": text_of(said)})
        else:
            kept.append({**part, "type": kind if isinstance(kind, str) else "part"})
    beside = {key: value for key, value in beside.items() if key != "tool_calls"}
    if calls:
        beside["tool_calls"] = calls
    if results and not kept and not calls:
        return results
    texts = [part["text"] for part in kept if isinstance(part, dict) and part.get("type") == "text"]
    plain = len(texts) == len(kept)
    content: object = "\n".join(map(str, texts)) if plain and kept else (kept or None)
    return [*results, {"role": role, "content": content, **beside}]


def _call(value: Mapping[str, object]) -> Message:
    """A call of a tool as chat messages have it; its arguments are JSON in a text."""
    function = value.get("function")
    inner = function if isinstance(function, dict) else value
    name = function if isinstance(function, str) else inner.get("name")
    given = next(
        (inner[key] for key in ("arguments", "args", "input", "parameters") if inner.get(key) is not None), {}
    )
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    called = value.get("call_id") or value.get("id") or value.get("tool_call_id")
    told: Message = {"id": called} if isinstance(called, str) and called else {}
    return {**told, "type": "function", "function": {"name": str(name or "tool"), "arguments": arguments}}


def _result(value: Mapping[str, object]) -> Message:
    """The result of a tool as a message of its own."""
    given = next(
        (value[key] for key in ("response", "result", "output", "content") if value.get(key) is not None), ""
    )
    content = (
        given if isinstance(given, str) else (_text_parts(given) or json.dumps(given, ensure_ascii=False))
    )
    called = value.get("call_id") or value.get("tool_use_id") or value.get("tool_call_id") or value.get("id")
    named = value.get("name")
    return {
        "role": "tool",
        "content": content,
        **({"tool_call_id": called} if isinstance(called, str) and called else {}),
        **({"name": named} if isinstance(named, str) and named else {}),
    }


def _text_parts(value: object) -> str:
    """The text of a list of text parts; empty of anything else, which is data."""
    if not isinstance(value, list) or not value:
        return ""
    if not all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in value):
        return ""
    return "\n".join(part["text"] for part in value)


def turns(messages: Sequence[Message], where: Where, field: str) -> tuple[Turn, ...]:
    """The turns of chat messages; what no reader of chats takes is refused with its place."""
    return turns_of_messages([dict(message) for message in messages], where, field)


def key_of(message: Message) -> tuple[str, str]:
    """Role and text, by which one message is found again in a later history."""
    content = message.get("content")
    return str(message.get("role")), text_of(content).strip()


def tools_named(messages: Iterable[Message]) -> Counter[str]:
    """Return how often each tool is called."""
    named: Counter[str] = Counter()
    for message in messages:
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            function = call.get("function") if isinstance(call, dict) else None
            named[str(function.get("name")) if isinstance(function, dict) else "tool"] += 1
    return named
