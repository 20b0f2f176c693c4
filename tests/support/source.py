"""Source files of the project, parsed, for checks of the whole."""

from __future__ import annotations

import ast
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
    def place(self) -> str:
        return self.path.relative_to(ROOT).as_posix()


@cache
def modules() -> tuple[Module, ...]:
    """All of ``src``, in order."""
    return tuple(_module(path) for path in sorted(SRC.rglob("*.py")))


def _module(path: Path) -> Module:
    parts = path.relative_to(SRC).with_suffix("").parts
    text = path.read_text(encoding="utf-8")
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Module(path, name, text, ast.parse(text))


def fields(node: ast.ClassDef) -> frozenset[str]:
    """The annotated names in a class body: fields of a dataclass, a named tuple or a model."""
    return frozenset(
        item.target.id
        for item in node.body
        if isinstance(item, ast.AnnAssign)
        and isinstance(item.target, ast.Name)
        and not ast.unparse(item.annotation).startswith("ClassVar")
    )
