"""``dialeval demo``: one study on bundled examples, with no key, no download and no file of yours."""

from __future__ import annotations

import dataclasses
import io
import shutil
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialeval.cli.options import CacheFolder, Jobs, Json, Resume
from dialeval.cli.run import annotated, carry_out
from dialeval.files.atomic import write_atomically

if TYPE_CHECKING:
    from dialeval.study import Study


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="The run folder.")] = Path("runs/demo"),
    copy: Annotated[
        Path | None, typer.Option("--copy", help="Only copy the demo study here, to start your own from.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Leave out the pages on selection, n-best lists and consistency.")
    ] = False,
    all_metrics: Annotated[
        bool, typer.Option("--all", help="Measure by every metric that can run here: a minute or two.")
    ] = False,
    jobs: Jobs = 1,
    resume: Resume = True,
    cache: CacheFolder = None,
    json: Json = False,
) -> None:
    """Run one study on bundled dialogues: print its verdict and first scores, and write a report with the rest.

    The report links pages on response selection, n-best lists and contradictions, made from other bundled examples.

    Example: dialeval demo -o runs/demo
    """
    from dialeval.errors import BadInput
    from dialeval.study import load_study

    with as_file(files("dialeval.study").joinpath("demo")) as bundled:
        if copy is not None:
            if copy.exists():
                raise BadInput(str(copy), "an existing path", "a new folder", "Give another name.")
            _copy(bundled, copy)
            print(f"Copied. Now try: {_program()} run {copy / 'study.yaml'}")
            return
        study = load_study(bundled / "study.yaml")
        if all_metrics:
            study = _with_everything(study)

        def write_pages() -> None:
            _write_pages(bundled, out, resume=resume, cache=cache)

        then = None if quick else write_pages
        carry_out(study, out, jobs=jobs, resume=resume, cache=cache, json=json, brief=True, then=then)
    if not json:
        _print_next()


def _copy(bundled: Path, target: Path) -> None:
    """Copy the files to a new folder, or leave none: half a study could neither be run nor be copied again."""
    try:
        for file in sorted(path for path in bundled.rglob("*") if path.is_file()):
            write_atomically(target / file.relative_to(bundled), file.read_bytes())
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise


def _with_everything(study: Study) -> Study:
    """The study with every other metric that can run here; the rest are named on stderr."""
    from dialeval.metrics import EVERY_METRIC
    from dialeval.metrics.scoring import available
    from dialeval.study import build_measure

    already = {measure.label: measure for measure in study.measures}
    print("Every metric: the first time, some compile their tables, up to a minute.", file=sys.stderr)
    usable = available(name for name in EVERY_METRIC if name not in already)
    for name, obstacle in usable.obstacles.items():
        print(f"left out: {name}: {obstacle}", file=sys.stderr)
    study = annotated(study, f"by dialeval demo with more measures: {', '.join(usable.metrics)}")
    more = (build_measure(name) for name in EVERY_METRIC if name in usable.metrics)
    return dataclasses.replace(study, measures=(*already.values(), *more))


def _write_pages(bundled: Path, out: Path, *, resume: bool, cache: Path | None) -> None:
    """Write pages on what the study does not measure, each in a folder of the run; the report links them."""
    from dialeval.cli.consistency.detect import detect
    from dialeval.cli.nbest.measure import measure
    from dialeval.cli.select.ask import ask

    print("Writing the report, with pages on selection, n-best lists and contradictions ...", file=sys.stderr)
    choosers = [str(bundled / "selection" / "smollm2-135m-instruct.jsonl"), *_encoder(), "tfidf"]

    def selection() -> None:
        questions = str(bundled / "selection" / "questions.jsonl")
        ask(questions, choosers, out=out / "selection", cluster="auto", resume=resume, cache=cache)

    def nbest() -> None:
        measure(str(bundled / "nbest" / "lists.jsonl"), out=out / "nbest", resume=resume, cache=cache)

    def consistency() -> None:
        dialogues = str(bundled / "consistency" / "dialogues.jsonl")
        detect(dialogues, out=out / "consistency", resume=resume, cache=cache)

    for write in (selection, nbest, consistency):
        _write_quietly(write)


def _encoder() -> list[str]:
    """The embedded encoder as a chooser, if its weights are installed."""
    from dialeval.encoder import find_encoder
    from dialeval.errors import ResourceUnavailable

    try:
        find_encoder("minilm")
    except ResourceUnavailable as error:
        print(f"left out: encoder: {error}", file=sys.stderr)
        return []
    return ["encoder"]


def _write_quietly(write: Callable[[], None]) -> None:
    """Write a page, with nothing on the terminal; say that it is left out if what it needs is not installed."""
    from dialeval.errors import ResourceUnavailable

    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            write()
    except ResourceUnavailable as error:
        print(f"left out: {write.__name__}: {error}", file=sys.stderr)


def _print_next() -> None:
    """Print what to try next: only commands that work in this installation as they stand."""
    from dialeval.cli.annotate.serve import missing_packages

    program = _program()
    print(f"Your own data: {program} demo --copy my-study")
    if not missing_packages():
        print(f"Rate answers in the browser: {program} annotate demo")


def _program() -> str:
    """The command that started this: ``dialeval``, or its path if the shell would not find it by name."""
    given = Path(sys.argv[0])
    if given.name != "dialeval" or not given.is_file():
        return "dialeval"
    found = shutil.which("dialeval")
    return "dialeval" if found is not None and given.samefile(found) else str(given)
