"""Decoder of the parts that records share: ids, turns, contexts, references and responses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from dialeval.data.codec.bad import Where
from dialeval.data.codec.fields import missing, name, number, optional_text, text, wrong
from dialeval.data.types import ACT_TURN, EXTRA, Context, Response, Turn, alternating
from dialeval.files.foreign import JSON_ERRORS

NO_RESPONSE: Final = "no response (null)"
"""Why an example whose response is null has no value."""


def turns(value: object, where: Where, field: str) -> Context:
    """Turns from a list of messages."""
    if type(value) is not list:
        raise wrong(where, field, value, "a list of messages", 'Write [{"role": "user", "content": "..."}].')
    out = []
    for index, message in enumerate(value):
        # Nearly every message has just these two; the rest take the way that explains.
        if (
            type(message) is dict
            and len(message) == 2
            and type(role := message.get("role")) is str
            and type(content := message.get("content")) is str
        ):
            out.append(Turn(role, content))
        else:
            out.append(_turn(message, where, f"{field}[{index}]"))
    return tuple(out)


def _turn(value: object, where: Where, field: str) -> Turn:
    if type(value) is not dict:
        raise wrong(where, field, value, "a message", 'Write {"role": "user", "content": "..."}.')
    if type(packed := value.get("extra")) is str:
        value = {**value, **_unpacked(packed)}
    role = text(value, "role", where, field, "text ('user', 'assistant', 'system' ...)")
    name = optional_text(value, "name", where, field)
    extra = {key: value[key] for key in EXTRA[1:] if value.get(key) is not None}
    content = value.get("content")
    if type(content) is str:
        return Turn(role, content, name, extra or None)
    if type(content) is list:
        said = [_part(part, where, f"{field}.content[{index}]") for index, part in enumerate(content)]
        return Turn(role, "\n".join(said), name, {"content": content, **extra})
    if content is None and ("content" in value or extra):  # a turn that only calls tools, or refuses
        refusal = extra.get("refusal")
        return Turn(role, refusal if type(refusal) is str else "", name, {"content": None, **extra})
    expected = "text (what was said), or a list of parts"
    return Turn(role, text(value, "content", where, field, expected), name)


def _unpacked(extra: str) -> dict[str, object]:
    """What a message has beside role and content, as Parquet holds it; nothing of a text that somebody calls so."""
    try:
        fields = json.loads(extra)
    except JSON_ERRORS:
        return {}
    return fields if type(fields) is dict else {}


def _part(part: object, where: Where, field: str) -> str:
    """A part of a message's content as text; of another kind, its type in brackets."""
    if type(part) is str:
        return part
    if type(part) is not dict:
        raise wrong(where, field, part, "a content part", 'Write {"type": "text", "text": "..."}.')
    if type(said := part.get("text") or part.get("refusal")) is str:
        return said
    return f"[{text(part, 'type', where, field)}]"


def item_named(m: Mapping[str, object], where: Where, field: str = "id") -> str:
    """The id of a record's item."""
    value = m.get(field)
    if type(value) is int:
        # Plain counters are common in the wild, and no one means another item by 7 than by "7".
        return str(value)
    return name(m, field, where, "", "text (the item's id)")


def system_named(m: Mapping[str, object], where: Where) -> str:
    """The name of a record's system."""
    return name(m, "system", where, "", "text (the system's name)")


def messages_of(m: Mapping[str, object], where: Where) -> Context:
    """The turns of a dialogue."""
    if "messages" not in m:
        raise missing(m, "messages", where, "", "a list of messages")
    return turns(m["messages"], where, "messages")


def context_of(m: Mapping[str, object], where: Where) -> Context:
    """The turns before a response; of texts without roles, as in tables, the last is the user's."""
    if "context" not in m:
        raise missing(m, "context", where, "", "a list of messages")
    value = m["context"]
    if type(value) is str and value.strip():
        return alternating(value.replace("\r\n", "\n").split("\n"))
    if type(value) is list and value and all(type(said) is str for said in value):
        return alternating(value)
    return turns(value, where, "context")


def context_or_act(m: Mapping[str, object], where: Where) -> Context:
    """The context, with the act that a response puts into words as its last turn, so that any system can answer."""
    act, context = m.get("act"), m.get("context")
    label = type(act) not in (str, dict) and not _of_acts(act)
    # Corpora label their turns by numbers called act, too.
    if act is None or (label and context):
        return context_of(m, where)
    return (*(context_of(m, where) if context else ()), _act_turn(act, where))


def _of_acts(value: object) -> bool:
    return type(value) is list and bool(value) and all(type(part) is dict for part in value)


def _act_turn(act: object, where: Where) -> Turn:
    if type(act) is str and act.strip():
        return Turn("user", act, ACT_TURN)
    if type(act) is dict or _of_acts(act):
        return Turn("user", json.dumps(act, ensure_ascii=False), ACT_TURN)
    shape = """"inform(name='x')" or {"act": "inform", "slots": {"name": "x"}}"""
    raise wrong(where, "act", act, "a dialogue act", f"Write {shape}.")


def references_of(m: Mapping[str, object], where: Where) -> tuple[str, ...]:
    """The references of a record; blank ones are none."""
    value = m.get("references")
    if value is None:
        return ()
    if type(value) is not list:
        raise wrong(where, "references", value, "a list of texts", 'Write ["...", "..."], even for one.')
    kept = []
    for index, reference in enumerate(value):
        if type(reference) is str:
            # A blank reference is none, as an empty cell of a table is none: nothing can be compared with it.
            if reference and not reference.isspace():
                kept.append(reference)
        elif reference is not None:
            raise wrong(where, f"references[{index}]", reference, "text", "Quote it, or leave it out.")
    return tuple(kept)


def response_of(value: object, where: Where, field: str) -> Response:
    """A response as text or as an object; null is a response that is missing."""
    if type(value) is str:
        return Response(value)
    if value is None:
        return Response("", missing=NO_RESPONSE)
    if type(value) is not dict:
        raise wrong(
            where, field, value, 'text or {"text", "logprob"}', "Quote it; write an empty text for silence."
        )
    reason = optional_text(value, "missing", where, field)
    if reason is not None:
        return Response("", missing=reason)
    return Response(text(value, "text", where, field), number(value, "logprob", where, field))
