"""Records what dialeval writes and prints about the small study in ``study/``, to be pinned under ``files/``.

    cd tests && python -m golden.record    # every suite and kind
    python -m golden.record sentences        # only the wording of notes, reasons and verdicts
    python -m golden.record pages            # only pages and what is printed for people

``documents`` (JSON, CSV, Parquet: keys, order, types, numbers, codes, data) are promised to users and never change
without a note in the changelog. ``sentences`` are the prose inside of those, ``pages`` is the text of HTML, SVG and
Markdown files and of terminal output; both may be recorded again on purpose, where the diff shows nothing but the
new wording. The tests allow the last digits of numbers to differ, as they do between machines; whether bytes are
equal on one machine is seen by recording everything and looking at ``git diff tests/golden/files``.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final, NamedTuple

from dialeval.files.digests import hash_file

from . import documents
from .steps import DEMO_STEPS, NEURAL_STEPS, RETRIEVAL_STEPS, STEPS, Step

HERE: Final = Path(__file__).parent
STUDY: Final = HERE / "study"
FILES: Final = HERE / "files"
KINDS: Final = ("documents", "sentences", "pages")
SUITES: Final[dict[str, Sequence[Step]]] = {
    "base": STEPS,
    "demo": DEMO_STEPS,
    "retrieval": RETRIEVAL_STEPS,
    "neural": NEURAL_STEPS,
}

PAGES: Final = {".html", ".svg", ".md"}
NOT_PINNED: Final = re.compile(
    r"\.cache/|copied/|(^|/)secret$|runs/demo/(examples|results|points)|/lexical/|\.npy$|\.safetensors$|/tokenizer\.json$"
)
"""Caches, copies of bundled files, rows of the bundled demo, search indexes, arrays and weights."""


ASIDE: Final = ("style", "begins as")
"""What we say of a document, and is not in it."""


def record(suite: str, target: Path) -> None:
    """Run a suite's commands in a fresh folder and write documents, sentences and pages below ``target``."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder).resolve() / "here"
        shutil.copytree(STUDY, here)
        _Recorder(here, target).run(SUITES[suite])


class _Recorder:
    """Runs commands and pins what each has printed and written."""

    def __init__(self, here: Path, target: Path) -> None:
        self.here = here
        self.target = target
        self.seen = set(self._files())
        self.codes: dict[str, dict[str, Any]] = {}
        self.digests: dict[str, str] = {}
        self.known = {text for path in STUDY.iterdir() for text in documents.texts_of(path)}

    def run(self, steps: Sequence[Step]) -> None:
        for step in steps:
            self.known |= {f"dialeval {step.line}", *step.arguments}
        for step in steps:
            outcome = run_command(step.arguments, self.here)
            self.codes[step.name] = {"command": f"dialeval {step.line}", "code": outcome.code}
            written = [path for path in self._files() if path not in self.seen]
            self.seen.update(written)
            self.digests |= {hash_file(path): name for path in written if (name := self._of_scores(path))}
            self._pin_printed(step, outcome, written)
            for path in written:
                self._pin_file(path)
        self._write("documents", "exit_codes.json", documents.render(self.codes))

    def _of_scores(self, path: Path) -> str | None:
        """The name that stands for the digest of a file of scores, whose last digits differ between machines."""
        name = path.relative_to(self.here).as_posix()
        return f"<sha256 of {name}>" if name.startswith("scored/") else None

    def _files(self) -> list[Path]:
        found = (path for path in sorted(self.here.rglob("*")) if path.is_file())
        return [path for path in found if not NOT_PINNED.search(path.relative_to(self.here).as_posix())]

    def _pin_printed(self, step: Step, outcome: Outcome, written: Sequence[Path]) -> None:
        if outcome.err:
            self._write("pages", f"printed/{step.name}.stderr.txt", tidy(outcome.err, self.here))
        if not step.prints_json:
            self._write("pages", f"printed/{step.name}.txt", tidy(outcome.out, self.here))
            return
        document = documents.parse_json(outcome.out or "null")
        for path in written:
            if path.suffix == ".json":
                document = _shortened(document, documents.read_document(path), path.relative_to(self.here))
        machine = documents.MACHINE.get(step.name, frozenset())
        self._pin(f"printed/{step.name}.json", document, documents.VOLATILE | machine)

    def _pin_file(self, path: Path) -> None:
        name = path.relative_to(self.here).as_posix()
        if path.suffix in PAGES:
            text = path.read_text(encoding="utf-8")
            self._write(
                "pages", f"{name}.txt", tidy(text if path.suffix == ".md" else page_text(text), self.here)
            )
        else:
            self._pin(f"{name}.json" if path.suffix != ".json" else name, documents.read_document(path))

    def _pin(self, name: str, document: Any, volatile: frozenset[str] = documents.VOLATILE) -> None:
        splitter = documents.Splitter(self.known, str(self.here), volatile)
        content = {key: value if key in ASIDE else splitter.split(value) for key, value in document.items()}
        self._write("documents", name, documents.render(content))
        if splitter.sentences:
            lines = [f"{text}\n    {' '.join(places)}" for text, places in splitter.sentences.items()]
            self._write("sentences", f"{name.removesuffix('.json')}.txt", "\n".join(lines))

    def _write(self, kind: str, name: str, text: str) -> None:
        path = self.target / kind / name
        for digest, known in self.digests.items():
            text = text.replace(digest, known)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


