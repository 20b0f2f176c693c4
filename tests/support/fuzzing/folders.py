"""Folders that the commands write, as targets: each is made by the real command, then one file of it is mutated."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from support.fuzzing import mutations, seeds
from support.fuzzing.targets import Target, whole

STUDY = """\
name: fuzzed
data: prompts.jsonl
trials: 20
systems:
  - {name: a, kind: transcript, path: old.jsonl}
  - {name: echo, kind: echo}
measures: [rouge_l, length]
human: ratings.jsonl
"""


def made(folder: Path) -> list[Target]:
    """The run folder, the folders of asking and meta-evaluation, and a rating study."""
    from dialeval.annotation.project import read_project
    from dialeval.meta.folder import read_meta
    from dialeval.meta.points import read_points
    from dialeval.study.folder import read_run
    from dialeval.study.loading import load_run

    prompts = [{**row, "id": f"e{n}"} for n, row in enumerate(seeds.PROMPTS * 2)]
    answers = [
        {**seeds.EXAMPLES[0], "id": f"e{n}", "context": row["context"]} for n, row in enumerate(prompts)
    ]
    ratings = [
        {"item": f"e{n}", "system": name, "rater": f"r{m}", "criterion": "overall", "value": (n + m) % 5}
        for n in range(6)
        for name in ("a", "echo")
        for m in range(2)
    ]
    files = {
        "study.yaml": STUDY.encode(),
        "prompts.jsonl": seeds.jsonl(prompts),
        "old.jsonl": seeds.jsonl(answers),
    }
    files |= {"questions.jsonl": seeds.jsonl(seeds.QUESTIONS), "ratings.jsonl": seeds.jsonl(ratings)}
    folder.mkdir(parents=True, exist_ok=True)
    for name, raw in files.items():
        (folder / name).write_bytes(raw)
    with _inside(folder):
        _command("run", "study.yaml", "-o", "run", "--cache", "cache")
        _command("meta", "run", "ratings.jsonl", "-o", "meta", "--trials", "20")
        _command(
            "select",
            "ask",
            "questions.jsonl",
            "--system",
            "tfidf",
            "--system",
            "tfidf(name='other')",
            "-o",
            "asked",
            "--trials",
            "20",
        )
        _command("annotate", "init", "old.jsonl", "-o", "rating")
    few = {"share": 0.15, "mutations": mutations.JSON}
    run, meta, asked, rating = (_files(folder / name) for name in ("run", "meta", "asked", "rating"))
    pages = (".html", ".lock")
    return [
        Target("run folder", run, whole(lambda path: read_run(path.parent)), spoilt=_read(run, pages), **few),  # type: ignore[arg-type]
        Target(
            "run to compare", run, whole(lambda path: load_run(path.parent)), spoilt=_read(run, pages), **few
        ),  # type: ignore[arg-type]
        Target(
            "folder of asking",
            asked,
            whole(lambda path: load_run(path.parent)),
            spoilt=_read(asked, pages),
            **few,
        ),  # type: ignore[arg-type]
        Target(
            "meta folder",
            meta,
            whole(lambda path: (read_meta(path.parent), read_points(path.parent / "points.parquet"))),
            spoilt=_read(meta, pages),
            **few,
        ),  # type: ignore[arg-type]
        Target(
            "rating study",
            rating,
            whole(lambda path: read_project(path.parent)),
            spoilt=_read(rating, (*pages, ".sqlite")),
            **few,
        ),  # type: ignore[arg-type]
    ]


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def _read(files: Mapping[str, bytes], left_out: tuple[str, ...]) -> list[str]:
    return [name for name in files if not name.endswith(left_out)]


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _command(*arguments: str) -> None:
    """A command in this process, which must succeed."""
    from dialeval.cli import main

    before, said = sys.argv, io.StringIO()
    sys.argv = ["dialeval", *arguments]
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            main()
    except SystemExit as stop:
        if stop.code:
            raise RuntimeError(said.getvalue()) from None
    finally:
        sys.argv = before
