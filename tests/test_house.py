"""Checks of the whole source: codes steer, not prose; names in docs exist; the map for contributors is true.

Sizes of files, names and words are for reviewers.
"""

from __future__ import annotations

import ast
import pkgutil
import re
import tomllib
from collections.abc import Iterator

from dialeval.catalogue import CORPUS_MEASURES, METRICS, SYSTEMS, TASKS
from support.paths import DOCS, ROOT, TESTS
from support.source import SRC, Module, modules

PROSE = {"message", "reason", "status", "note", "error", "sentence", "advice", "warning", "problem", "detail"}
PROSE |= {"verdict", "explanation"}
CUTS = {
    "startswith",
    "endswith",
    "replace",
    "removeprefix",
    "removesuffix",
    "partition",
    "rpartition",
    "split",
}
MATCHES = {"search", "match", "fullmatch", "sub"}
NOT_PROSE = {
    "dialeval.text.sentences": "a sentence is part of what somebody said",
    "dialeval.consistency.pairs.making": "a sentence is part of what somebody said",
    "dialeval.consistency.pairs.rules": "a sentence is part of what somebody said",
    "dialeval.consistency.probing.entities": "a sentence is part of what somebody said",
    "dialeval.consistency.probing.persons": "a sentence is part of what somebody said",
    "dialeval.data.codec.parts": "a message is a turn in a file",
    "dialeval.cli.main": "Python has no code for a path with U+0000, only words",
    "dialeval.errors": "libraries have no code for a lack of memory, only words",
}


BY_TEXT = {
    "dialeval": "its stub has the imports",
    "dialeval.lazy": "the imports stand under TYPE_CHECKING",
    "dialeval.files.custom_code": "users name their own code",
    "dialeval.data.framed": "the libraries of tables",
    "dialeval.cli.verbs": "nothing is above the command line, and all verbs are called in its tests",
}


def test_folders_of_tests_mirror_the_packages() -> None:
    folders = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    packages = {module.path.parent.relative_to(SRC / "dialeval") for module in modules()}
    assert {str(folder) for folder in folders - packages} <= {"docs", "golden", "fuzz", "faults", "hardening"}


def test_the_map_for_contributors_is_the_import_contract() -> None:
    layers = _layers()
    present = {path.stem for path in (SRC / "dialeval").iterdir()}
    ordered = [set(re.findall(r"dialeval\.(\w+)", layer)) & present for layer in layers]
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text[text.index("## The map") : text.index("## Adding")]
    cells = re.findall(r"^\| (`[^|]*)\|", section, re.MULTILINE)
    mapped = [set(re.findall(r"`(\w+)(?:/|\.py)`", cell)) & present for cell in cells]
    assert [row for row in mapped if row] == [layer for layer in ordered if layer]
    assert set().union(*mapped) == {name for name in present if not name.startswith("_") and name != "py"}


def _layers() -> list[str]:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers: list[str] = contract["tool"]["importlinter"]["contracts"][0]["layers"]
    return layers


def test_names_in_docstrings_and_files_in_docs_exist() -> None:
    """What a docstring points to as `dialeval.room.name` can be imported; a ``.py`` file that a page names is there."""
    dotted = {
        (module.place, name)
        for module in modules()
        for name in re.findall(r"`(dialeval(?:\.\w+)+)`", module.path.read_text(encoding="utf-8"))
    }
    stale = [f"{place}: {name}" for place, name in sorted(dotted) if not _resolves(name)]
    pages = [*DOCS.glob("*.md"), *ROOT.glob("*.md")]
    files = [
        path.as_posix()
        for place in ("src", "tests", "docs", "bench")
        for path in (ROOT / place).rglob("*.py")
    ]
    named = {
        (page.name, name)
        for page in pages
        for name in re.findall(r"`([a-z_/]+\.py)`", page.read_text("utf-8"))
    }
    stale += [
        f"{page}: {name}"
        for page, name in sorted(named)
        if not any(path.endswith(f"/{name}") for path in files)
    ]
    assert stale == []


def test_tables_name_only_what_is_below_them() -> None:
    """The import contract sees what the catalogue names; no string hides a module of ours from it."""
    layers = [set(re.findall(r"dialeval\.(\w+)", layer)) for layer in _layers()]
    above = set().union(*layers[: layers.index({"catalogue"}) + 1])
    named = {
        name: maker.__module__.split(".")[1]
        for table in (METRICS, CORPUS_MEASURES, SYSTEMS)
        for name, maker in table.items()
    }
    named |= {name: type(task).__module__.split(".")[1] for name, task in TASKS.items()}
    assert {name: package for name, package in named.items() if package in above} == {}


def test_no_string_names_a_module_of_ours() -> None:
    """What is imported is written as an import: ``"dialeval.module:Name"`` can be neither clicked nor checked."""
    hidden = [
        f"{module.place}:{node.lineno}: {ast.unparse(node)}"
        for module in modules()
        for node in ast.walk(module.tree)
        if (isinstance(node, ast.Constant) and re.match(r"dialeval(\.\w+)+:(\w|$)", str(node.value)))
        or (isinstance(node, ast.Call) and module.name not in BY_TEXT and _imports_by_text(node))
    ]
    assert hidden == []


def _imports_by_text(node: ast.Call) -> bool:
    """Whether a call imports a module by a text, unless that names one of another library."""
    called = ast.unparse(node.func).rpartition(".")[2]
    theirs = isinstance(node.args[0], ast.Constant) if node.args else False
    return called in ("import_module", "__import__") and (not theirs or "dialeval" in ast.unparse(node))


def _resolves(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def test_only_an_estimate_has_a_low_and_a_high() -> None:
    """One interval has one type from the statistics to the page; other ranges have better names for their ends."""
    classes = [
        (f"{module.name}.{node.name}", {each.target.id for each in node.body if _is_field(each)})
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
    ]
    assert [name for name, fields in classes if {"low", "high"} <= fields] == [
        "dialeval.stats.estimate.Estimate"
    ]


def _is_field(node: ast.stmt) -> bool:
    return isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)


def test_no_prose_steers_behaviour() -> None:
    """Messages, reasons and notes are for people; what the program decides by is a code or a field."""
    steered = [
        f"{module.place}:{node.lineno}: {ast.unparse(node)}"
        for module in modules()
        if module.name not in NOT_PROSE
        for node in _reads_of_prose(module)
    ]
    assert steered == []


def _reads_of_prose(module: Module) -> Iterator[ast.Call | ast.Compare]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Compare):
            literal = isinstance(node.left, ast.Constant | ast.JoinedStr)
            if literal and isinstance(node.ops[0], ast.In | ast.NotIn) and _is_prose(node.comparators[0]):
                yield node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            cut = node.func.attr in CUTS and _is_prose(node.func.value)
            matched = node.func.attr in MATCHES and any(_is_prose(argument) for argument in node.args)
            if cut or matched:
                yield node


def _is_prose(node: ast.expr) -> bool:
    """Whether an expression is named as a text for people: ``reason``, ``result.status``, ``str(error)``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str":
        return bool(node.args) and _is_prose(node.args[0])
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name.rpartition("_")[2] in PROSE or ast.unparse(node) == "error.found"
