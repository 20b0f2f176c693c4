"""``dialeval systems``: which systems can be evaluated, and which of them can run here."""

from __future__ import annotations

import json as jsonlib
from textwrap import fill
from typing import TYPE_CHECKING

from dialeval.catalogue.building import kinds
from dialeval.cli.options import Json
from dialeval.display.consoles import PrintableConsole
from dialeval.resources import check
from dialeval.systems.huggingface import EMBEDDED

if TYPE_CHECKING:
    from dialeval.catalogue.building import KindInfo


def ls(json: Json = False) -> None:
    """List every kind of system: its keys, what it can do, and what is missing here.

    Example: dialeval systems ls
    """
    model = check(EMBEDDED, verify=False)
    known = kinds()
    if json:
        embedded = {"model": EMBEDDED, "state": model.state, "install": model.resource.install}
        print(jsonlib.dumps({"kinds": [_as_json(kind) for kind in known], "embedded": embedded}))
        return
    for kind in known:
        _print_kind(kind)
    print("Keys with ? are optional; 'dialeval docs systems' explains each.")
    here = "is installed" if model.state != "absent" else f"is not installed. Run: {model.resource.install}"
    print(f"The embedded model {EMBEDDED} {here}")
    print(f"Try one: dialeval chat {EMBEDDED}")


def _as_json(kind: KindInfo) -> dict[str, object]:
    return {
        "kind": kind.kind,
        "summary": kind.summary,
        "keys": [{"key": key.name, "needed": key.needed, "default": key.default} for key in kind.keys],
        "abilities": list(kind.abilities),
        "missing": list(kind.missing),
        "install": kind.install,
    }


def _print_kind(kind: KindInfo) -> None:
    width = PrintableConsole().width
    keys = ", ".join(key.name if key.needed else f"{key.name}?" for key in kind.keys)
    print(fill(f"{kind.kind}: {kind.summary}", width, subsequent_indent="  "))
    print(fill(f"  can: {', '.join(kind.abilities)}", width, subsequent_indent="    "))
    if keys:
        print(fill(f"  keys: {keys}", width, subsequent_indent="    "))
    if kind.missing:
        print(f"  cannot run here: {', '.join(kind.missing)} not installed. Run: {kind.install}")
    print()
