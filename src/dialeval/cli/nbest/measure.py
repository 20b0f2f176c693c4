"""``dialeval nbest measure``: Certainty and Variety of recorded or generated n-best lists."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from dialeval.cli.execution import Execution, Sampling
from dialeval.cli.nbest.answers import ModelOption, ReaderOption
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.cli.run import as_file, evaluate_study
from dialeval.core import Resampling
from dialeval.data import read
from dialeval.data.types import UNNAMED
from dialeval.options import Argument, Option, Options


def measure(
    file: Annotated[
        str,
        Argument(metavar="NBEST", help="N-best lists, or with --system stimuli; - for stdin."),
    ],
    system: Annotated[
        list[str] | None,
        Option("--system", metavar="NAME", help="Ask this system about the stimuli. Repeatable."),
    ] = None,
    n: Annotated[
        int | None,
        Option("-n", min=1, help="Use the first N responses of each list.", show_default="all; 10"),
    ] = None,
    sizes: Annotated[
        str | None, Option("--sizes", metavar="N,N,...", help="List sizes of the curves.")
    ] = None,
    decoding: Annotated[
        str | None,
        Option(
            "--decoding",
            help="How lists are generated, as in 'beam(beams=10)' or 'nucleus(top_p=0.9)'.",
            show_default="beam",
        ),
    ] = None,
    reader: ReaderOption = "yesno",
    model: ModelOption = None,
    by: Annotated[
        Literal["answer", "detector"],
        Option(
            "--by",
            help="Judge by what an answer means if one is expected, or all lists by the contradiction detector.",
        ),
    ] = "answer",
    detector: Annotated[
        str | None,
        Option(
            "--detector",
            metavar="ADAPTER|FILE.py:NAME",
            help="For lists without an expected answer: 'shipped', what 'train contradiction' wrote, or your code.",
            show_default="shipped",
        ),
    ] = None,
    out: Annotated[
        Path | None, Option("--out", "-o", help="A run folder, with every list in nbest.jsonl.")
    ] = None,
    resampling: Sampling = Resampling(),
    execution: Annotated[
        Execution,
        Options(
            *("limit", "engine", "address", "resume", "ask_again", "cache"),
            *("fail_under", "allow_unanswered", "shard", "json"),
        ),
    ] = Execution(),
) -> None:
    """Measure how often an n-best list has a response that does not contradict (Certainty), and how many (Variety).

    Lists with an ambiguous response are left out and counted. Lists that do not say which answer is expected are judged
    by a contradiction detector. The output, the folder and the report are those of 'dialeval run'. Interrupted? The
    same command resumes.

    Example: dialeval nbest measure lists.jsonl --json

    Example: dialeval nbest measure stimuli.jsonl --system smollm2-135m-instruct -n 10 -o measured
    """
    if decoding is not None and not system:
        raise BadUsage("--decoding is for --system")
    with as_file(file, execution.part, out) as path:
        options = {
            "stimuli": str(path),
            "n": n or (10 if system else _longest(path)),
            "decoding": decoding,
            "reader": None if reader == "yesno" else reader,
            "model": None if model is None else str(model),
            "by": None if by == "answer" else by,
            "detector": detector,
            "sizes": sizes,
        }
        given = {key: value for key, value in options.items() if value is not None}
        content = {
            "data": str(path),
            "systems": list(system or _recorded(path)),
            "measures": [{"name": name, **given} for name in ("nbest", "nbest_variety")],
        }
        evaluate_study("nbest", content, resampling, execution, out=out)


def _longest(path: Path) -> int:
    """Length of the longest list of a file."""
    return max((len(nbest.responses) for nbest in read(path, "nbest")), default=1) or 1


def _recorded(path: Path) -> Sequence[dict[str, str]]:
    """Return the systems whose lists a file records."""
    names = dict.fromkeys(nbest.system for nbest in read(path, "nbest"))
    return [
        {"name": name or UNNAMED, "kind": "transcript", "path": str(path), "system": name} for name in names
    ]
