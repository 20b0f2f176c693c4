"""One parser for acts in any form, and the printer of each form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Final

from dialeval.data.codec.bad import Where
from dialeval.data.codec.json_value import loads
from dialeval.errors import UnknownName
from dialeval.nlg.acts.e2e import parse_e2e, parse_viggo, print_e2e
from dialeval.nlg.acts.json_acts import parse_json, print_json
from dialeval.nlg.acts.notation import parse_notation, print_alex, print_dstc2, print_rnnlg
from dialeval.nlg.acts.types import Meaning

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
"""How each form writes acts; ``parse_act`` reads all of them back."""


def print_act(meaning: Meaning, form: str = "rnnlg") -> str:
    """The acts as text in that form; Unsuitable where the form cannot hold them."""
    if form not in PRINTERS:
        raise UnknownName("form of acts", form, PRINTERS, todo=f"Give one of {', '.join(PRINTERS)}.")
    return PRINTERS[form](meaning)
