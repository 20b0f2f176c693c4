"""Options that several verbs share, spelt once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

from dialeval.cli.parsing.declaring import Option, bad_usage

if TYPE_CHECKING:
    from dialeval.engine import EngineSettings
    from dialeval.evaluation.shards import Shard
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
Trials: TypeAlias = Annotated[
    int,
    Option(
        "--trials",
        min=0,
        metavar="N",
        help="Resamples behind tests and P(best); 0 for no tests and no intervals.",
    ),
]
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
AskAgain: TypeAlias = Annotated[
    bool | None,
    Option(
        "--ask-again/--use-cache",
        help="Ask systems for every answer again and replace cached ones, or use cached answers also in CI.",
        show_default="use cached answers, except for studies with gates in CI",
    ),
]
CacheFolder: TypeAlias = Annotated[
    Path | None,
    Option("--cache", help="Where computed results are kept.", show_default="the user's cache"),
]
EngineOption: TypeAlias = Annotated[
    str | None,
    Option(
        "--engine",
        metavar="ENGINE",
        help="Where batches run: processes, ray, or as in 'ray(cpus=2, gpus=1)' for each worker.",
        show_default="processes",
    ),
]
Address: TypeAlias = Annotated[
    str | None,
    Option(
        "--address",
        help="The Ray cluster: HOST:PORT, auto for the one on this machine, or local to embed one.",
        show_default="local",
    ),
]
ShardOption: TypeAlias = Annotated[
    str | None,
    Option(
        "--shard",
        metavar="I/N",
        help="Do only this part of the work, such as 1/3; 'dialeval merge' joins all parts.",
        show_default=False,
    ),
]
FailUnder: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--fail-under",
        metavar="METRIC=VALUE",
        help="Exit with 100 if the interval of a score goes below this, or above it where lower is better; "
        "'point(METRIC)=X' judges the score alone. Repeatable.",
    ),
]
Cluster: TypeAlias = Annotated[
    Literal["auto", "dialogue", "none"],
    Option(
        "--cluster",
        metavar="HOW",
        help="Resample whole dialogues (ids DIALOGUE/TURN): auto, where ids show them; dialogue, always; or none.",
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
    """The metrics that were named, with sacrebleu's BLEU if it is wanted."""
    return [*(metric or ()), SACREBLEU] if wanted else metric


SkipBad: TypeAlias = Annotated[
    bool,
    Option("--skip-bad", help="Leave bad lines out, count them, and write them to FILE.bad.jsonl."),
]

DataFile: TypeAlias = Annotated[
    str | None,
    Option(
        "--data",
        metavar="FILE",
        help="Contexts and references of responses that have only ids, or none and the order of the data.",
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
        help="Share of the items that a system may leave unanswered without failing a gate.",
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
        help="What counts where one rater judged an answer twice: the first, the last, the mean, or each as another "
        "rater.",
        show_default="an error",
    ),
]


def scale_given(text: str | None) -> RatingScale | None:
    """The scale that ``--scale`` writes; a usage error where it is not a scale."""
    from dialeval.errors import Unsuitable
    from dialeval.ratings.scale import RatingScale

    try:
        return None if text is None else RatingScale.parse(text)
    except Unsuitable as error:
        raise bad_usage(str(error), where="--scale") from None


def engine_given(text: str | None, address: str | None) -> EngineSettings | None:
    """The engine that ``--engine`` and ``--address`` name; a usage error where there is no such engine."""
    if text is None and address is None:
        return None
    if text is None:
        raise bad_usage("it goes with --engine ray", where="--address")
    from dialeval.engine import EngineSettings
    from dialeval.errors import DialevalError

    try:
        return EngineSettings.parse(text, address)
    except (DialevalError, ValueError) as error:
        raise bad_usage(str(error), where="--engine") from None


def shard_given(text: str | None) -> Shard | None:
    """The shard that ``--shard`` names; a usage error where it is not a shard."""
    if text is None:
        return None
    from dialeval.errors import Unsuitable
    from dialeval.evaluation.shards import Shard

    try:
        return Shard.parse(text)
    except Unsuitable as error:
        raise bad_usage(str(error), where="--shard") from None
