"""Options that several verbs share, spelt once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

from dialeval.cli.parsing.parameters import BadUsage
from dialeval.errors import DialevalError, Unsuitable
from dialeval.options import Option
from dialeval.text.calls import Call, print_call, split_call

if TYPE_CHECKING:
    from dialeval.engine import EngineSettings
    from dialeval.ratings.scale import RatingScale

Kind: TypeAlias = Literal["dialogue", "prompt", "example", "question", "nbest", "judgement"]
"""`dialeval.data.Kind` again, because the parser needs it before the library is loaded; a test keeps them equal."""

From: TypeAlias = Annotated[
    str | None,
    Option(
        "--from",
        metavar="FORMAT",
        help="The format ('dialeval data ls'); FORMAT:FILE says the same.",
        show_default="recognised",
    ),
]
ColumnsOption: TypeAlias = Annotated[
    str | None,
    Option(
        "--columns",
        metavar="FIELD=COLUMN",
        help="Columns that are our fields, as in response=output; more after commas; system:NAME=COLUMN has the "
        "responses of that system.",
        show_default="guessed and shown",
    ),
]
Seed: TypeAlias = Annotated[int, Option("--seed", min=0, metavar="N", help="Seed of everything random.")]
Limit: TypeAlias = Annotated[
    int | None, Option("--limit", min=1, metavar="N", help="Use only the first N items.")
]
Jobs: TypeAlias = Annotated[
    int, Option("--jobs", "-j", min=1, metavar="N", help="How many processes score batches.")
]
Json: TypeAlias = Annotated[bool, Option("--json", help="Print JSON for machines.")]
Resume: TypeAlias = Annotated[
    bool,
    Option("--resume/--no-resume", help="Use what earlier runs computed and kept, or recompute everything."),
]
CacheFolder: TypeAlias = Annotated[
    Path | None,
    Option("--cache", help="Where computed results are kept.", show_default="the user's cache"),
]
Device: TypeAlias = Annotated[
    str | None,
    Option(
        "--device",
        metavar="NAME",
        help="Where scorers and detectors run: auto, cpu, cuda, cuda:1 or mps.",
        show_default="cpu",
    ),
]
Precision: TypeAlias = Annotated[
    Literal["float32", "bfloat16"] | None,
    Option("--precision", help="Numeric precision of their products.", show_default="float32"),
]
Address: TypeAlias = Annotated[
    str | None,
    Option(
        "--address",
        help="The Ray cluster: HOST:PORT, auto for the one on this machine, or local to embed one.",
        show_default="local",
    ),
]
FailUnder: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--fail-under",
        metavar="METRIC=VALUE",
        help="Exit with 100 if the interval of a score goes below this, or above it if lower is better; "
        "'point(METRIC)=X' judges the score alone. Repeatable.",
    ),
]
MetricNames: TypeAlias = Annotated[
    list[str] | None,
    Option("--metric", "-m", metavar="NAME", help="A metric, as in 'bleu(order=2)'. Repeatable."),
]
Sacrebleu: TypeAlias = Annotated[
    bool,
    Option("--sacrebleu", help="BLEU as sacrebleu computes it, instead of nlg-eval's."),
]
"""The BLEU of machine translation in one word; see `with_sacrebleu`."""
SACREBLEU: Final = "bleu(order=4,profile='sacrebleu')"


def with_sacrebleu(metric: list[str] | None, wanted: bool) -> list[str] | None:
    """The metrics that were named, each BLEU among them as sacrebleu computes it if that is wanted, or else added."""
    if not wanted:
        return metric
    named = [as_sacrebleu(name) for name in metric or ()]
    return named if any(map(_call_of_bleu, named)) else [*named, SACREBLEU]


def as_sacrebleu(name: str) -> str:
    """The metric, which may stand within ``point(...)``, of the profile sacrebleu if it is a BLEU.

    A BLEU of another tool is a usage error.

    >>> as_sacrebleu("bleu(order=2)"), as_sacrebleu("rouge_l"), as_sacrebleu("point(bleu)")
    ("bleu(order=2,profile='sacrebleu')", 'rouge_l', "point(bleu(profile='sacrebleu'))")
    """
    if name.startswith("point(") and name.endswith(")"):
        return f"point({as_sacrebleu(name[6:-1])})"
    call = _call_of_bleu(name)
    if call is None:
        return name
    parameters = dict(call.parameters)
    if parameters.setdefault("profile", "sacrebleu") != "sacrebleu":
        raise BadUsage(
            f"cannot be combined with a BLEU of another tool, but found {name!r}", where="--sacrebleu"
        )
    return print_call(call.name, parameters.items())


def _call_of_bleu(name: str) -> Call | None:
    """The name and parameters of a BLEU; None of another metric, and of what cannot be read, which others refuse."""
    try:
        call = split_call(name)
    except ValueError:
        return None
    return call if call.name == "bleu" and not call.rest else None


def of_sacrebleu(given: list[str] | None, wanted: bool) -> list[str] | None:
    """Options ``METRIC=VALUE``, each BLEU among the metrics as sacrebleu computes it if that is wanted."""
    if not given or not wanted:
        return given
    parts = [text.rpartition("=") for text in given]
    return [f"{as_sacrebleu(metric)}{sign}{value}" for metric, sign, value in parts]


SkipBad: TypeAlias = Annotated[
    bool,
    Option("--skip-bad", help="Leave bad lines out, count them, and write them to FILE.bad.jsonl."),
]

DataFile: TypeAlias = Annotated[
    str | None,
    Option(
        "--data",
        metavar="FILE",
        help="File with contexts and references, joined by id, or by line order if responses have no ids.",
        show_default=False,
    ),
]
AllowUnmatched: TypeAlias = Annotated[
    bool,
    Option("--allow-unmatched", help="Accept files of which half of the lines or more match no item."),
]
AllowUnanswered: TypeAlias = Annotated[
    float | None,
    Option(
        "--allow-unanswered",
        metavar="SHARE",
        min=0,
        max=1,
        help="Share of the items that a system may leave unanswered without failing a gate; 1: all of them.",
        show_default="0",
    ),
]
AllowCode: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--allow-code",
        metavar="FILE.PY:NAME",
        help="Load this metric, system or reader of yours, which the folders name. Repeatable.",
    ),
]

RepeatsOption: TypeAlias = Annotated[
    Literal["first", "last", "mean", "separate"] | None,
    Option(
        "--repeats",
        help="What counts if one rater judged an answer twice: the first, the last, the mean, or each as another "
        "rater.",
        show_default="an error",
    ),
]


LeaveOut: TypeAlias = Annotated[
    Path | None,
    Option(
        "--leave-out",
        help="Leave out the raters in this file, as written by 'dialeval annotate agreement --drop-file'.",
    ),
]


def scale_given(text: str | None) -> RatingScale | None:
    """The scale that ``--scale`` writes; a usage error if it is not a scale."""
    from dialeval.ratings.scale import RatingScale

    try:
        return None if text is None else RatingScale.parse(text)
    except Unsuitable as error:
        raise BadUsage(str(error), where="--scale") from None


def engine_given(text: str | None, address: str | None) -> EngineSettings | None:
    """The engine that ``--engine`` and ``--address`` name; a usage error if there is no such engine."""
    if text is None and address is None:
        return None
    if text is None:
        raise BadUsage("it goes with --engine ray", where="--address")
    from dialeval.engine import EngineSettings

    try:
        return EngineSettings.parse(text, address)
    except (DialevalError, ValueError) as error:
        raise BadUsage(str(error), where="--engine") from None
