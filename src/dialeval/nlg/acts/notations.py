"""Notations of dialogue acts: the parser of acts in any form, and the printer of each form."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from dialeval.data.codec.bad import Where
from dialeval.data.codec.jsonl import loads
from dialeval.errors import BadInput, UnknownName, Unsuitable
from dialeval.nlg.acts.types import Act, Meaning, Slot

_ACT: Final = re.compile(r"\s*([?\w.\-]+)\s*\(\s*")
_BETWEEN: Final = re.compile(r"\s*[&,;]?\s*")
_NAME: Final = re.compile(r"[^\s=;,()'\"&]+(?: +[^\s=;,()'\"&]+)*")
_EQUALS: Final = re.compile(r"\s*=\s*")
_SEPARATOR: Final = re.compile(r"\s*[;,]\s*")
_CLOSE: Final = re.compile(r"\s*\)")
_SINGLE: Final = re.compile(r"'(.*?)'(?=\s*(?:[;,)]|$))", re.DOTALL)
"""Ends at a quote before a separator, so that an apostrophe inside is part of the value; two of them are one."""
_DOUBLE: Final = re.compile(r'"((?:[^"\\]|\\.)*)"(?=\s*(?:[;,)]|$))', re.DOTALL)
_BARE: Final = re.compile(r"(.*?)(?=\s*(?:;|,\s*[\w.\- ]+=|\)\s*(?:$|[&,;]?\s*[?\w.\-]+\s*\()))", re.DOTALL)
"""A value without quotes ends at ``;``, at a comma before ``name=``, or at the act's closing bracket."""
_PLAIN: Final = re.compile(r"[\w.+\-]+(?: [\w.+\-]+)*")
"""Values that need no quotes."""

_TODO: Final = "Write acts as inform(name='x';area=centre), with quotes around values that hold ; , ( or )."


def parse_notation(text: str, where: Where, field: str = "act") -> Meaning:
    """The acts of an act string; BadInput shows the part that does not parse.

    >>> parse_notation("inform(name='x';area=centre)", Where("acts.txt"))[0].slots[1]
    Slot(name='area', value='centre')
    """
    acts: list[Act] = []
    position = 0
    while position < len(text.rstrip()):
        match = _ACT.match(text, position)
        if match is None:
            raise _bad_notation(text, position, "an act's name and '('", where, field)
        slots, position = _notation_slots(text, match.end(), where, field)
        acts.append(Act(match[1], tuple(slots)))
        between = _BETWEEN.match(text, position)
        position = between.end() if between else position
    if not acts:
        raise _bad_notation(text, 0, "an act's name and '('", where, field)
    return tuple(acts)


def _notation_slots(text: str, position: int, where: Where, field: str) -> tuple[list[Slot], int]:
    """The slots up to the closing bracket, and where the text continues."""
    slots: list[Slot] = []
    while (close := _CLOSE.match(text, position)) is None:
        name = _NAME.match(text, position)
        if name is None:
            raise _bad_notation(text, position, "a slot's name or ')'", where, field)
        position = name.end()
        value: str | None = None
        if equals := _EQUALS.match(text, position):
            value, position = _notation_value(text, equals.end(), where, field)
        slots.append(Slot(name[0], value))
        if separator := _SEPARATOR.match(text, position):
            position = separator.end()
        elif _CLOSE.match(text, position) is None:
            raise _bad_notation(text, position, "';' or ')' after a slot", where, field)
    return slots, close.end()


def _notation_value(text: str, position: int, where: Where, field: str) -> tuple[str, int]:
    if double := _DOUBLE.match(text, position):
        return re.sub(r"\\(.)", r"\1", double[1], flags=re.DOTALL), double.end()
    if single := _SINGLE.match(text, position):
        return re.sub(r"''|\\'", "'", single[1]), single.end()
    if bare := _BARE.match(text, position):
        return bare[1].strip(), bare.end()
    raise _bad_notation(text, position, "a value that ends with ';' or ')'", where, field)


def _bad_notation(text: str, position: int, expected: str, where: Where, field: str) -> BadInput:
    rest = text[position : position + 40]
    spot = (
        f"{rest!r} at character {position + 1} of {text[:120]!r}"
        if rest.strip()
        else f"the end of {text[:120]!r}"
    )
    return BadInput(where.path, spot, expected, _TODO, where.line, field)


def print_rnnlg(meaning: Meaning) -> str:
    """The acts as RNNLG writes them: slots parted by ``;``, values in quotes if they are not plain words."""
    return " ".join(
        f"{act.act}({';'.join(_written(slot, quoted=False) for slot in act.slots)})" for act in meaning
    )


