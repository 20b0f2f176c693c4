"""Write the metrics' names into the stub of ``dialeval``, and all public names into docs/api.md; tests compare them.

The page is docs/api.template, in which ``<!-- names: ... -->`` stands for the signatures and summaries of these names,
and ``<!-- metrics -->`` for a table of all metrics.
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

import dialeval
from dialeval.catalogue.metrics import EVERY

STUB = Path(dialeval.__file__).with_suffix(".pyi")
NAMES = re.compile(r"<!-- names: (.*?) -->")


def surface(stub: str) -> str:
    """The stub with every metric in it: each name once, with the module that defines it, in the order of imports."""
    opening, _, _ = stub.partition("from ")
    names: dict[str, set[str]] = {}
    for name, module in public_names(stub).items():
        names.setdefault(module, set()).add(name)
    for maker in EVERY.values():
        names.setdefault(maker.__module__, set()).add(maker.__name__)
    return opening + "".join(_line(module, names[module]) for module in sorted(names))


def _line(module: str, names: set[str]) -> str:
    ordered = sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    shown = [f"{name} as {name}" for name in ordered]
    if len(shown) == 1:
        return f"from {module} import {shown[0]}\n"
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in shown) + ")\n"


def public_names(stub: str) -> dict[str, str]:
    """The names of ``dialeval`` and the modules they come from."""
    imports = re.findall(r"^from ([\w.]+) import (\([^)]*\)|.*)$", stub, re.MULTILINE)
    return {name: module for module, names in imports for name in re.findall(r"\w+(?= as )", names)}


def page(template: str) -> str:
    """Return the page with what the package says of each name; ValueError if it lacks a name, or has a strange one."""
    metrics = _metrics()
    listed = [name for names in NAMES.findall(template) for name in names.split()] + list(metrics)
    public = [name for name in dialeval.__all__ if not name.startswith("_")]
    wrong = sorted(set(public).symmetric_difference(listed)) + [n for n in set(listed) if listed.count(n) > 1]
    if wrong:
        raise ValueError(f"docs/api.template must name each public name once; look at {', '.join(wrong)}")
    rows = [
        f"| `{name}` | `{written}` | {_summary(getattr(dialeval, name))} |"
        for name, written in metrics.items()
    ]
    table = "\n".join(["| class | in text | |", "|---|---|---|", *rows])
    text = NAMES.sub(lambda match: "\n".join(map(_entry, match[1].split())), template)
    return text.replace("<!-- metrics -->", table)


def _metrics() -> dict[str, str]:
    """Classes of metrics and corpus measures, and what each is called in text."""
    return {getattr(EVERY[name], "__name__", name): name for name in EVERY}


def _entry(name: str) -> str:
    thing = getattr(dialeval, name)
    summary = f"Constructors by name: {', '.join(thing)}." if name.isupper() else _summary(thing)
    return f"- **`{name}{_parameters(thing)}`**: {summary}"


def _parameters(thing: Any) -> str:
    """The parameters with their defaults, without types; nothing of a protocol, an exception or a table."""
    if not callable(thing) or getattr(thing, "_is_protocol", False) or name_of(thing).endswith("Error"):
        return ""
    shown = []
    for each in inspect.signature(thing).parameters.values():
        default = "" if each.default is each.empty else f"={_default(each.default)}"
        star = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        if each.kind is each.KEYWORD_ONLY and "*" not in shown:
            shown.append("*")
        if not each.name.startswith("_"):
            shown.append(f"{star}{each.name}{default}")
    return f"({', '.join(shown)})"


def _default(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 20 and "<" not in text else "..."


def name_of(thing: Any) -> str:
    """The name of a class or function; empty of anything else."""
    return str(getattr(thing, "__name__", ""))


def _summary(thing: Any) -> str:
    """The first paragraph of a docstring, as Markdown."""
    text = " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())
    return text.replace("``", "`").replace("|", "\\|")


if __name__ == "__main__":
    stub = surface(STUB.read_text(encoding="utf-8"))
    STUB.write_text(stub, encoding="utf-8")
    here = Path(__file__).parent
    written = page((here / "api.template").read_text(encoding="utf-8"))
    (here / "api.md").write_text(written, encoding="utf-8")
    print(f"wrote {STUB} and {here / 'api.md'}", file=sys.stderr)
