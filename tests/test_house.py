"""Checks of the whole source: one type per idea, small rooms, plain words, and a map that is true.

Each check has a list of stated exceptions beside it; keep those short, and say why.
"""

from __future__ import annotations

import ast
import itertools
import pkgutil
import re
import tomllib
from collections import Counter
from collections.abc import Iterator

from dialeval.study.capabilities import CAPABILITIES
from support.paths import DOCS, ROOT, TESTS
from support.source import SRC, Module, fields, functions, importers, modules

SAME_PROTOCOL = frozenset(f"{type(each).__module__}.{type(each).__name__}" for each in CAPABILITIES.values())
"""Capabilities of a study have the fields of one protocol, each with its own values."""

TWINS: frozenset[frozenset[str]] = frozenset(
    {
        # Statistics say NaN where documents say null.
        frozenset(
            {
                "dialeval.meta.document.estimated.Classical",
                "dialeval.stats.resampling.prediction_powered.ClassicalEstimate",
            }
        ),
        frozenset(
            {
                "dialeval.meta.document.estimated._Estimated",
                "dialeval.stats.resampling.prediction_powered.PPIEstimate",
            }
        ),
    }
)
"""Pairs of types that may share their fields."""

LONG_BODIES: frozenset[str] = frozenset()
"""Functions that may be longer than 60 lines."""

SMALL_MODULES = {
    "dialeval.__main__": "python -m dialeval",
    "dialeval.annotation.kinds.dialogue": "a kind of task",
    "dialeval.annotation.kinds.likert": "a kind of task",
    "dialeval.annotation.kinds.three_way": "a kind of task",
    "dialeval.annotation.kinds.yes_no": "a kind of task",
    "dialeval.cli.init": "a verb of the command line",
    "dialeval.cli.nbest.app": "a verb of the command line",
    "dialeval.cli.nlg.app": "a verb of the command line",
    "dialeval.cli.consistency.app": "a verb of the command line",
    "dialeval.cli.select.app": "a verb of the command line",
    "dialeval.metrics.length": "a metric",
    "dialeval.nlg.generating.lines": "the only writer of generated lines",
    "dialeval.consistency.report.section": "the same room in every evaluation",
    "dialeval.meta.report.section": "the same room in every evaluation",
    "dialeval.selection.report.section": "the same room in every evaluation",
    "dialeval.selfeval.report.section": "the same room in every evaluation",
}
"""Entries of tables and rooms of the shared layout: they may be small and have a single importer."""

DIALECT = re.compile(
    r"\b(anew|mend(?:s|ed|ing)?|for want of|told apart|brought forth|is not there|goes? on where|whoever"
    r"|value of its own|tells? \w+ \w+ apart|warn and go on|stop and go on|in any mixture|held against|lest"
    r"|(?<!there )is no (?!longer)\w+)\b",
    re.IGNORECASE,
)

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
    "dialeval.consistency.detecting.sentences": "a sentence is part of what somebody said",
    "dialeval.consistency.pairs.making": "a sentence is part of what somebody said",
    "dialeval.consistency.pairs.rules": "a sentence is part of what somebody said",
    "dialeval.consistency.probing.entities": "a sentence is part of what somebody said",
    "dialeval.consistency.probing.persons": "a sentence is part of what somebody said",
    "dialeval.data.codec.parts": "a message is a turn in a file",
    "dialeval.errors": "libraries have no code for a lack of memory, only words",
}


def test_folders_of_tests_mirror_the_packages() -> None:
    folders = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    packages = {module.path.parent.relative_to(SRC / "dialeval") for module in modules()}
    assert {str(folder) for folder in folders - packages} <= {"docs", "golden", "fuzz", "faults", "hardening"}


def test_no_two_types_have_the_same_fields() -> None:
    types = [
        (f"{module.name}.{node.name}", fields(node))
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
    ]
    twins = {
        frozenset((one, other))
        for (one, a), (other, b) in itertools.combinations(types, 2)
        if len(a & b) > 4 and len(a & b) >= 0.8 * len(a | b) and not {one, other} <= SAME_PROTOCOL
    }
    assert sorted(map(sorted, twins - TWINS)) == []
    assert sorted(map(sorted, TWINS - twins)) == [], "no longer needed in the list"


def test_no_folder_directly_holds_more_than_25_modules() -> None:
    rooms = Counter(module.path.parent.relative_to(SRC) for module in modules() if not module.is_package)
    assert {str(room): size for room, size in rooms.items() if size > 25} == {}


def test_no_module_is_so_small_that_its_only_reader_could_hold_it() -> None:
    small = {
        module.name
        for module in modules()
        if not module.is_package and module.lines < 40 and len(importers()[module.name]) <= 1
    }
    assert sorted(small - SMALL_MODULES.keys()) == []
    assert sorted(SMALL_MODULES.keys() - small) == [], "no longer needed in the list"


def test_no_file_is_longer_than_400_lines() -> None:
    assert {module.place: module.lines for module in modules() if module.lines > 400} == {}


def test_no_function_is_longer_than_60_lines_below_its_parameters() -> None:
    """Parameters and docstring do not count: those of a command are its options and its help."""
    long = {
        f"{module.name}.{function.name}"
        for module in modules()
        for function in functions(module.tree)
        if _length(function) > 60
    }
    assert sorted(long - LONG_BODIES) == []


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body[1:] if ast.get_docstring(function) and len(function.body) > 1 else function.body
    return (function.end_lineno or 0) - body[0].lineno + 1


def test_the_words_are_those_of_the_field() -> None:
    pages = [*DOCS.glob("*.md"), *ROOT.glob("*.md")]
    texts = {module.place: module.text for module in modules()}
    texts |= {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in pages}
    odd = [
        f"{place}:{number}: {match[0]}"
        for place, text in texts.items()
        for number, line in enumerate(text.splitlines(), 1)
        for match in DIALECT.finditer(line)
    ]
    assert odd == []


def test_the_map_for_contributors_is_the_import_contract() -> None:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = contract["tool"]["importlinter"]["contracts"][0]["layers"]
    present = {path.stem for path in (SRC / "dialeval").iterdir()}
    ordered = [set(re.findall(r"dialeval\.(\w+)", layer)) & present for layer in layers]
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text[text.index("## The map") : text.index("## Adding")]
    cells = re.findall(r"^\| (`[^|]*)\|", section, re.MULTILINE)
    mapped = [set(re.findall(r"`(\w+)(?:/|\.py)`", cell)) & present for cell in cells]
    assert [row for row in mapped if row] == [layer for layer in ordered if layer]
    assert set().union(*mapped) == {name for name in present if not name.startswith("_") and name != "py"}


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


def _resolves(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


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
