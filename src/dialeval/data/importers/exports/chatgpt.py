"""ChatGPT's ``conversations.json``: a tree of messages, of which the path to ``current_node`` is the dialogue.

Code that the model writes for its tools is a call of the tool; hidden and empty messages and branches that were left
are counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dialeval.data.codec.bad import OnBad, Where
from dialeval.data.codec.dialects import tell
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source, shown
from dialeval.data.importers.conversation import KINDS as CONVERSATION, as_kind
from dialeval.data.importers.exports.calls import Left
from dialeval.data.importers.exports.documents import bad, entry, rows, table, word
from dialeval.data.importers.exports.messages import Message, turns
from dialeval.data.types import Dialogue, Kind, Record

KINDS: Final = CONVERSATION
_TODO: Final = "Export your data from ChatGPT again."
_HIDDEN: Final = ("is_visually_hidden_from_conversation",)
_ASIDE: Final = ("thoughts", "reasoning_recap", "user_editable_context", "model_editable_context")
"""Kinds of content that nobody said."""


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """A record for each conversation."""
    left = Left()

    def parse(row: Row) -> Sequence[Record]:
        if not isinstance(row.fields, Mapping):
            raise bad(row.where, "", "no object", "a conversation with 'mapping'", _TODO)
        return as_kind(_dialogue(row.fields, row, left), kind, row.where)

    yield from records(rows(source, on_bad), parse, on_bad)
    if told := left.told():
        tell(shown(source), f"read as chatgpt; left out: {told}")


def _dialogue(fields: Mapping[str, object], row: Row, left: Left) -> Dialogue:
    where = row.where
    mapping = table(fields, "mapping", where)
    path = list(_path(mapping, word(fields, "current_node"), where))
    spoken = sum(isinstance(node, Mapping) and node.get("message") is not None for node in mapping.values())
    messages = []
    for name, node in path:
        message = node.get("message")
        if message is None:
            continue
        spoken -= 1
        found = _message(entry(message, where, f"mapping.{name}.message"), left, where, name)
        if found is not None:
            messages.append(found)
    left["message: on branches that were left"] += spoken
    item = word(fields, "conversation_id", "id") or str(row.number)
    model = next((str(message["model"]) for message in messages[::-1] if message.get("model")), "")
    plain = [{key: value for key, value in message.items() if key != "model"} for message in messages]
    title = fields.get("title")
    metadata = {"title": title} if isinstance(title, str) and title else {}
    said = turns(plain, where, "mapping")
    return Dialogue(item, said, model or word(fields, "default_model_slug"), metadata)


def _path(
    mapping: Mapping[str, object], node: str, where: Where
) -> Sequence[tuple[str, Mapping[str, object]]]:
    """The nodes from the root to the one that is shown, which is the last leaf if the export names none."""
    if not node:
        leaves = [
            name for name, held in mapping.items() if isinstance(held, Mapping) and not held.get("children")
        ]
        node = leaves[-1] if leaves else ""
    path: list[tuple[str, Mapping[str, object]]] = []
    seen: set[str] = set()
    while node:
        if node in seen or node not in mapping:
            found = "a circle" if node in seen else f"no node {node!r}"
            raise bad(where, "current_node", found, "a path to the first message", _TODO)
        seen.add(node)
        held = entry(mapping[node], where, f"mapping.{node}")
        path.append((node, held))
        parent = held.get("parent")
        node = parent if isinstance(parent, str) else ""
    return path[::-1]


def _message(message: Mapping[str, object], left: Left, where: Where, name: str) -> Message | None:
    """A chat message; None of what was hidden or empty."""
    author = table(message, "author", where, f"mapping.{name}.message")
    content = table(message, "content", where, f"mapping.{name}.message")
    metadata = table(message, "metadata", where, f"mapping.{name}.message")
    role = word(author, "role")
    if not role:
        raise bad(where, f"mapping.{name}.message.author.role", "no role", "text", _TODO)
    if content.get("content_type") in _ASIDE:
        left["message: thoughts"] += 1
        return None
    if any(metadata.get(flag) for flag in _HIDDEN) and role == "system":
        left["message: hidden"] += 1
        return None
    parts = content.get("parts")
    said: object = content.get("text", content.get("result"))
    if isinstance(parts, list):
        said = [_part(part) for part in parts if part not in ("", None)]
        texts = [part["text"] for part in said if part["type"] == "text"]
        said = "\n".join(map(str, texts)) if len(texts) == len(said) else said
    recipient = message.get("recipient")
    if not said and not (isinstance(recipient, str) and recipient != "all"):
        left["message: empty"] += 1
        return None
    model = word(metadata, "model_slug")
    told: Message = {
        "role": role,
        "content": said,
        **({"model": model} if model and role == "assistant" else {}),
    }
    if role == "tool" and word(author, "name"):
        told["name"] = word(author, "name")
    if role == "assistant" and isinstance(recipient, str) and recipient not in ("all", ""):
        arguments = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        call = {"type": "function", "function": {"name": recipient, "arguments": arguments}}
        return {**told, "content": None, "tool_calls": [call]}
    return told


def _part(part: object) -> dict[str, object]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    held = part if isinstance(part, Mapping) else {}
    kind = word(held, "content_type") or "part"
    if kind == "audio_transcription" and isinstance(held.get("text"), str):
        return {"type": "text", "text": held["text"]}
    return {"type": kind, kind: dict(held)}
