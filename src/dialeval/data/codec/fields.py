"""Fields of records in files, and readers of single fields of a JSON object."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Final

from dialeval.data.codec.bad import Where
from dialeval.data.codec.sources import conversion
from dialeval.data.types import Kind
from dialeval.errors import BadInput, MissingField, close_names

FIELDS: Final[Mapping[Kind, tuple[str, ...]]] = {
    "dialogue": ("id", "messages", "system", "metadata"),
    "prompt": ("id", "context", "references", "knowledge", "assert"),
    "example": ("id", "system", "context", "response", "references", "knowledge", "assert"),
    "question": ("id", "context", "candidates", "status"),
    "nbest": ("id", "system", "context", "responses", "expected"),
    "judgement": ("item", "system", "rater", "criterion", "value", "reason", "evidence"),
}
"""Every field of each kind of record, in the order we write them (docs/files.md)."""

ALSO_READ: Final[Mapping[Kind, tuple[str, ...]]] = {
    "prompt": ("act",),
    "example": ("act",),
    "judgement": ("dialogue", "turn", "role", "text", "worst"),
}
"""Fields that become part of others, or that only ``score --per-turn`` writes, and so are not written by us."""

_OTHER_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "id": ("item", "item_id", "dialog_id", "dialogue_id", "idx", "index", "uid", "key"),
    "item": ("id", "item_id", "idx", "index"),
    "messages": ("conversation", "conversations", "dialog", "dialogue", "turns", "utterances"),
    "context": ("history", "prompt", "messages", "source", "input", "question"),
    "response": (
        "hyp",
        "hypothesis",
        "output",
        "prediction",
        "pred",
        "answer",
        "reply",
        "completion",
        "text",
    ),
    "responses": ("hyps", "hypotheses", "outputs", "predictions", "beams", "nbest"),
    "references": ("refs", "ref", "reference", "labels", "targets", "target", "ground_truth", "gold"),
    "candidates": ("options", "choices"),
    "system": ("model", "system_id", "system_name", "bot", "agent"),
    "rater": ("annotator", "worker", "worker_id", "judge"),
    "criterion": ("quality", "aspect", "dimension", "measure", "metric"),
    "value": ("score", "rating", "label"),
    "role": ("speaker", "from", "agent"),
    "content": ("text", "value", "utterance", "message"),
    "text": ("content", "value", "response"),
    "correct": ("label", "is_correct", "answer"),
}
"""Names of our fields in other tools."""

_OTHER_FORMATS: Final[Mapping[str, str]] = {
    "messages": "openai",
    "conversations": "sharegpt",
    "dialog": "parlai-jsonl",
    "dialogue": "turns",
    "turns": "turns",
    "utterances": "turns",
    "positive_responses": "dailydialog++",
    "annotations": "fed",
    "system_output": "usr",
}
"""Fields that give another format away."""


_BY_NAME_ONLY: Final = frozenset({"knowledge", "assert"})
"""Fields that few files have, so that no other name stands for them."""


def likely_name(field: str, given: Collection[str]) -> str | None:
    """Return which of the names found stands for ``field``, if one does."""
    return _likely_name(field, tuple(given))


@lru_cache(maxsize=1024)  # the lines of a file mostly have the same names
def _likely_name(field: str, given: tuple[str, ...]) -> str | None:
    if field in _BY_NAME_ONLY:
        return None
    # A field of ours means what it says, however much its name looks like another's.
    strange = [name for name in given if all(name not in names for names in FIELDS.values())]
    close = [name for name in _OTHER_NAMES.get(field, ()) if name in given] or close_names(field, strange)
    return close[0] if close else None


def meant_by(name: str, known: Iterable[str]) -> str | None:
    """Return which known field an unknown ``name`` probably stands for."""
    return next((field for field in known if likely_name(field, [name])), None)


def missing(m: Mapping[str, object], field: str, where: Where, parent: str, expected: str) -> MissingField:
    """The error for a missing field."""
    likely = likely_name(field, [name for name in m if isinstance(name, str)])
    others = [_OTHER_FORMATS[name] for name in m if name in _OTHER_FORMATS] if not parent else []
    if others:
        todo = f"It looks like the {others[0]} format: convert it with {conversion(where.path, others[0])}."
    elif likely:
        todo = f"Rename {likely!r} to {field!r}."
    else:
        todo = f"Add {field!r}; 'dialeval docs files' lists the fields of each kind of record."
    listed = ", ".join(repr(name) for name in m) or "none"
    return MissingField(
        where.path, f"no such field (there are: {listed})", expected, todo, where.line, _path(parent, field)
    )


def wrong(where: Where, field: str, value: object, expected: str, todo: str) -> BadInput:
    """The error for a value of the wrong type."""
    return BadInput(where.path, describe(value), expected, todo, where.line, field or None)


def describe(value: object) -> str:
    """A value as errors show it: its JSON type and, if it is short, itself."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return (
            f"the number {value!r}" if not isinstance(value, int) or abs(value) < 10**20 else "a huge number"
        )
    if isinstance(value, str):
        return f"the text {value!r}" if len(value) <= 40 else f"the text {value[:37] + '...'!r}"
    if isinstance(value, Mapping):
        return "an object"
    return "a list" if isinstance(value, list | tuple) else f"a {type(value).__name__}"


def text(m: Mapping[str, object], field: str, where: Where, parent: str, expected: str = "text") -> str:
    """A field that must be text."""
    value = m.get(field)
    if type(value) is str:
        return value
    if field not in m:
        raise missing(m, field, where, parent, expected)
    raise wrong(where, _path(parent, field), value, expected, "Quote it.")


def name(m: Mapping[str, object], field: str, where: Where, parent: str, expected: str = "text") -> str:
    """A field that must be text with something in it, because it names an item or a system."""
    value = text(m, field, where, parent, expected)
    if not value or value.isspace():
        found = "an empty text" if not value else f"nothing but whitespace ({value[:20]!r})"
        todo = f"Fill in {field!r}: results are kept and compared by it."
        raise BadInput(where.path, found, expected, todo, where.line, _path(parent, field))
    return value


def optional_text(m: Mapping[str, object], field: str, where: Where, parent: str) -> str | None:
    """A field that may be text, null or left out."""
    value = m.get(field)
    if value is None or type(value) is str:
        return value
    raise wrong(
        where, _path(parent, field), value, "text, null or no such field", "Quote it, or leave it out."
    )


def number(m: Mapping[str, object], field: str, where: Where, parent: str) -> float | None:
    """A field that may be a finite number, null or left out."""
    value = m.get(field)
    if value is None or value != value:  # NaN, as Parquet and data frames hold it
        return None
    if type(value) is float or type(value) is int:
        try:
            if math.isfinite(value):
                return float(value)
        except OverflowError:
            pass
    todo = "Write it without quotes." if _quoted_number(value) else "Write null where there is no value."
    raise wrong(where, _path(parent, field), value, "a finite number or null", todo)


def _quoted_number(value: object) -> bool:
    try:
        return type(value) is str and math.isfinite(float(value))
    except ValueError:
        return False


def flag(m: Mapping[str, object], field: str, where: Where, parent: str) -> bool:
    """A field that must be true or false."""
    value = m.get(field)
    if type(value) is bool:
        return value
    if field not in m:
        raise missing(m, field, where, parent, "true or false")
    raise wrong(where, _path(parent, field), value, "true or false", "Write true or false, without quotes.")


def _path(parent: str, field: str) -> str:
    return f"{parent}.{field}" if parent else field
