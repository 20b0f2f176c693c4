"""Decoder of the parts that records share: ids, turns, contexts, references, responses, knowledge and assertions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from dialeval.data.codec.bad import Where
from dialeval.data.codec.fields import describe, missing, name, number, optional_text, text, wrong
from dialeval.data.types import (
    ACT_TURN,
    ASSERTIONS,
    EXTRA,
    LANGUAGES,
    Assertion,
    Context,
    Response,
    Turn,
    alternating,
)
from dialeval.errors import BadInput, close_names
from dialeval.files.foreign import JSON_ERRORS

NO_RESPONSE: Final = "no response (null)"
"""Reason why an example whose response is null has no value."""


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
    """Return what a message has beside role and content, as Parquet holds it; nothing of other texts of that name."""
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


_SHAPE: Final = '[{"contains": "refund"}, {"not_contains": "sorry"}]'
SCHEMA_KEYWORDS: Final = (
    *("type", "required", "properties", "additionalProperties", "items", "enum", "const"),
)
"""Keywords of JSON Schema that are checked."""
SCHEMA_TYPES: Final = ("object", "array", "string", "number", "integer", "boolean", "null")
_SCHEMA_NOTES: Final = ("$schema", "$id", "title", "description", "examples", "default")
_OTHER_NAMES: Final = {"is_json": "json", "contains_all": "contains"}
"""Names of other tools for our kinds."""


def knowledge_of(m: Mapping[str, object]) -> tuple[str, ...]:
    """The texts of ``knowledge``: one or several; objects as lines of ``key: value``."""
    value = m.get("knowledge")
    given = value if type(value) is list else [value]
    return tuple(text for text in map(_told, given) if text and not text.isspace())


def _told(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "\n".join(f"{key}: {_told(each)}" for key, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_told, value))
    return json.dumps(value, ensure_ascii=False, default=str)


def assertions_of(m: Mapping[str, object], where: Where) -> tuple[Assertion, ...]:
    """The assertions of ``assert``: one object or several, each with its kind as key or under ``type``."""
    value = m.get("assert")
    if value is None:
        return ()
    if type(value) is str:  # a cell of Parquet
        try:
            value = json.loads(value)
        except ValueError:
            raise wrong(where, "assert", m["assert"], "a list of assertions", f"Write {_SHAPE}.") from None
    given = value if type(value) is list else [value]
    return tuple(
        assertion for at, each in enumerate(given) for assertion in _assertions(each, where, f"assert[{at}]")
    )


def _assertions(value: object, where: Where, field: str) -> Iterator[Assertion]:
    if not isinstance(value, Mapping):
        raise wrong(where, field, value, "an assertion", f"Write {_SHAPE}.")
    told = {str(name): each for name, each in value.items() if name != "ignore_case"}
    if type(value.get("type")) is str:
        aside = [name for name in told if name not in ("type", "value")]
        told = {str(value["type"]): value.get("value", True)}
    else:
        aside = [name for name in told if name in ("type", "value", "weight", "metric")]
    if aside:
        todo = "Leave it out: all assertions of an item count alike."
        raise BadInput(where.path, f"the option {aside[0]!r}", "ignore_case at most", todo, where.line, field)
    if not told:
        raise wrong(where, field, value, "an assertion", f"Write {_SHAPE}.")
    ignoring = value.get("ignore_case", False)
    if type(ignoring) is not bool:
        raise wrong(where, f"{field}.ignore_case", ignoring, "true or false", "Leave it out for false.")
    for kind, each in told.items():
        yield _assertion(kind, each, ignoring, where, field)


def _assertion(name: str, value: object, ignore_case: bool, where: Where, field: str) -> Assertion:
    plain = name.replace("-", "_").lower()
    bare = plain.removeprefix("not_")
    negated = bare != plain
    if bare == "icontains":
        bare, ignore_case = "contains", True
    kind = _OTHER_NAMES.get(bare, bare)
    if kind not in ASSERTIONS:
        close = close_names(kind, ASSERTIONS)
        hint = f"Did you mean {close[0]!r}? " if close else ""
        known = f"one of {', '.join(ASSERTIONS)}, each also with not_"
        raise BadInput(where.path, f"the kind {name!r}", known, f"{hint}Write {_SHAPE}.", where.line, field)
    problem = assertion_problem(kind, value)
    if problem is not None:
        todo = "'dialeval docs facts' has an example of each kind."
        raise BadInput(where.path, problem.found, problem.expected, todo, where.line, f"{field}.{name}")
    return Assertion(kind, value, ignore_case, negated)


class AssertionProblem(NamedTuple):
    """Reason why a value does not fit its kind of assertion."""

    found: str
    expected: str


def assertion_problem(kind: str, value: object) -> AssertionProblem | None:
    """Return why the value does not fit the kind; None if it does."""
    found = describe(value)
    if kind == "contains":
        texts = value if type(value) is list and value else [value]
        fits = all(type(text) is str and text for text in texts)
        return None if fits else AssertionProblem(found, "a text or a list of texts, none of them empty")
    if kind == "equals":
        return None if type(value) is str else AssertionProblem(found, "a text")
    if kind == "regex":
        return _pattern_problem(value)
    if kind == "json":
        if value is True or isinstance(value, Mapping):
            return None if value is True else _schema_problem(value)
        return AssertionProblem(found, "true or a schema, an object")
    if kind == "max_length":
        limits = value if isinstance(value, Mapping) else {"words": value}
        fits = (
            bool(limits)
            and set(limits) <= {"words", "characters"}
            and all(type(limit) is int and limit >= 0 for limit in limits.values())
        )
        return (
            None
            if fits
            else AssertionProblem(found, 'a number of words, {"words": 60} or {"characters": 400}')
        )
    return None if value in LANGUAGES else AssertionProblem(found, f"one of {', '.join(LANGUAGES)}")


def _schema_problem(schema: Mapping[str, object]) -> AssertionProblem | None:
    """Return which keyword of a schema is not known or has a value that does not fit it, at any depth."""
    unknown = [name for name in schema if name not in (*SCHEMA_KEYWORDS, *_SCHEMA_NOTES)]
    if unknown:
        return AssertionProblem(f"the keyword {unknown[0]!r}", f"keywords among {', '.join(SCHEMA_KEYWORDS)}")
    for keyword, expected in _SCHEMA_VALUES.items():
        if keyword in schema and not _fits_keyword(keyword, schema[keyword]):
            return AssertionProblem(f"{keyword}: {describe(schema[keyword])}", f"{expected}")
    properties = schema.get("properties", {})
    inner = list(properties.values()) if isinstance(properties, Mapping) else [properties]
    inner += [schema["items"]] if "items" in schema else []
    for part in inner:
        if not isinstance(part, Mapping):
            return AssertionProblem(describe(part), "a schema, an object")
        if (problem := _schema_problem(part)) is not None:
            return problem
    return None


_SCHEMA_VALUES: Final = {
    "type": f"one of {', '.join(SCHEMA_TYPES)}, or a list of them",
    "required": "a list of names",
    "enum": "a list of values",
    "additionalProperties": "true or false",
}


def _fits_keyword(name: str, value: object) -> bool:
    if name == "type":
        return value in SCHEMA_TYPES or (
            type(value) is list and bool(value) and all(each in SCHEMA_TYPES for each in value)
        )
    if name == "required":
        return type(value) is list and all(type(each) is str for each in value)
    return type(value) is (list if name == "enum" else bool)


def _pattern_problem(value: object) -> AssertionProblem | None:
    if type(value) is not str:
        return AssertionProblem(describe(value), "a pattern as text")
    try:
        re.compile(value)
    except re.error as error:
        place = f" at position {error.pos}" if error.pos is not None else ""
        return AssertionProblem(
            f"the pattern {value!r}: {error.msg}{place}", "a regular expression of Python"
        )
    except (RecursionError, OverflowError):
        return AssertionProblem("a pattern that is too deep or too large", "a regular expression of Python")
    return None
