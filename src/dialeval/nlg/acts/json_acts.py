"""Acts as plain JSON: ``{"act": "inform", "slots": {"name": "x", "area": ["north", "east"], "phone": null}}``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

from dialeval.data.codec.bad import Where
from dialeval.errors import BadInput
from dialeval.nlg.acts.types import Act, Meaning, Slot

UNNAMED: Final = "inform"
"""The act of an object that has slots and names no act."""
_SHAPE: Final = '{"act": "inform", "slots": {"name": "x"}}'


def parse_json(value: object, where: Where, field: str = "act") -> Meaning:
    """The acts that a JSON value holds: an object is one act, a list of objects several.

    The value of a slot is text, a number, true (yes), false (no), null (the slot is named without a value), a list of
    these (the slot occurs several times), or an object of further slots, whose names follow a dot: ``hotel.name``.
    Slots may also be a list of names, or of [name, value] pairs.
    """
    if isinstance(value, list) and value:
        return tuple(_act(act, where, f"{field}[{index}]") for index, act in enumerate(value))
    return (_act(value, where, field),)


def _act(value: object, where: Where, field: str) -> Act:
    if not isinstance(value, Mapping) or not ({"act", "slots"} & set(value)):
        raise _bad(value, f"an act such as {_SHAPE}", where, field)
    if strange := sorted(set(map(str, value)) - {"act", "slots"}):
        raise _bad(", ".join(strange), "the keys act and slots alone", where, field)
    name = value.get("act", UNNAMED)
    if not isinstance(name, str) or not name.strip():
        raise _bad(name, "text (the act's name)", where, f"{field}.act")
    return Act(name, tuple(_slots(value.get("slots"), where, f"{field}.slots")))


def _slots(value: object, where: Where, field: str) -> Iterator[Slot]:
    if value is None:
        return
    if isinstance(value, Mapping):
        for name, held in value.items():
            yield from _held(str(name), held, where, f"{field}.{name}")
    elif isinstance(value, list):
        for index, slot in enumerate(value):
            yield from _listed(slot, where, f"{field}[{index}]")
    else:
        raise _bad(value, "an object of slots and their values", where, field)


def _held(name: str, value: object, where: Where, field: str) -> Iterator[Slot]:
    """The slots of one name: one for each value of a list, however deep, and those of an object."""
    if isinstance(value, list):
        for single in value:
            yield from _held(name, single, where, field)
    elif isinstance(value, Mapping):
        for key, held in value.items():
            yield from _held(f"{name}.{key}", held, where, f"{field}.{key}")
    else:
        yield Slot(name, _text(value, where, field))


def _listed(slot: object, where: Where, field: str) -> Iterator[Slot]:
    if isinstance(slot, str):
        yield Slot(slot)
    elif isinstance(slot, list) and len(slot) == 2 and isinstance(slot[0], str):
        yield from _held(slot[0], slot[1], where, field)
    else:
        raise _bad(slot, "a slot's name or [name, value]", where, field)


def _text(value: object, where: Where, field: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    raise _bad(value, "text, a number, true, false, null or a list of these", where, field)


def _bad(value: object, expected: str, where: Where, field: str) -> BadInput:
    kinds = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    found = f"{kinds.get(type(value), type(value).__name__)} ({str(value)[:60]})"
    return BadInput(where.path, found, expected, f"Write it as {_SHAPE}.", where.line, field)


def print_json(meaning: Meaning) -> object:
    """The acts as a JSON value: one object, or a list where there is not exactly one act."""
    acts = [{"act": act.act, "slots": _printed(act)} for act in meaning]
    return acts[0] if len(acts) == 1 else acts


def _printed(act: Act) -> object:
    """An object of slots; a list of pairs where a slot comes back after another, since an object would reorder it."""
    values: dict[str, list[str | None]] = {}
    previous = None
    for slot in act.slots:
        if slot.name in values and slot.name != previous:
            return [[slot.name, slot.value] for slot in act.slots]
        values.setdefault(slot.name, []).append(slot.value)
        previous = slot.name
    return {name: held[0] if len(held) == 1 else held for name, held in values.items()}
