"""Source files of the project, parsed, for checks of its layout and words."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from support.paths import ROOT

SRC = ROOT / "src"


@dataclass(frozen=True)
class Module:
    """One Python file."""

    path: Path
    name: str
    """As it is imported: ``dialeval.data.read``; a package's own name for its ``__init__``."""
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        return self.text.count("\n")

    @property
    def place(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"


@cache
def modules() -> tuple[Module, ...]:
    """All of ``src``, in order."""
    return tuple(_module(path) for path in sorted(SRC.rglob("*.py")))


def _module(path: Path) -> Module:
    parts = path.relative_to(SRC).with_suffix("").parts
    text = path.read_text(encoding="utf-8")
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Module(path, name, text, ast.parse(text))


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def fields(node: ast.ClassDef) -> frozenset[str]:
    """The annotated names in a class body: fields of a dataclass, a named tuple or a model."""
    return frozenset(
        item.target.id
        for item in node.body
        if isinstance(item, ast.AnnAssign)
        and isinstance(item.target, ast.Name)
        and not ast.unparse(item.annotation).startswith("ClassVar")
    )


@cache
def importers() -> dict[str, frozenset[str]]:
    """For each module, the modules of ``src`` that import it, functions' imports and named tables included."""
    names = {module.name for module in modules()}
    found: dict[str, set[str]] = defaultdict(set)
    for module in modules():
        for target in _imported(module.tree, names):
            if target != module.name:
                found[target].add(module.name)
    return {name: frozenset(found[name]) for name in names}


def _imported(tree: ast.Module, names: set[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in inner if name in names)
            if node.module in names and any(name not in names for name in inner):
                yield node.module
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            head = node.value.partition(":")[0]
            if head in names:
                yield head
