"""``dialeval judge steps``: the steps of a judgement, written once by the judge and frozen in a file."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import Annotated

from dialeval.cli.costs import JUDGE_NAMES
from dialeval.cli.options import Json
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.errors import BadInput
from dialeval.files.atomic import write_atomically
from dialeval.judge.naming import judge_named, names_judge
from dialeval.judge.rubrics import load_rubric
from dialeval.judge.steps import write_steps
from dialeval.options import Argument, Option


def steps(
    rubric: Annotated[str, Argument(metavar="RUBRIC", help="A rubric by name, or a YAML file of your own.")],
    by: Annotated[str, Option("--by", metavar="judge:NAME", help=f"The judge: {JUDGE_NAMES}.")],
    out: Annotated[Path, Option("--out", "-o", help="The text file, which must not be there yet.")],
    json: Json = False,
) -> None:
    """Have a judge write the steps by which it judges, once, into a file that later runs read.

    Give the file as 'steps' of the measure 'judge': its digest is in the signature, so that all runs judge by the same
    steps. Read it first: it is a text like any other, and yours to correct.

    Example: dialeval judge steps coherence --by judge:strong.yaml -o steps.txt
    """
    if not names_judge(by):
        raise BadUsage(f"takes judge:NAME, found {by!r}", where="--by")
    if out.exists():
        raise BadInput(
            str(out),
            "a file",
            "a new one",
            "Steps are written once: use these, or give another -o for others.",
        )
    wanted = load_rubric(rubric)
    written = write_steps(judge_named(by, "contradiction", binary=True), wanted)
    write_atomically(out, written.text.encode())
    told = {
        "steps": str(out),
        "rubric": wanted.name,
        "sha256": written.digest,
        "asked": written.asked,
        "returned": written.returned,
    }
    if json:
        print(jsonlib.dumps(told, ensure_ascii=False))
        return
    who = written.returned or written.asked
    print(f"{out}: steps for {wanted.name!r} by {who}, sha256 {written.digest}")
    print(f"Read them, and give steps={str(out)!r} to the judge.")
