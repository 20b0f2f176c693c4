"""Decoder of JSON objects into records: strict about types, and plain about what is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from sys import intern
from typing import Final, Literal, overload

from dialeval.data.codec.bad import Where
from dialeval.data.codec.column_names import SYSTEM, unknown_record
from dialeval.data.codec.fields import flag, missing, name, number, optional_text, text, wrong
from dialeval.data.codec.parts import (
    assertions_of,
    context_of,
    context_or_act,
    item_named,
    knowledge_of,
    messages_of,
    references_of,
    response_of,
    system_named,
)
from dialeval.data.types import (
    Candidate,
    Dialogue,
    Example,
    Judgement,
    Kind,
    NBest,
    Prompt,
    Question,
    Record,
    Response,
    Turn,
)
from dialeval.errors import BadInput


@overload
def decode(mapping: object, kind: Literal["dialogue"], where: Where) -> Dialogue: ...
@overload
def decode(mapping: object, kind: Literal["prompt"], where: Where) -> Prompt: ...
@overload
def decode(mapping: object, kind: Literal["example"], where: Where) -> Example: ...
@overload
def decode(mapping: object, kind: Literal["question"], where: Where) -> Question: ...
@overload
def decode(mapping: object, kind: Literal["nbest"], where: Where) -> NBest: ...
@overload
def decode(mapping: object, kind: Literal["judgement"], where: Where) -> Judgement: ...
@overload
def decode(mapping: object, kind: Kind, where: Where) -> Record: ...
def decode(mapping: object, kind: Kind, where: Where) -> Record:
    """The record of ``kind`` that a JSON object holds; BadInput names the field that is at fault."""
    if type(mapping) is not dict and not isinstance(mapping, Mapping):  # the second look is slow
        raise wrong(where, "", mapping, "a JSON object", "Write each record as an object with its fields.")
    return _DECODERS[kind](mapping, where)


def kind_of_fields(mapping: object, where: Where) -> Kind:
    """Return which kind of record has these fields."""
    names = set(mapping) if isinstance(mapping, Mapping) else set()
    if any(isinstance(name, str) and name.startswith(SYSTEM) for name in names):
        return "example"
    for field, kind in _TELLTALES.items():
        if field in names:
            return kind
    raise unknown_record(where.path, [str(name) for name in names], where.line)


def is_known(mapping: Mapping[object, object]) -> bool:
    """Whether an object has a field that only records of ours have, or what stands for one in ratings."""
    return not _KNOWN.isdisjoint(mapping)


_TELLTALES: Final[Mapping[str, Kind]] = {
    "messages": "dialogue",
    "candidates": "question",
    "responses": "nbest",
    "response": "example",
    "criterion": "judgement",
    "rater": "judgement",
    "context": "prompt",
    "act": "prompt",
}


_KNOWN: Final = frozenset({*_TELLTALES, "value", "rating", "score", "chosen"})


def _dialogue(m: Mapping[str, object], where: Where) -> Dialogue:
    metadata = m.get("metadata")
    if metadata is not None and type(metadata) is not dict:
        raise wrong(where, "metadata", metadata, "a JSON object", "Wrap it in an object, or leave it out.")
    system = optional_text(m, "system", where, "")
    return Dialogue(item_named(m, where), messages_of(m, where), system or "", metadata or {})


def _prompt(m: Mapping[str, object], where: Where) -> Prompt:
    return Prompt(
        item_named(m, where),
        context_or_act(m, where),
        references_of(m, where),
        knowledge_of(m),
        assertions_of(m, where),
    )


def _example(m: Mapping[str, object], where: Where) -> Example:
    plain = _plain_example(m)
    if plain is not None:
        return plain
    item, system, context = item_named(m, where), system_named(m, where), context_or_act(m, where)
    if "response" not in m:
        raise missing(m, "response", where, "", "text (the system's response)")
    return Example(
        item,
        system,
        context,
        response_of(m["response"], where, "response"),
        references_of(m, where),
        knowledge_of(m),
        assertions_of(m, where),
    )


def _plain_example(m: Mapping[str, object]) -> Example | None:
    """The example of a line like nearly all, in half the time; None if a field needs a closer look."""
    item, system, context = m.get("id"), m.get("system"), m.get("context")
    said, references = m.get("response"), m.get("references", [])
    if (
        type(item) is not str
        or type(system) is not str
        or type(said) is not str
        or type(context) is not list
        or type(references) is not list
        or not item
        or not system
        or item.isspace()
        or system.isspace()
        or m.get("act") is not None
        or m.get("knowledge") is not None
        or m.get("assert") is not None
    ):
        return None
    turns = []
    for message in context:
        if (
            type(message) is not dict
            or len(message) != 2
            or type(role := message.get("role")) is not str
            or type(content := message.get("content")) is not str
        ):
            return None
        turns.append(Turn(intern(role), content))
    for reference in references:
        if type(reference) is not str or not reference or reference.isspace():
            return None
    # There are few roles and systems: one text of each is enough for millions of lines.
    return Example(item, intern(system), tuple(turns), Response(said), tuple(references))


def _question(m: Mapping[str, object], where: Where) -> Question:
    item, context = item_named(m, where), context_of(m, where)
    if "candidates" not in m:
        raise missing(m, "candidates", where, "", "a list of candidates")
    value = m["candidates"]
    if type(value) is not list:
        raise wrong(where, "candidates", value, "a list", 'Write [{"text": "...", "correct": true}].')
    candidates = tuple(_candidate(candidate, where, index) for index, candidate in enumerate(value))
    if not any(candidate.correct for candidate in candidates):
        found = f"{len(candidates)} candidates, none of them correct"
        todo = 'Mark the right ones with "correct": true, or leave the question out.'
        raise BadInput(where.path, found, "at least one correct", todo, where.line, "candidates")
    status = m.get("status") or None
    if status not in ("vetted", "unvetted", None):
        todo = "Leave it out where it is unknown whether people looked at the candidates."
        raise wrong(where, "status", status, "'vetted', 'unvetted' or null", todo)
    return Question(item, context, candidates, status)


def _candidate(value: object, where: Where, place: int) -> Candidate:
    field = f"candidates[{place}]"
    if type(value) is not dict:
        raise wrong(where, field, value, "a candidate", 'Write {"text": "...", "correct": false}.')
    error = optional_text(value, "error", where, field)
    return Candidate(text(value, "text", where, field), flag(value, "correct", where, field), error)


def _nbest(m: Mapping[str, object], where: Where) -> NBest:
    item, system = item_named(m, where), system_named(m, where)
    # Generators from acts write lists whose context is the act alone.
    context = context_of(m, where) if m.get("context") else context_or_act(m, where)
    if "responses" not in m:
        raise missing(m, "responses", where, "", "a list of responses, best first")
    value, expected = m["responses"], m.get("expected")
    if type(value) is not list:
        raise wrong(
            where, "responses", value, "a list of responses", 'Write [{"text": "...", "logprob": -1.5}].'
        )
    if expected not in ("yes", "no", None):
        raise wrong(
            where, "expected", expected, "'yes', 'no' or null", "Leave it out where nothing is expected."
        )
    responses = tuple(
        response_of(response, where, f"responses[{index}]") for index, response in enumerate(value)
    )
    return NBest(item, system, context, responses, expected)


def _judgement(m: Mapping[str, object], where: Where) -> Judgement:
    if "value" not in m and _is_choice(m):
        return _choice_judgement(m, where)
    if "value" not in m:
        raise missing(m, "value", where, "", "a number, or null where the rater could not say")
    return Judgement(
        item_named(m, where, "item"),
        # Empty where people rated a conversation among people.
        text(m, "system", where, "", "text (the system's name)"),
        name(m, "rater", where, "", "text (who judged)"),
        text(m, "criterion", where, ""),
        number(m, "value", where, ""),
        optional_text(m, "reason", where, ""),
        optional_text(m, "evidence", where, ""),
    )


def _is_choice(m: Mapping[str, object]) -> bool:
    """Whether this is a line of ``choices.jsonl``: a choice, or the reason why there is none."""
    return "id" in m and "rater" not in m and ("chosen" in m or "reason" in m)


def _choice_judgement(m: Mapping[str, object], where: Where) -> Judgement:
    """A choice as the judgement of the measure that asked: 1 if it is right, 0 if it is wrong."""
    item, system = item_named(m, where), system_named(m, where)
    measure = optional_text(m, "measure", where, "") or "selection_accuracy"
    criterion = measure.partition("(")[0]
    if "chosen" not in m:
        return Judgement(item, system, measure, criterion, None, optional_text(m, "reason", where, ""))
    return Judgement(item, system, measure, criterion, float(flag(m, "correct", where, "")))


_DECODERS: Final[Mapping[Kind, Callable[[Mapping[str, object], Where], Record]]] = {
    "dialogue": _dialogue,
    "prompt": _prompt,
    "example": _example,
    "question": _question,
    "nbest": _nbest,
    "judgement": _judgement,
}