def _shortened(printed: dict[str, Any], written: dict[str, Any], path: Path) -> dict[str, Any]:
    """What was printed, without what a file written by the same command already says."""
    content, file = printed.get("content"), written["content"]
    if (
        not isinstance(content, dict)
        or not isinstance(file, dict)
        or list(content)[: len(file)] != list(file)
    ):
        return printed
    if any(content[key] != file[key] for key in file):
        return printed
    more = {key: content[key] for key in list(content)[len(file) :]}
    return {"style": printed["style"], "begins as": path.as_posix(), "then": more}


class Outcome(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


def run_command(arguments: Sequence[str], folder: Path) -> Outcome:
    """Run a command in this process, in a folder that is also its cache."""
    from dialeval.cli import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    before = (sys.argv, Path.cwd(), dict(os.environ))
    sys.argv = ["dialeval", *arguments]
    os.environ.pop("CI", None)  # there, studies with gates use no cached answers
    os.environ |= {"XDG_CACHE_HOME": str(folder / ".cache"), "COLUMNS": "80", "NO_COLOR": "1"}
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    finally:
        sys.argv = before[0]
        os.chdir(before[1])
        os.environ.clear()
        os.environ.update(before[2])
    return Outcome(code, *(_written(stream) for stream in (out, err)))


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def tidy(text: str, here: Path) -> str:
    """A page's text without this machine's times, versions and paths."""
    text = documents.without_places(text, str(here)).replace(platform.platform(), "<platform>")
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\+00:00| UTC)?", "<time>", text)
    text = re.sub(r"\bPython \d[\d.]+", "Python <version>", text)
    text = re.sub(r"\bdialeval \d+\.\d+\.\d+\S*", "dialeval <version>", text)
    text = re.sub(r"^(\S+ \d[\d.]*\S*, ){3,}.*$", "<packages>", text, flags=re.MULTILINE)
    return "\n".join(line.rstrip() for line in text.splitlines())


class _Text(HTMLParser):
    """Collects the text of a page, a line for each element that has some."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden += tag in ("style", "script")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in ("style", "script")

    def handle_data(self, data: str) -> None:
        words = " ".join(data.split())
        if words and not self.hidden:
            self.lines.append(words)


def page_text(page: str) -> str:
    """The text of an HTML or SVG page, without markup, styles and scripts."""
    parser = _Text()
    parser.feed(page)
    return "\n".join(parser.lines)


def files_of(folder: Path) -> Iterator[str]:
    """The names of all files below a folder, sorted."""
    return (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file())


def main(kinds: Sequence[str]) -> None:
    """Record every suite and replace the named kinds of files."""
    os.environ["OMP_NUM_THREADS"] = "1"  # as in tests: sums over threads differ in their last digits
    for suite in SUITES:
        with tempfile.TemporaryDirectory() as folder:
            record(suite, Path(folder))
            for kind in kinds:
                shutil.rmtree(FILES / suite / kind, ignore_errors=True)
                if (Path(folder) / kind).is_dir():
                    shutil.copytree(Path(folder) / kind, FILES / suite / kind)
            print(f"{suite}: {', '.join(kinds)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"{', '.join(KINDS)}; by default all")
    given = parser.parse_args().kinds
    if unknown := set(given) - set(KINDS):
        parser.error(f"unknown kind: {', '.join(sorted(unknown))}; expected {', '.join(KINDS)}")
    main([kind for kind in KINDS if kind in given] or KINDS)
