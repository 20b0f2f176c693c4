"""Count how far a reader walks through the source: ``python -m bench.house``, with ``--source FOLDER`` of another copy.

Lines, files, types and imports are read from the source; files, functions and modules that two small commands enter are
counted while they run.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

SOURCE: Final = Path(__file__).parents[1] / "src"
TRACED: Final = """
import json, sys, threading
from inspect import CO_OPTIMIZED  # of functions; bodies of classes are without it
entered, root = set(), sys.argv[1]
def enter(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(root) and not code.co_name.startswith("<"):
        if code.co_flags & CO_OPTIMIZED:
            entered.add((code.co_filename, code.co_qualname, code.co_firstlineno))
sys.argv[:] = ["dialeval", *sys.argv[3:]]
import dialeval.cli
threading.setprofile(enter)
sys.setprofile(enter)
try:
    dialeval.cli.main()
except SystemExit as left:
    assert not left.code, left.code
finally:
    sys.setprofile(None)
    with open(OUT, "w") as out:
        json.dump([sorted(entered), sorted(n for n in sys.modules if n.partition(".")[0] == "dialeval")], out)
"""


class Walk(NamedTuple):
    """What a command enters on its way."""

    files: int
    functions: int
    modules: int
    """Of ours, that are imported when it ends."""


class _File(NamedTuple):
    path: Path
    name: str
    lines: int
    tree: ast.Module


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.house", description=__doc__)
    parser.add_argument("--source", type=Path, default=SOURCE, help="folder with the package (default: src)")
    source = parser.parse_args(arguments).source.resolve()
    for name, count in rows(source):
        print(f"{name:<72} {count}")


def rows(source: Path) -> Iterator[tuple[str, str]]:
    """What is counted, and the count."""
    files = [_read(path, source) for path in sorted((source / "dialeval").rglob("*.py"))]
    yield "lines / files", f"{sum(file.lines for file in files)} / {len(files)}"
    yield "files with one importer; of these under 80 lines", "; ".join(map(str, _fragments(files)))
    classes = [node for file in files for node in ast.walk(file.tree) if isinstance(node, ast.ClassDef)]
    yield "classes with low and high", str(sum({"low", "high"} <= _fields(node) for node in classes))
    built = Counter(_called(files))
    data = [node.name for node in classes if _fields(node) and not _methods(node)]
    once = sum(built[name] == 1 for name in data)
    yield "data-only classes; of these built in one place", f"{len(data)}; {once}"
    inside = [node for file in files for node in _inside(file.tree)]
    ours = sum("dialeval" in ast.unparse(node) for node in inside)
    yield "imports inside functions; of modules of ours", f"{len(inside)}; {ours}"
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        _write_inputs(Path(scratch))
        scored = walk(source, "score", "items.jsonl", "-m", "rouge_l")
        yield "score -m rouge_l, three items: files, functions", f"{scored.files}, {scored.functions}"
        ran = walk(source, "run", "study.yaml", "-o", "out")
        yield "run, two transcripts, two measures: files, functions", f"{ran.files}, {ran.functions}"
        yield "modules of ours imported by that run", str(ran.modules)


def walk(source: Path, *command: str) -> Walk:
    """Run a command of the package in ``source``, and count what it enters."""
    root, out = str(source / "dialeval"), str(Path("entered.json").resolve())
    program = TRACED.replace("OUT", repr(out))
    paths = os.pathsep.join([str(source), *filter(None, [os.environ.get("PYTHONPATH")])])
    subprocess.run(
        [sys.executable, "-c", program, root, "--", *command],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": paths},
    )
    entered, modules = json.loads(Path(out).read_text())
    return Walk(len({place for place, _, _ in entered}), len(entered), len(modules))


def _write_inputs(folder: Path) -> None:
    said = {"items": "ax bix cux", "one": "ax bix cux", "two": "ax dox cux"}
    for name, text in said.items():
        lines = [
            {"id": str(at), "context": ["hello"], "response": text + " yes" * at, "references": ["ax bix"]}
            for at in range(3)
        ]
        folder.joinpath(f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    folder.joinpath("study.yaml").write_text(
        "data: items.jsonl\nmeasures: [rouge_l, length]\nsystems:\n"
        "- {name: one, kind: transcript, path: one.jsonl}\n- {name: two, kind: transcript, path: two.jsonl}\n"
    )


def _read(path: Path, source: Path) -> _File:
    parts = path.relative_to(source).with_suffix("").parts
    text = path.read_text(encoding="utf-8")
    return _File(
        path, ".".join(parts[:-1] if parts[-1] == "__init__" else parts), text.count("\n"), ast.parse(text)
    )


def _fragments(files: Sequence[_File]) -> tuple[int, int]:
    """Modules, no packages, that exactly one other file imports; and those of them with fewer than 80 lines."""
    names, importers = {file.name for file in files}, {file.name: set[Path]() for file in files}
    for file in files:
        for node in ast.walk(file.tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                found = [f"{node.module}.{alias.name}" for alias in node.names]
                for name in {each if each in names else node.module for each in found} & names:
                    importers[name].add(file.path)
    single = [file for file in files if file.path.stem != "__init__" and len(importers[file.name]) == 1]
    return len(single), sum(file.lines < 80 for file in single)


def _fields(node: ast.ClassDef) -> set[str]:
    return {
        each.target.id
        for each in node.body
        if isinstance(each, ast.AnnAssign)
        and isinstance(each.target, ast.Name)
        and not ast.unparse(each.annotation).startswith("ClassVar")
    }


def _methods(node: ast.ClassDef) -> bool:
    return any(isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) for each in node.body)


def _called(files: Sequence[_File]) -> Iterator[str]:
    """Names that are called, once for each place that does."""
    for file in files:
        for node in ast.walk(file.tree):
            if isinstance(node, ast.Call):
                yield ast.unparse(node.func).rpartition(".")[2]


def _inside(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports inside functions, each once."""
    found = {
        id(node): node
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    yield from found.values()


if __name__ == "__main__":
    main(sys.argv[1:])
