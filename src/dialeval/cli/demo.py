"""``dialeval demo``: one study on bundled examples, with no key, no download and no file of yours."""

from __future__ import annotations

import dataclasses
import io
import shlex
import shutil
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dialeval.catalogue.metrics import EVERY_METRIC
from dialeval.catalogue.scores import available
from dialeval.cli.annotate.serve import missing_packages
from dialeval.cli.consistency.detect import detect
from dialeval.cli.execution import Execution
from dialeval.cli.nbest.measure import measure
from dialeval.cli.run import annotated, carry_out
from dialeval.cli.scoring import tell_left_out
from dialeval.cli.select.ask import ask
from dialeval.encoder import find_encoder
from dialeval.errors import BadInput, ResourceUnavailable
from dialeval.files.atomic import write_atomically
from dialeval.options import Option, Options
from dialeval.study import build_measure, load_study

if TYPE_CHECKING:
    from dialeval.study import Study


def demo(
    out: Annotated[Path, Option("--out", "-o", help="The run folder.")] = Path("runs/demo"),
    copy: Annotated[
        Path | None, Option("--copy", help="Only copy the demo study here, to start your own from.")
    ] = None,
    quick: Annotated[
        bool, Option("--quick", help="Leave out the pages on selection, n-best lists and consistency.")
    ] = False,
    all_metrics: Annotated[
        bool, Option("--all", help="Measure by every metric that can run here: a minute or two.")
    ] = False,
    execution: Annotated[Execution, Options("jobs", "resume", "cache", "json")] = Execution(),
) -> None:
    """Run one study on bundled dialogues: print its verdict and first scores, and write a report with the rest.

    The report links pages on response selection, n-best lists and contradictions, made from other bundled examples.

    Example: dialeval demo -o runs/demo
    """
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
            _write_pages(bundled, out, Execution(resume=execution.resume, cache=execution.cache))

        then = None if quick else write_pages
        carry_out(study, out, execution, brief=True, then=then)
    if not execution.json:
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
    already = {measure.label: measure for measure in study.measures}
    print("Every metric: the first time, some compile their tables, up to a minute.", file=sys.stderr)
    usable = available(name for name in EVERY_METRIC if name not in already)
    tell_left_out(usable.obstacles)
    study = annotated(study, f"by dialeval demo with more measures: {', '.join(usable.metrics)}")
    more = (build_measure(name) for name in EVERY_METRIC if name in usable.metrics)
    return dataclasses.replace(study, measures=(*already.values(), *more))


def _write_pages(bundled: Path, out: Path, execution: Execution) -> None:
    """Write pages on what the study does not measure, each in a folder of the run; the report links them."""
    print("Writing the report, with pages on selection, n-best lists and contradictions ...", file=sys.stderr)
    lacking = _lacking_encoder()
    encoder = [] if lacking else ["encoder"]
    choosers = [str(bundled / "selection" / "smollm2-135m-instruct.jsonl"), *encoder, "tfidf"]

    def selection() -> None:
        questions = str(bundled / "selection" / "questions.jsonl")
        ask(questions, choosers, out=out / "selection", execution=execution)

    def nbest() -> None:
        measure(str(bundled / "nbest" / "lists.jsonl"), out=out / "nbest", execution=execution)

    def consistency() -> None:
        dialogues = str(bundled / "consistency" / "dialogues.jsonl")
        detect(dialogues, out=out / "consistency", execution=execution)

    for write in (selection, nbest, consistency):
        lacking |= _lacking_page(write)
    tell_left_out(lacking)


def _lacking_encoder() -> dict[str, str]:
    """Return why the embedded encoder is no chooser, if its weights are not installed."""
    try:
        find_encoder("minilm")
    except ResourceUnavailable as error:
        return {"encoder": str(error)}
    return {}


def _lacking_page(write: Callable[[], None]) -> dict[str, str]:
    """Write a page, with nothing on the terminal; return why it is left out if what it needs is not installed."""
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            write()
    except ResourceUnavailable as error:
        return {write.__name__: str(error)}
    return {}


def _print_next() -> None:
    """Print what to try next: only commands that work in this installation as they stand."""
    program = _program()
    print(f"Your own data: {program} demo --copy my-study")
    if not missing_packages():
        print(f"Rate answers in the browser: {program} annotate demo")


def _program() -> str:
    """The command that started this: ``dialeval``, or its path if the shell would not find it by name."""
    given = Path(sys.argv[0])
    if given.parts[-2:] == ("dialeval", "__main__.py") and shutil.which("dialeval") is None:
        return f"{shlex.quote(sys.executable)} -m dialeval"
    if given.name != "dialeval" or not given.is_file():
        return "dialeval"
    found = shutil.which("dialeval")
    return "dialeval" if found is not None and given.samefile(found) else str(given)