def print_dstc2(meaning: Meaning) -> str:
    """The acts as DSTC2-NLG writes them: a ``;`` after every slot, a space after every act."""
    return "".join(
        f"{act.act}({''.join(_written(slot, quoted=False) + ';' for slot in act.slots)}) " for act in meaning
    )


def print_alex(meaning: Meaning) -> str:
    """The acts as Alex writes them: values in double quotes, acts joined by ``&``."""
    return "&".join(
        f"{act.act}({','.join(_written(slot, quoted=True) for slot in act.slots)})" for act in meaning
    )


def _written(slot: Slot, *, quoted: bool) -> str:
    if slot.value is None:
        return slot.name
    if not quoted and _PLAIN.fullmatch(slot.value):
        return f"{slot.name}={slot.value}"
    if not quoted and "'" not in slot.value:
        return f"{slot.name}='{slot.value}'"
    escaped = slot.value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{slot.name}="{escaped}"'


E2E_ACT: Final = "inform"
"""The act of every meaning representation, which names none."""
_E2E_SLOT: Final = re.compile(
    r"\s*(?P<name>[\w.\-][\w.\- ]*?)\s*\[(?P<value>.*?)\]\s*(?:,(?=\s*[\w.\-][\w.\- ]*\[)|$)", re.DOTALL
)
"""A value ends at a bracket that is followed by the next slot or by nothing."""
_WITH_ACT: Final = re.compile(
    r"\s*(?P<act>[?\w.\-]+)\s*\(\s*(?P<slots>[\w.\-][\w.\- ]*\[.*\])\s*\)\s*", re.DOTALL
)


def parse_e2e(text: str, where: Where, field: str = "mr") -> Meaning:
    """The one act of a meaning representation.

    >>> parse_e2e("name[Aromi], area[city centre]", Where("mr.csv"))[0].slots[1]
    Slot(name='area', value='city centre')
    """
    slots: list[Slot] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _E2E_SLOT.match(text, position)
        if match is None:
            break
        slots.append(Slot(match["name"], match["value"]))
        position = match.end()
    if position < end or not slots:
        found = f"{text[position : position + 40]!r} at character {position + 1} of {text[:120]!r}"
        todo = "Write meaning representations as name[x], area[y]."
        raise BadInput(where.path, found, "slot[value], separated by commas", todo, where.line, field)
    return (Act(E2E_ACT, tuple(slots)),)


def parse_viggo(text: str, where: Where, field: str = "act") -> Meaning | None:
    """The act of ``request(name[x], esrb[])``, a slot without a value being asked for; None of another notation.

    >>> parse_viggo("request(esrb[])", Where("acts.csv"))
    (Act(act='request', slots=(Slot(name='esrb', value=None),)),)
    """
    match = _WITH_ACT.fullmatch(text)
    if match is None:
        return None
    slots = parse_e2e(match["slots"], where, field)[0].slots
    return (Act(match["act"], tuple(Slot(slot.name, slot.value or None) for slot in slots)),)


def print_e2e(meaning: Meaning) -> str:
    """The one act of a meaning in E2E's form; Unsuitable if that form cannot hold it."""
    if len(meaning) != 1 or meaning[0].act != E2E_ACT or not meaning[0].slots:
        acts = ", ".join(act.act for act in meaning) or "no act"
        raise Unsuitable(
            f"The E2E form holds one {E2E_ACT} act with slots; found {acts}. Print it in another form."
        )
    text = ", ".join(f"{slot.name}[{slot.value}]" for slot in meaning[0].slots if slot.value is not None)
    bare = [slot.name for slot in meaning[0].slots if slot.value is None]
    if bare:
        raise Unsuitable(
            f"The E2E form holds no slot without a value; found {bare[0]!r}. Print it in another form."
        )
    try:
        same = parse_e2e(text, Where("")) == meaning
    except BadInput:
        same = False
    if not same:
        raise Unsuitable(
            f"The E2E form cannot hold {text[:120]!r}: a value has a bracket or outer whitespace."
        )
    return text


UNNAMED_ACT: Final = "inform"
"""The act of an object that has slots and names no act."""
_SHAPE: Final = '{"act": "inform", "slots": {"name": "x"}}'


def parse_json(value: object, where: Where, field: str = "act") -> Meaning:
    """The acts that a JSON value holds: an object is one act, a list of objects several.

    The value of a slot is text, a number, true (yes), false (no), null (the slot is named without a value), a list of
    these (the slot occurs several times), or an object of further slots, whose names follow a dot: ``hotel.name``.
    Slots may also be a list of names, or of [name, value] pairs.
    """
    if isinstance(value, list) and value:
        return tuple(_json_act(act, where, f"{field}[{index}]") for index, act in enumerate(value))
    return (_json_act(value, where, field),)


