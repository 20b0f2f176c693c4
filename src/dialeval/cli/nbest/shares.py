"""``dialeval nbest shares``: contradictions in n-best lists where a measure says right and where it says wrong."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dialeval.cli.nbest.answers import ModelOption, ReaderOption, reader_of
from dialeval.cli.options import Json
from dialeval.core import Resampling
from dialeval.data import read
from dialeval.display.wording import number, p_value, percent
from dialeval.files.documents import as_json, finite
from dialeval.meta.instances import InstanceRule
from dialeval.nbest.measuring.judged import judge_lists
from dialeval.nbest.measuring.shares import counts_of, measure_grid, read_counts, validate_nbest
from dialeval.options import Argument, Option, Options
from dialeval.ratings import read_judgements

if TYPE_CHECKING:
    from dialeval.nbest.measuring.shares import NBestCount, NBestValidation


def shares(
    file: Annotated[
        str,
        Argument(metavar="NBEST", help="N-best lists, or counts: id, system, contradictory, n."),
    ],
    scores: Annotated[
        list[str],
        Option("--scores", help="Judgements of the measure, or a run's folder. Repeatable."),
    ],
    rule: Annotated[
        str,
        Option("--rule", help="When the measure says right: 'selection_accuracy', 'rouge_l>=0.2'."),
    ],
    reader: ReaderOption = "yesno",
    model: ModelOption = None,
    resampling: Annotated[Resampling, Options("resamples", "seed")] = Resampling(resamples=10_000),
    json: Json = False,
) -> None:
    """Compare the share of contradictory responses where a measure calls a system right and where it calls it wrong.

    Example: dialeval nbest shares lists.jsonl --scores run --rule selection_accuracy
    """
    wanted = InstanceRule.parse(rule)
    counts = _counts(file, reader_options=(reader, model))
    found = validate_nbest(
        counts,
        measure_grid(read_judgements(scores), wanted.measure),
        threshold=wanted.threshold,
        lower_is_right=wanted.lower_is_right,
        resampling=resampling,
    )
    if json:
        kept = {name: getattr(found, name) for name in found.__dataclass_fields__ if name != "resampling"}
        content = {**as_json(kept), "resamples": resampling.resamples, "seed": resampling.seed}
        print(jsonlib.dumps(content, ensure_ascii=False, allow_nan=False))
    else:
        _print(found)


def _counts(file: str, *, reader_options: tuple[str, Path | None]) -> list[NBestCount]:
    counts = read_counts(file)
    if counts is not None:
        return counts
    reader, model = reader_options
    judge = reader_of("first_word" if reader == "first_word" else "yesno", model)
    return counts_of(judge_lists(list(read(file, "nbest")), judge))


def _print(found: NBestValidation) -> None:
    if found.reason is not None:
        print(f"Not compared: {found.reason}.")
    for row in (found.overall, *found.systems):
        right, wrong = percent(finite(row.share_right)), percent(finite(row.share_wrong))
        print(
            f"{row.system or 'all systems'}: {right} contradictory in {row.right:,} lists where {found.rule}, "
            f"{wrong} in {row.wrong:,} others"
        )
    if found.reason is None:
        print(f"difference within systems {number(found.difference)}, p = {p_value(found.p)} (one-tailed)")
    if found.unjoined:
        print(f"{found.unjoined:,} lists without a verdict of the measure were left out")
