"""Act strings such as ``inform(name='x';area=centre)``: RNNLG, BAGEL, DSTC2-NLG and Alex differ only in punctuation."""

from __future__ import annotations

import re
from typing import Final

from dialeval.data.codec.bad import Where
from dialeval.errors import BadInput
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

TODO: Final = "Write acts as inform(name='x';area=centre), with quotes around values that hold ; , ( or )."


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
            raise _bad(text, position, "an act's name and '('", where, field)
        slots, position = _slots(text, match.end(), where, field)
        acts.append(Act(match[1], tuple(slots)))
        between = _BETWEEN.match(text, position)
        position = between.end() if between else position
    if not acts:
        raise _bad(text, 0, "an act's name and '('", where, field)
    return tuple(acts)


def _slots(text: str, position: int, where: Where, field: str) -> tuple[list[Slot], int]:
    """The slots up to the closing bracket, and where the text continues."""
    slots: list[Slot] = []
    while (close := _CLOSE.match(text, position)) is None:
        name = _NAME.match(text, position)
        if name is None:
            raise _bad(text, position, "a slot's name or ')'", where, field)
        position = name.end()
        value: str | None = None
        if equals := _EQUALS.match(text, position):
            value, position = _value(text, equals.end(), where, field)
        slots.append(Slot(name[0], value))
        if separator := _SEPARATOR.match(text, position):
            position = separator.end()
        elif _CLOSE.match(text, position) is None:
            raise _bad(text, position, "';' or ')' after a slot", where, field)
    return slots, close.end()


def _value(text: str, position: int, where: Where, field: str) -> tuple[str, int]:
    if double := _DOUBLE.match(text, position):
        return re.sub(r"\\(.)", r"\1", double[1], flags=re.DOTALL), double.end()
    if single := _SINGLE.match(text, position):
        return re.sub(r"''|\\'", "'", single[1]), single.end()
    if bare := _BARE.match(text, position):
        return bare[1].strip(), bare.end()
    raise _bad(text, position, "a value that ends with ';' or ')'", where, field)


def _bad(text: str, position: int, expected: str, where: Where, field: str) -> BadInput:
    rest = text[position : position + 40]
    spot = (
        f"{rest!r} at character {position + 1} of {text[:120]!r}"
        if rest.strip()
        else f"the end of {text[:120]!r}"
    )
    return BadInput(where.path, spot, expected, TODO, where.line, field)


def print_rnnlg(meaning: Meaning) -> str:
    """The acts as RNNLG writes them: slots parted by ``;``, values in quotes where they are not plain words."""
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
