"""Meaning representations of E2E, ``name[Blue Spice], eatType[coffee shop]``, and of ViGGO, which name an act."""

from __future__ import annotations

import re
from typing import Final

from dialeval.data.codec.bad import Where
from dialeval.errors import BadInput, Unsuitable
from dialeval.nlg.acts.types import Act, Meaning, Slot

ACT: Final = "inform"
"""The act of every meaning representation, which names none."""
_SLOT: Final = re.compile(
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
        match = _SLOT.match(text, position)
        if match is None:
            break
        slots.append(Slot(match["name"], match["value"]))
        position = match.end()
    if position < end or not slots:
        found = f"{text[position : position + 40]!r} at character {position + 1} of {text[:120]!r}"
        todo = "Write meaning representations as name[x], area[y]."
        raise BadInput(where.path, found, "slot[value], separated by commas", todo, where.line, field)
    return (Act(ACT, tuple(slots)),)


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
    """The one act of a meaning in E2E's form; Unsuitable where that form cannot hold it."""
    if len(meaning) != 1 or meaning[0].act != ACT or not meaning[0].slots:
        acts = ", ".join(act.act for act in meaning) or "no act"
        raise Unsuitable(
            f"The E2E form holds one {ACT} act with slots; found {acts}. Print it in another form."
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
