"""OpenAI chat messages, as in fine-tuning files and request logs: one ``{"messages": [...]}`` a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dialeval.data.codec.bad import OnBad, Where
from dialeval.data.codec.fields import missing, optional_text, text, wrong
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source
from dialeval.data.importers.conversation import KINDS, read_conversations
from dialeval.data.importers.ids import item_of
from dialeval.data.types import Dialogue, Kind, Record, Turn

__all__ = ["KINDS", "read"]


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """One record per conversation; lines without an ``id`` are numbered.

    Content may be text, null (a turn that only calls tools: kept, with empty text) or a list of parts, of which the
    text parts are joined and others leave their type in brackets, as in ``[image_url]``.
    """
    return read_conversations(source, kind, on_bad, _dialogue)


def _dialogue(row: Row) -> Dialogue:
    fields, where = row.fields, row.where
    if isinstance(fields, list):  # a bare list of messages
        return Dialogue(str(row.number), _turns(fields, where), metadata={})
    if not isinstance(fields, Mapping):
        raise wrong(where, "", fields, "an object with 'messages'", "Write one conversation a line.")
    if "messages" not in fields:
        raise missing(fields, "messages", where, "", "a list of messages")
    return Dialogue(item_of(fields, row), _turns(fields["messages"], where), _system(fields), {})


def _system(fields: Mapping[str, object]) -> str:
    named = [fields.get(name) for name in ("system", "model")]
    return next((name for name in named if isinstance(name, str)), "")


def _turns(messages: object, where: Where) -> tuple[Turn, ...]:
    if not isinstance(messages, list):
        raise wrong(
            where, "messages", messages, "a list of messages", 'Write [{"role": "user", "content": "..."}].'
        )
    return tuple(_turn(message, where, f"messages[{index}]") for index, message in enumerate(messages))


def _turn(message: object, where: Where, field: str) -> Turn:
    if not isinstance(message, Mapping):
        raise wrong(where, field, message, "a message", 'Write {"role": "user", "content": "..."}.')
    role = text(message, "role", where, field)
    return Turn(role, _content(message, where, field), optional_text(message, "name", where, field))


def _content(message: Mapping[str, object], where: Where, field: str) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(
            _part(part, where, f"{field}.content[{index}]") for index, part in enumerate(content)
        )
    if content is None and ("content" in message or "tool_calls" in message or "function_call" in message):
        return ""
    return text(message, "content", where, field, "text, null or a list of parts")


def _part(part: object, where: Where, field: str) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        raise wrong(where, field, part, "a content part", 'Write {"type": "text", "text": "..."}.')
    if isinstance(said := part.get("text", part.get("refusal")), str):
        return said
    return f"[{text(part, 'type', where, field)}]"
