"""``dialeval systems``: which systems can be evaluated, and which of them can run here."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING

import typer

from dialeval.cli.options import Json

if TYPE_CHECKING:
    from dialeval.core import System
    from dialeval.systems.building import KindInfo

_SUMMARY = "Which systems can be evaluated."
app = typer.Typer(
    no_args_is_help=True, help=f"{_SUMMARY}\n\nExample: dialeval systems ls", short_help=_SUMMARY
)


@app.callback()
def _systems() -> None:
    # Without a callback typer would make the only verb the command itself.
    pass


@app.command("ls")
def ls(json: Json = False) -> None:
    """List every kind of system: its keys, what it can do, and what is missing here.

    Example: dialeval systems ls
    """
    from dialeval.resources import check
    from dialeval.systems.building import kinds
    from dialeval.systems.huggingface.files import EMBEDDED

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


def named_system(text: str) -> System:
    """The system that ``text`` names: as ``build_system`` knows it, or ``STUDY.yaml:NAME``."""
    from pathlib import Path

    from dialeval.systems.building import build_system

    path, colon, name = text.rpartition(":")
    if colon and path.endswith((".yaml", ".yml")):
        from dialeval.errors import UnknownName
        from dialeval.study import load_study

        systems = {system.name: system for system in load_study(Path(path)).systems}
        if name not in systems:
            raise UnknownName(f"system in {path}", name, systems, todo=f"There are {', '.join(systems)}.")
        return systems[name]
    return build_system(text)


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
    from textwrap import fill

    from dialeval.display.consoles import PrintableConsole

    width = PrintableConsole().width
    keys = ", ".join(key.name if key.needed else f"{key.name}?" for key in kind.keys)
    print(fill(f"{kind.kind}: {kind.summary}", width, subsequent_indent="  "))
    print(fill(f"  can: {', '.join(kind.abilities)}", width, subsequent_indent="    "))
    if keys:
        print(fill(f"  keys: {keys}", width, subsequent_indent="    "))
    if kind.missing:
        print(f"  cannot run here: {', '.join(kind.missing)} not installed. Run: {kind.install}")
    print()
