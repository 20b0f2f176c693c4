"""Write the metrics' names into the public surface and into docs/api.md, from the tables; a test compares them.

``src/dialeval/__init__.pyi`` gets a line for every metric that it lacks; the section of docs/api.md is written again.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import dialeval
from dialeval.metrics import EVERY

SECTION = re.compile(
    r"(<!-- metrics: written by docs/write_api.py -->\n).*?(<!-- end of metrics -->)", re.DOTALL
)


def surface(stub: str) -> str:
    """The stub with every metric in it: each name once, with the module that defines it, in the order of imports."""
    opening, _, _ = stub.partition("from ")
    names: dict[str, set[str]] = {}
    for module, imported in re.findall(r"^from ([\w.]+) import (\([^)]*\)|.*)$", stub, re.MULTILINE):
        names[module] = set(re.findall(r"\w+(?= as )", imported))
    for entry in EVERY.entries:
        module, _, name = entry.place.partition(":")
        names.setdefault(module, set()).add(name)
    return opening + "".join(_line(module, names[module]) for module in sorted(names))


def page(text: str) -> str:
    """The page with a heading for every metric."""
    headings = "".join(f"::: {entry.place.replace(':', '.')}\n\n" for entry in EVERY.entries)
    return SECTION.sub(lambda found: f"{found[1]}\n{headings}{found[2]}", text)


def _line(module: str, names: set[str]) -> str:
    ordered = sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    shown = [f"{name} as {name}" for name in ordered]
    if len(shown) == 1:
        return f"from {module} import {shown[0]}\n"
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in shown) + ")\n"


if __name__ == "__main__":
    stub = Path(dialeval.__file__).with_suffix(".pyi")
    api = Path(__file__).with_name("api.md")
    for path, write in ((stub, surface), (api, page)):
        path.write_text(write(path.read_text(encoding="utf-8")), encoding="utf-8")
        print(f"wrote {path}", file=sys.stderr)
