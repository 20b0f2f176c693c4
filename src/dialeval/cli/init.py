"""``dialeval init``: a first study from the files that are there."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from dialeval.cli.options import ColumnsOption
from dialeval.errors import DialevalError
from dialeval.files.atomic import write_atomically
from dialeval.options import Argument, Option
from dialeval.study.sketch import sketch_study

Files = Annotated[
    list[Path],
    Argument(help="Prompts or dialogues, systems' responses, ratings, questions.", metavar="FILE..."),
]
Out = Annotated[Path, Option("-o", "--out", help="The study file to write.")]
Force = Annotated[bool, Option("--force", help="Replace the study file if there is one.")]


def init(
    files: Files, out: Out = Path("study.yaml"), columns: ColumnsOption = None, force: Force = False
) -> None:
    """Write a commented study file from your files; asks nothing.

    Example: dialeval init prompts.jsonl old.jsonl new.jsonl

    Example: dialeval init sheet.xlsx --columns context=q,system:old=old_bot,system:new=new_bot
    """
    if out.exists() and not force:
        raise DialevalError(f"{out} exists already. Name another file with -o, or replace it with --force.")
    text = sketch_study(files, out.parent, columns=columns)
    write_atomically(out, text.encode(), follow=True)
    print(text, end="")
    print(f"Wrote {out}. Next: dialeval run {out}", file=sys.stderr)