def _json_act(value: object, where: Where, field: str) -> Act:
    if not isinstance(value, Mapping) or not ({"act", "slots"} & set(value)):
        raise _bad_json(value, f"an act such as {_SHAPE}", where, field)
    if strange := sorted(set(map(str, value)) - {"act", "slots"}):
        raise _bad_json(", ".join(strange), "the keys act and slots alone", where, field)
    name = value.get("act", UNNAMED_ACT)
    if not isinstance(name, str) or not name.strip():
        raise _bad_json(name, "text (the act's name)", where, f"{field}.act")
    return Act(name, tuple(_json_slots(value.get("slots"), where, f"{field}.slots")))


def _json_slots(value: object, where: Where, field: str) -> Iterator[Slot]:
    if value is None:
        return
    if isinstance(value, Mapping):
        for name, held in value.items():
            yield from _json_values(str(name), held, where, f"{field}.{name}")
    elif isinstance(value, list):
        for index, slot in enumerate(value):
            yield from _json_pair(slot, where, f"{field}[{index}]")
    else:
        raise _bad_json(value, "an object of slots and their values", where, field)


def _json_values(name: str, value: object, where: Where, field: str) -> Iterator[Slot]:
    """The slots of one name: one for each value of a list, however deep, and those of an object."""
    if isinstance(value, list):
        for single in value:
            yield from _json_values(name, single, where, field)
    elif isinstance(value, Mapping):
        for key, held in value.items():
            yield from _json_values(f"{name}.{key}", held, where, f"{field}.{key}")
    else:
        yield Slot(name, _json_text(value, where, field))


def _json_pair(slot: object, where: Where, field: str) -> Iterator[Slot]:
    if isinstance(slot, str):
        yield Slot(slot)
    elif isinstance(slot, list) and len(slot) == 2 and isinstance(slot[0], str):
        yield from _json_values(slot[0], slot[1], where, field)
    else:
        raise _bad_json(slot, "a slot's name or [name, value]", where, field)


def _json_text(value: object, where: Where, field: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    raise _bad_json(value, "text, a number, true, false, null or a list of these", where, field)


def _bad_json(value: object, expected: str, where: Where, field: str) -> BadInput:
    kinds = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    found = f"{kinds.get(type(value), type(value).__name__)} ({str(value)[:60]})"
    return BadInput(where.path, found, expected, f"Write it as {_SHAPE}.", where.line, field)


def print_json(meaning: Meaning) -> object:
    """The acts as a JSON value: one object, or a list if there is not exactly one act."""
    acts = [{"act": act.act, "slots": _printed_slots(act)} for act in meaning]
    return acts[0] if len(acts) == 1 else acts


def _printed_slots(act: Act) -> object:
    """An object of slots; a list of pairs if a slot comes back after another, since an object would reorder it."""
    values: dict[str, list[str | None]] = {}
    previous = None
    for slot in act.slots:
        if slot.name in values and slot.name != previous:
            return [[slot.name, slot.value] for slot in act.slots]
        values.setdefault(slot.name, []).append(slot.value)
        previous = slot.name
    return {name: held[0] if len(held) == 1 else held for name, held in values.items()}


GIVEN: Final = Where("<act>")
"""The place of an act that comes from no file."""
_E2E: Final = re.compile(r"\s*[\w.\-][\w.\- ]*\[")


def parse_act(value: object, where: Where = GIVEN, field: str = "act") -> Meaning:
    """The acts of a JSON value or of a text in any of the published notations.

    >>> parse_act("request(food;)") == parse_act({"act": "request", "slots": {"food": None}})
    True
    """
    if not isinstance(value, str):
        return parse_json(value, where, field)
    if value.lstrip()[:1] in ("{", "["):
        return parse_json(loads(value.strip(), where), where, field)
    if _E2E.match(value):
        return parse_e2e(value, where, field)
    return parse_viggo(value, where, field) or parse_notation(value, where, field)


PRINTERS: Final[Mapping[str, Callable[[Meaning], str]]] = {
    "rnnlg": print_rnnlg,
    "dstc2": print_dstc2,
    "e2e": print_e2e,
    "alex": print_alex,
    "json": lambda meaning: json.dumps(print_json(meaning), ensure_ascii=False),
}
"""Printer of each form; ``parse_act`` reads all of them back."""


def print_act(meaning: Meaning, form: str = "rnnlg") -> str:
    """The acts as text in that form; Unsuitable if the form cannot hold them."""
    if form not in PRINTERS:
        raise UnknownName("form of acts", form, PRINTERS, todo=f"Give one of {', '.join(PRINTERS)}.")
    return PRINTERS[form](meaning)
