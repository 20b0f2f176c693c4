"""Write the metrics' names into the stub of ``dialeval``, and all public names into docs/api.md; tests compare them."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import dialeval
from dialeval.metrics import EVERY

STUB = Path(dialeval.__file__).with_suffix(".pyi")
OPENING = """\
# Python

Written from the public names of each package by `docs/write_api.py`.

The most used names can be imported from `dialeval` itself:

{names}

All public names are documented below, by package.
"""
OPTIONS = "    options:\n      show_root_heading: false\n      heading_level: 3\n      members: [{members}]\n"
ELSEWHERE = {"cli", "version"}
"""The command line has its own page."""


def surface(stub: str) -> str:
    """The stub with every metric in it: each name once, with the module that defines it, in the order of imports."""
    opening, _, _ = stub.partition("from ")
    names: dict[str, set[str]] = {}
    for name, module in public_names(stub).items():
        names.setdefault(module, set()).add(name)
    for entry in EVERY.entries:
        module, _, name = entry.place.partition(":")
        names.setdefault(module, set()).add(name)
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


def page(stub: str) -> str:
    """The page: one section per package, with the names it exports and those that ``dialeval`` takes from it."""
    public = public_names(stub)
    names = ", ".join(f"`{name}`" for name in sorted(public) if not name.startswith("_"))
    sections = [_section(package, public) for package in _packages()]
    return "\n".join([OPENING.format(names=names), *filter(None, sections)])


def _packages() -> Iterator[str]:
    for module in pkgutil.iter_modules(dialeval.__path__):
        if not module.name.startswith("_") and module.name not in ELSEWHERE:
            yield f"dialeval.{module.name}"


def _section(package: str, public: dict[str, str]) -> str:
    exports = _exports(package)
    known = set().union(*exports.values())
    blocks = [
        f"::: {module}\n{OPTIONS.format(members=', '.join(sorted(names)))}"
        for module, names in sorted(exports.items())
        if names
    ]
    blocks += [
        f"::: {module}.{name}\n    options:\n      heading_level: 3\n"
        for name, module in public.items()
        if module.startswith(f"{package}.") and name not in known
    ]
    return "\n".join([f"## {package}\n", *blocks]) if blocks else ""


def _exports(package: str) -> dict[str, set[str]]:
    """The names that a package and the packages inside it export, each under the outermost one.

    Where a package has no ``__all__``, its modules' public classes and functions are its public names.
    """
    module = importlib.import_module(package)
    exports = {package: set(getattr(module, "__all__", ())) or _defined(Path(str(module.__file__)))}
    for inner in pkgutil.iter_modules(getattr(module, "__path__", ()), f"{package}."):
        if inner.ispkg:
            exports |= {
                name: names - set().union(*exports.values()) for name, names in _exports(inner.name).items()
            }
        elif not hasattr(module, "__all__"):
            exports[inner.name] = _defined(
                Path(str(module.__file__)).parent / f"{inner.name.rpartition('.')[2]}.py"
            )
    return exports


def _defined(path: Path) -> set[str]:
    """Public classes and functions that a module defines; it is not imported, since it may need absent packages."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    defined = {node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    return {name for name in defined if not name.startswith("_")}


if __name__ == "__main__":
    stub = surface(STUB.read_text(encoding="utf-8"))
    for path, text in ((STUB, stub), (Path(__file__).with_name("api.md"), page(stub))):
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path}", file=sys.stderr)
