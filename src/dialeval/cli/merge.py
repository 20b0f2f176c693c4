"""``dialeval merge``: the shards of a command, joined to what it gives without them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from dialeval.cli.execution import Execution
from dialeval.cli.options import AllowCode
from dialeval.cli.run import carry_out, loaded_study
from dialeval.cli.score import print_merged
from dialeval.cli.scoring import Scoring
from dialeval.cli.shards import check_arguments, task_of_scoring, task_of_study
from dialeval.files.custom_code import only_named
from dialeval.options import Argument, Option, Options
from dialeval.study.shards import KEPT, check_unchanged, read_shards


def merge(
    shards: Annotated[
        list[Path], Argument(help="The folders of all shards, in any order.", metavar="SHARD...")
    ],
    out: Annotated[Path, Option("--out", "-o", help="The folder of the whole.")],
    allow_code: AllowCode = None,
    execution: Annotated[Execution, Options("jobs", "cache", "json")] = Execution(),
) -> None:
    """Join shards to what the command that wrote them gives without --shard.

    Answers and statistics come from the shards; intervals, tests, ranks and the report are computed here, from all
    items. A shard that is missing, given twice, unfinished or of other data, options or version is refused. Python
    files of the study are loaded if they lie below the current folder and did not come with the shards, or if you name
    them with --allow-code.

    Example: dialeval merge parts/1 parts/2 parts/3 -o runs/monday

    Example: dialeval score answers.jsonl -m bertscore --shard 1/2 -o parts/1
    """
    named, first = read_shards(shards)[0]
    check_arguments(named, first.task, loaded_study if first.task.verb == "run" else Scoring)
    place = Path(first.folder)
    if not place.is_dir():  # everything was moved, or is merged on another machine
        place = Path.cwd()
    if place != Path.cwd():  # paths in the arguments are relative to where the shards were started
        shards, out = [folder.absolute() for folder in shards], out.absolute()
        execution = replace(execution, cache=execution.cache and execution.cache.absolute())
    kept = [folder / KEPT for folder in shards]
    with only_named(allow_code or (), folder=Path.cwd(), foreign=_received(shards)), chdir(place):
        if first.task.verb == "run":
            study = loaded_study(**first.task.arguments)
            check_unchanged(named, first.task, task_of_study(study, first.task.arguments))
            # The cluster that a stranger's study names could send back code.
            here = replace(study, engine=None)
            carry_out(here, out, execution, others=kept, merging=True)
        else:
            scoring = Scoring.of_arguments(first.task.arguments)
            metrics = scoring.metrics()
            check_unchanged(
                named, first.task, task_of_scoring(metrics, first.task.arguments, scoring.files())
            )
            print_merged(scoring, metrics, out, execution, others=kept)


def _received(shards: Sequence[Path]) -> list[Path]:
    """Folders that came with the shards: with ``parcel/parts/1`` below the current folder, all of ``parcel``."""
    here = Path.cwd().resolve()
    return [_sender(folder.resolve(), here) for folder in shards]


def _sender(shard: Path, here: Path) -> Path:
    """The widest folder around a shard that does not hold the user's own files beside it."""
    around = [folder for folder in (shard, *shard.parents) if folder not in (here, *here.parents)]
    return around[-1] if here in shard.parents else next(iter(around[1:]), shard)
