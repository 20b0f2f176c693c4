"""``dialeval demo``: everything on bundled examples, with no key, no download and no file of yours."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

from dialeval.cli.options import CacheFolder, Jobs, Json, Resume
from dialeval.cli.run import carry_out


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="The run folder.")] = Path("runs/demo"),
    copy: Annotated[
        Path | None, typer.Option("--copy", help="Only copy the demo study here, to start your own from.")
    ] = None,
    jobs: Jobs = 1,
    resume: Resume = True,
    cache: CacheFolder = None,
    json: Json = False,
) -> None:
    """Show the whole main job on bundled dialogues.

    Example: dialeval demo -o runs/demo
    """
    from dialeval.errors import BadInput
    from dialeval.study import load_study

    with as_file(files("dialeval.study").joinpath("demo")) as bundled:
        if copy is not None:
            if copy.exists():
                raise BadInput(
                    str(copy), "something there already", "a folder yet to be made", "Give another name."
                )
            shutil.copytree(bundled, copy)
            print(f"Copied. Now try: dialeval run {copy / 'study.yaml'}")
            return
        study = load_study(bundled / "study.yaml")
        carry_out(study, out, jobs=jobs, resume=resume, cache=cache, json=json)
