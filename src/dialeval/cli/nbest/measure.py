"""``dialeval nbest measure``: Certainty and Variety of recorded or generated n-best lists."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

from dialeval.cli.costs import JUDGE_NAMES
from dialeval.cli.execution import Execution, Sampling
from dialeval.cli.nbest.answers import ModelOption, ReaderOption
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.cli.run import as_file, evaluate_study
from dialeval.core import Resampling
from dialeval.data import read
from dialeval.data.types import UNNAMED
from dialeval.errors import Unsuitable
from dialeval.judge.naming import names_judge
from dialeval.nbest.measure import check_by
from dialeval.nbest.measuring.lists import Profile
from dialeval.options import Argument, Option, Options

ByOption: TypeAlias = Annotated[
    str,
    Option(
        "--by",
        metavar="answer|detector|judge:NAME",
        help="Judge by what an answer means if one is expected, all lists by the contradiction detector, or both by a "
        f"judge: {JUDGE_NAMES}.",
    ),
]
DetectorOption: TypeAlias = Annotated[
    str | None,
    Option(
        "--detector",
        metavar="ADAPTER|FILE.py:NAME",
        help="For lists without an expected answer: 'shipped', what 'train contradiction' wrote, or your code.",
        show_default="shipped",
    ),
]


def judge_options(reader: str, model: Path | None, by: str, detector: str | None) -> dict[str, str]:
    """Keys of a measure that say what judges the responses, as far as they were given."""
    try:
        check_by(by)
    except Unsuitable as error:
        raise BadUsage(str(error), where="--by") from None
    if names_judge(by) and (reader != "yesno" or model is not None or detector is not None):
        raise BadUsage("a judge cannot be combined with --reader, --model or --detector", where="--by")
    options = {
        "reader": None if reader == "yesno" else reader,
        "model": None if model is None else str(model),
        "by": None if by == "answer" else by,
        "detector": detector,
    }
    return {key: value for key, value in options.items() if value is not None}


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
        str | None,
        Option(
            "--sizes",
            metavar="N,N,...",
            help="Curves over the first N responses of each list; see 'nbest sweep'.",
        ),
    ] = None,
    decoding: Annotated[
        str | None,
        Option(
            "--decoding",
            help="How lists are generated, as in 'beam(beams=10)' or 'nucleus(top_p=0.9)'.",
            show_default="beam",
        ),
    ] = None,
    profile: Annotated[
        Profile,
        Option(
            "--profile",
            help="'thesis' takes beam search without a length penalty, 'usual' ranks by log-probability per token.",
        ),
    ] = "usual",
    reader: ReaderOption = "yesno",
    model: ModelOption = None,
    by: ByOption = "answer",
    detector: DetectorOption = None,
    filter: Annotated[
        str | None,
        Option(
            "--filter",
            metavar="ADAPTER|FILE.py:NAME",
            help="Also measure how often this detector, as a filter, finds a consistent response where there is one.",
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
    if profile == "thesis" and (decoding is not None or not system):
        raise BadUsage("it decodes --system by itself; leave out --decoding", where="--profile")
    with as_file(file, execution.part, out) as path:
        options = {
            "stimuli": str(path),
            "n": n or (10 if system else _longest(path)),
            "decoding": decoding,
            "profile": None if profile == "usual" else profile,
            **judge_options(reader, model, by, detector),
            "sizes": sizes,
        }
        given = {key: value for key, value in options.items() if value is not None}
        curves = {key: value for key, value in given.items() if key != "sizes"}
        behind = [{"name": "nbest_filter", **curves, "filter": filter}] if filter is not None else []
        content = {
            "data": str(path),
            "systems": list(system or _recorded(path)),
            "measures": [*({"name": name, **given} for name in ("nbest", "nbest_variety")), *behind],
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
