"""Dialogues from recorded calls of models: what was said is the history of a thread's last call, and its reply.

A trace holds the same history once for each call, so calls are never put one after the other. Calls of one
conversation (a session, a thread) that begin with the same message of the user are one thread, and the longest thread
is the dialogue: sub-agents, graders and titles have shorter ones. Later traces of a session continue the dialogue.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple, TypeAlias

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.dialects import tell
from dialeval.data.importers.conversation import as_kind
from dialeval.data.importers.exports.messages import Message, key_of, tools_named, turns
from dialeval.data.types import Dialogue, Kind, Record
from dialeval.display.wording import count
from dialeval.errors import BadInput

KINDS: Final[tuple[Kind, ...]] = ("dialogue", "prompt", "example", "judgement")


class Call(NamedTuple):
    """A recorded call of a model."""

    where: Where
    trace: str
    start: float
    end: float
    said: tuple[Message, ...] | None
    """Messages that the model was sent; None if they were not recorded."""
    reply: tuple[Message, ...]
    model: str = ""
    number: int = 0
    """Position among the spans of its file, which decides between calls of the same time."""
    inside: bool = False
    """True if a tool made the call: a sub-agent."""


class Traces(NamedTuple):
    """Calls of models, and the conversation to which each trace belongs."""

    calls: Sequence[Call]
    conversations: Mapping[str, str]
    """The conversation of each trace that names one."""
    refused: frozenset[str] = frozenset()
    """Traces of which a span could not be read."""

    def item(self, trace: str) -> str:
        """The id of the dialogue that a trace belongs to: its conversation, or the trace."""
        return self.conversations.get(trace, trace)


class Left(Counter[str]):
    """What is no part of a dialogue, as ``span: no messages``, and how often."""

    def told(self) -> str:
        """The counts in words; empty if there are none."""
        told = [(what.partition(": "), number) for what, number in self.items() if number]
        return ", ".join(count(number, noun) + f" ({why})" * bool(why) for (noun, _, why), number in told)


class Talk(NamedTuple):
    """The messages of one conversation."""

    item: str
    messages: tuple[Message, ...]
    model: str
    where: Where


def talks(traces: Traces, left: Left) -> Iterator[Talk]:
    """The talk of each conversation, in the order in which they stand in the file."""
    grouped: dict[str, dict[str, list[Call]]] = {}
    for call in traces.calls:
        if call.trace not in traces.refused:
            grouped.setdefault(traces.item(call.trace), {}).setdefault(call.trace, []).append(call)
    for item, by_trace in grouped.items():
        parts = [_thread(calls, left) for calls in by_trace.values()]
        parts = [part for part in parts if part]
        if not parts:
            left["conversation: no messages"] += 1
            continue
        parts.sort(key=lambda part: (part[-1].start, part[-1].number))
        told: tuple[Message, ...] = ()
        for part in parts:
            told = _continued(told, _messages(part))
        last = parts[-1][-1]
        model = next((call.model for part in parts[::-1] for call in part[::-1] if call.model), "")
        yield Talk(item, told, model, last.where)


def _thread(calls: Sequence[Call], left: Left) -> list[Call]:
    """The calls of the longest thread of one trace in their order; of two as long, the later one."""
    ordered = sorted(calls, key=lambda call: (call.start, call.number))
    known = [call for call in ordered if call.said is not None or call.reply]
    outer = [call for call in known if not call.inside] or known
    threads: dict[tuple[str, str], list[Call]] = {}
    latest: list[Call] | None = None
    for call in outer:
        if call.said is None and latest is not None:  # without a history of its own it goes on
            latest.append(call)
            continue
        latest = threads.setdefault(_opening(call.said or ()), [])
        latest.append(call)
    longest = max(threads.values(), key=lambda part: (len(_messages(part)), part[-1].start), default=[])
    left["model call: other threads, as of sub-agents"] += len(known) - len(longest)
    left["model call: no messages"] += len(calls) - len(known)
    return longest


def _opening(messages: Sequence[Message]) -> tuple[str, str]:
    """The first message of the user, by which threads are told apart."""
    first = next((message for message in messages if message["role"] == "user"), None)
    return key_of(first or (messages[0] if messages else {}))


def _messages(thread: Sequence[Call]) -> tuple[Message, ...]:
    """The history and the reply of the last call that has a history, then the replies of those that have none."""
    place = max((at for at, call in enumerate(thread) if call.said is not None), default=-1)
    start = thread[place] if place >= 0 else None
    told = [*(start.said or ()), *start.reply] if start else []
    for call in thread[place + 1 :]:
        told += call.reply
    return tuple(_whole(told, [message for call in thread for message in call.reply]))


def _whole(messages: Sequence[Message], replies: Sequence[Message]) -> Iterator[Message]:
    """The messages, with the calls of tools that a later history leaves out of an earlier reply.

    A message under the name of a tool, as LangGraph has them, is the result of that tool.
    """
    calling = {key_of(reply): reply["tool_calls"] for reply in replies if reply.get("tool_calls")}
    silent = [reply["tool_calls"] for reply in replies if reply.get("tool_calls") and not key_of(reply)[1]]
    tools = tools_named([*messages, *replies])
    for message in messages:
        key, role = key_of(message), str(message["role"])
        if role == "assistant" and message.get("tool_calls") and not key[1] and silent:
            silent.pop(0)
        elif role == "assistant" and not message.get("tool_calls"):
            calls = calling.get(key) if key[1] else (silent.pop(0) if silent else None)
            message = {**message, "tool_calls": calls} if calls else message
        elif role in tools:
            message = {**message, "role": "tool", "name": role}
        yield message


def _continued(told: tuple[Message, ...], more: tuple[Message, ...]) -> tuple[Message, ...]:
    """A dialogue with what a later trace adds; a trace that repeats the history replaces it."""
    spoken = [key_of(message) for message in told if message["role"] != "system"]
    again = [key_of(message) for message in more if message["role"] != "system"]
    if not spoken or again[: len(spoken)] == spoken:
        return more
    if len(again) > 1 and again[0] == spoken[0] and len(again) >= len(spoken):
        return more
    known = {key_of(message) for message in told if message["role"] == "system"}
    return (
        *told,
        *(message for message in more if message["role"] != "system" or key_of(message) not in known),
    )


Judging: TypeAlias = Callable[[Mapping[str, str]], Iterable[Record]]
"""The judgements of an export, by the system of each dialogue."""


def trace_records(
    traces: Traces, kind: Kind, on_bad: OnBad, path: str, *, name: str, left: Left, judging: Judging
) -> Iterator[Record]:
    """A record of the kind for each dialogue of these traces, or the judgements of them."""
    found = list(talks(traces, left))
    told = f"; left out: {words}" if (words := left.told()) else ""
    if found:
        tell(
            path,
            f"read as {name}: {count(len(found), 'dialogue')} of {count(len(traces.calls), 'model call')}{told}",
        )
    if kind == "judgement":
        yield from judging({talk.item: talk.model for talk in found})
        return
    for talk in found:
        try:
            said = turns(talk.messages, talk.where, "messages")
            yield from as_kind(Dialogue(talk.item, said, talk.model), kind, talk.where)
        except BadInput as error:
            on_bad(BadLine(error, talk.item))


def seconds(value: object) -> float:
    """A time of any tool in seconds; 0 if there is none. Numbers may be seconds, or thousandths down to nanoseconds."""
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            return _stamp(value)
    elif isinstance(value, datetime):
        return _stamp(value.isoformat())
    elif isinstance(value, int | float) and not isinstance(value, bool):
        number = float(value)
    else:
        return 0.0
    if not math.isfinite(number):
        return 0.0
    for limit, unit in ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3)):
        if number >= limit:
            return number / unit
    return number


def _stamp(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return 0.0
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (OverflowError, ValueError, OSError):
        return 0.0
