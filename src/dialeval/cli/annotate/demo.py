"""``dialeval annotate demo``: a bundled study in the browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from dialeval.cli.annotate.serve import needs_serving, serve


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="The study folder.")] = Path("runs/annotate-demo"),
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="The port to listen on; 0 for any free one.")
    ] = 8000,
) -> None:
    """Make a small rating study of bundled dialogues, serve it, and print the owner's link and the raters'.

    Example: dialeval annotate demo
    """
    needs_serving()
    from dialeval.annotation.project import STUDY

    if not (out / STUDY).exists():
        _make(out)
    print("Rate as one of three raters; the owner's page shows agreement as it grows.", file=sys.stderr)
    serve(out, port=port, host="127.0.0.1")


def _make(out: Path) -> None:
    """Responses of three invented assistants, with several questions on one page."""
    from importlib.resources import as_file, files

    from dialeval.annotation.blinding import blind
    from dialeval.annotation.kinds.asking import asked
    from dialeval.annotation.project import Settings, write_project
    from dialeval.data.prompts import read_prompts
    from dialeval.data.reading import read
    from dialeval.data.types import Example

    with as_file(files("dialeval.study").joinpath("demo")) as bundled:
        prompts = {prompt.item: prompt for prompt in list(read_prompts(bundled / "prompts.jsonl"))[:12]}
        answers = [
            Example(answer.item, name, prompts[answer.item].context, answer.response)
            for name in ("attentive", "hasty", "chatty")
            for answer in read(bundled / f"{name}.jsonl", "example")
            if answer.item in prompts
        ]
    asks = (asked("likert", "overall"), asked("yes_no", "makes sense"), asked("comment", "comment"))
    settings = Settings(
        title="dialeval demo",
        asks=asks,
        overlap=3,
        raters=("rater-1", "rater-2", "rater-3"),
        instructions="Read the conversation, then the response below it. Press ? to see all keys.",
        provenance={"source": "dialeval demo"},
    )
    write_project(out, settings, blind(answers, "response"))
