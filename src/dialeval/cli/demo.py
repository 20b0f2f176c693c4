"""``dialeval demo``: everything on bundled examples, with no key, no download and no file of yours."""

from __future__ import annotations

import dataclasses
import shutil
import sys
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialeval.cli.options import CacheFolder, Jobs, Json, Resume
from dialeval.cli.run import annotated, carry_out

if TYPE_CHECKING:
    from dialeval.study import Study


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="The run folder.")] = Path("runs/demo"),
    copy: Annotated[
        Path | None, typer.Option("--copy", help="Only copy the demo study here, to start your own from.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Stop after the first leaderboard.")] = False,
    jobs: Jobs = 1,
    resume: Resume = True,
    cache: CacheFolder = None,
    json: Json = False,
) -> None:
    """Run a whole study on bundled dialogues: first with quick measures, then with every one that can run here.

    Then it shows which candidates the systems choose in a small test set, and where they contradict themselves, unless
    --quick or --json is given.

    Example: dialeval demo -o runs/demo
    """
    from dialeval.errors import BadInput
    from dialeval.study import load_study

    with as_file(files("dialeval.study").joinpath("demo")) as bundled:
        if copy is not None:
            if copy.exists():
                raise BadInput(str(copy), "an existing path", "a new folder", "Give another name.")
            shutil.copytree(bundled, copy)
            print(f"Copied. Now try: dialeval run {copy / 'study.yaml'}")
            return
        study = load_study(bundled / "study.yaml")
        if quick or not json:
            carry_out(study, out, jobs=jobs, resume=resume, cache=cache, json=json)
        if not quick:
            everything = _with_everything(study)
            carry_out(everything, out, jobs=jobs, resume=resume, cache=cache, json=json)
        if not quick and not json:
            _ask_to_choose(bundled / "selection", out / "selection", resume=resume, cache=cache)
            _find_contradictions(bundled / "consistency", out / "consistency", resume=resume, cache=cache)


def _with_everything(study: Study) -> Study:
    """The study with every other metric that can run here; the rest are named on stderr."""
    from dialeval.metrics import EVERY_METRIC
    from dialeval.metrics.scoring import available
    from dialeval.study import build_measure

    already = {measure.label for measure in study.measures}
    print(
        "Now every other metric. The first time, some compile their tables: up to a minute.", file=sys.stderr
    )
    usable = available(name for name in EVERY_METRIC if name not in already)
    for name, obstacle in usable.obstacles.items():
        print(f"left out: {name}: {obstacle}", file=sys.stderr)
    study = annotated(study, f"by dialeval demo with more measures: {', '.join(usable.metrics)}")
    labels = [name for name in EVERY_METRIC if name in already or name in usable.metrics]
    return dataclasses.replace(study, measures=tuple(map(build_measure, labels)))


def _ask_to_choose(bundled: Path, out: Path, *, resume: bool, cache: Path | None) -> None:
    """Response selection on the bundled test set, by a language model's recorded likelihoods and by likeness."""
    from dialeval.cli.select.ask import ask
    from dialeval.encoder import find_encoder
    from dialeval.errors import ResourceUnavailable

    systems = [str(bundled / "smollm2-135m-instruct.jsonl"), "encoder", "tfidf"]
    try:
        find_encoder("minilm")
    except ResourceUnavailable as error:
        systems.remove("encoder")
        print(f"left out: encoder: {error}", file=sys.stderr)
    print("Now response selection: which of four candidates would each say next?", file=sys.stderr)
    ask(str(bundled / "questions.jsonl"), systems, out=out, cluster="auto", resume=resume, cache=cache)
    print("Its raters were blind readings by a language model; 'dialeval demo --copy DIR' has the record.")


def _find_contradictions(bundled: Path, out: Path, *, resume: bool, cache: Path | None) -> None:
    """Contradictions in the bundled dialogues, where the encoder can run."""
    from dialeval.cli.consistency.detect import detect
    from dialeval.errors import ResourceUnavailable

    print("Now consistency: where does each contradict what it said?", file=sys.stderr)
    try:
        detect(str(bundled / "dialogues.jsonl"), out=out, resume=resume, cache=cache)
    except ResourceUnavailable as error:
        print(f"left out: contradictions: {error}", file=sys.stderr)
