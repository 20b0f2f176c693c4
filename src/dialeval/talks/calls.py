"""Calls of tools in the turns of a dialogue, by name and arguments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from dialeval.data.types import Turn
from dialeval.files.foreign import JSON_ERRORS


class ToolCall(NamedTuple):
    """A call of a tool."""

    name: str
    arguments: Mapping[str, Any]


def calls_of(turn: Turn) -> Iterator[ToolCall]:
    """Yield the calls that a turn makes, as chat APIs write them; arguments that are no object are left empty."""
    extra = turn.extra or {}
    listed = extra.get("tool_calls")
    given = [*(listed if isinstance(listed, list) else ()), extra.get("function_call")]
    for each in given:
        if not isinstance(each, Mapping):
            continue
        function = each.get("function", each)
        if isinstance(function, Mapping) and isinstance(function.get("name"), str):
            yield ToolCall(str(function["name"]), _arguments(function.get("arguments")))


def _arguments(given: object) -> Mapping[str, Any]:
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except JSON_ERRORS:
            return {}
    return given if isinstance(given, Mapping) else {}


def has_arguments(call: ToolCall, wanted: Mapping[str, Any]) -> bool:
    """Return whether the call has these arguments, perhaps beside others."""
    return all(name in call.arguments and call.arguments[name] == value for name, value in wanted.items())
