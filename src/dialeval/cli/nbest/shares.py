"""``dialeval nbest shares``: contradictions in n-best lists where a measure says right and where it says wrong."""

from __future__ import annotations

import json as jsonlib
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from dialeval.cli.nbest.answers import ModelOption, ReaderOption, reader_of
from dialeval.cli.options import Json
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.core import Resampling
from dialeval.data import encode, read
from dialeval.display.wording import count, number, p_value, percent
from dialeval.errors import BadInput
from dialeval.files.documents import as_json, finite, write_json_lines
from dialeval.meta.instances import InstanceRule
from dialeval.nbest.detectors import SHIPPED, detector_named
from dialeval.nbest.folder import has_verdicts, read_lists
from dialeval.nbest.measure import LISTS
from dialeval.nbest.measuring.judged import judge_lists
from dialeval.nbest.measuring.metrics import why_left_out
from dialeval.nbest.measuring.people import draw_lists, judge_by_people
from dialeval.nbest.measuring.shares import (
    counts_of,
    measure_grid,
    read_counts,
    right_of,
    validate_nbest,
)
from dialeval.options import Argument, Option, Options
from dialeval.ratings import read_judgements

if TYPE_CHECKING:
    from dialeval.nbest.measuring.judged import JudgedList
    from dialeval.nbest.measuring.shares import NBestCount, NBestValidation
    from dialeval.ratings.joined import MeasureGrid


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """Who says which responses contradict."""

    judgements: Annotated[list[str] | None, Option(metavar="EXPORT")] = None
    """Raters' judgements of the responses, as 'annotate export' writes them; more than half decide. Repeatable."""
    criterion: Annotated[
        str | None, Option(metavar="NAME", show_default="contradictory or contradiction")
    ] = None
    """The raters' criterion, of which 1 is a contradiction."""
    by: Annotated[Literal["answer", "detector"] | None, Option(show_default="answer if one is expected")] = (
        None
    )
    """Judge again: by what an answer means if one is expected, or all lists by the contradiction detector."""
    detector: Annotated[str | None, Option(metavar="ADAPTER|FILE.py:NAME", show_default="shipped")] = None
    """Detector for lists without an expected answer: 'shipped', what 'train contradiction' wrote, or your code."""


class _Counted(NamedTuple):
    """Counts of contradictory responses, who judged, and the lists that were left out."""

    counts: list[NBestCount]
    judges: tuple[str, ...]
    left_out: Counter[str]


def shares(
    file: Annotated[
        str,
        Argument(
            metavar="NBEST",
            help="N-best lists, a folder of 'nbest measure -o', or counts: id, system, contradictory, n.",
        ),
    ],
    scores: Annotated[
        list[str],
        Option("--scores", help="Judgements of the measure, or a run's folder. Repeatable."),
    ],
    rule: Annotated[
        str,
        Option("--rule", help="When the measure says right: 'selection_accuracy', 'rouge_l>=0.2'."),
    ],
    judging: Judging = Judging(),
    reader: ReaderOption = "yesno",
    model: ModelOption = None,
    draw: Annotated[
        int | None,
        Option(
            "--draw",
            min=1,
            metavar="N",
            help="Compare nothing, but draw N right and N wrong contexts of each system for raters, by --seed.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        Option("--out", "-o", help="The file of the lists that --draw draws, for 'annotate init'."),
    ] = None,
    resampling: Annotated[Resampling, Options("resamples", "seed")] = Resampling(resamples=10_000),
    json: Json = False,
) -> None:
    """Compare the share of contradictory responses where a measure calls a system right and where it calls it wrong.

    Lists that 'nbest measure' judged keep their verdicts. Open lists are judged by the contradiction detector, others
    by what an answer means, and all by raters with --judgements.

    Example: dialeval nbest shares measured --scores run --rule selection_accuracy

    Example: dialeval nbest shares lists.jsonl --scores run --rule selection_accuracy --draw 5 -o for_raters.jsonl

    Example: dialeval nbest shares for_raters.jsonl --judgements export.jsonl --scores run --rule selection_accuracy
    """
    if (draw is None) != (out is None):
        raise BadUsage("--draw and -o go together: the file of the lists that are drawn")
    wanted = InstanceRule.parse(rule)
    grid = measure_grid(read_judgements(scores), wanted.measure)
    path = _file(file)
    if draw is not None and out is not None:
        _draw(path, grid, wanted, draw, out, resampling.seed, json=json)
        return
    counted = _counts(path, judging, (reader, model))
    found = validate_nbest(
        counted.counts,
        grid,
        threshold=wanted.threshold,
        lower_is_right=wanted.lower_is_right,
        resampling=resampling,
    )
    if json:
        kept = {name: getattr(found, name) for name in found.__dataclass_fields__ if name != "resampling"}
        told = {"judged_by": list(counted.judges), "left_out": dict(counted.left_out)}
        content = {**as_json(kept), **told, "resamples": resampling.resamples, "seed": resampling.seed}
        print(jsonlib.dumps(content, ensure_ascii=False, allow_nan=False))
    else:
        _print(found, counted)


def _file(given: str) -> str:
    """The file of lists; of a folder of 'nbest measure', the one in it."""
    folder = Path(given)
    if not folder.is_dir():
        return given
    if (folder / LISTS).is_file():
        return str(folder / LISTS)
    todo = "Give a folder of 'dialeval nbest measure -o', or a file of n-best lists."
    raise BadInput(given, f"a folder without {LISTS}", "n-best lists", todo)


def _counts(path: str, judging: Judging, reader_options: tuple[str, Path | None]) -> _Counted:
    counts = read_counts(path)
    if counts is not None:
        return _Counted(counts, (), Counter())
    if judging.judgements:
        if judging.by is not None or judging.detector is not None:
            raise BadUsage("raters judge; leave out --by and --detector", where="--judgements")
        ratings = (judgement for name in judging.judgements for judgement in read(name, "judgement"))
        people = judge_by_people(list(read(path, "nbest")), ratings, criterion=judging.criterion)
        if people.strange:
            print(f"{people.strange:,} votes are about responses of no list", file=sys.stderr)
        return _counted(people.lists, people.unjudged)
    if judging.criterion is not None:
        raise BadUsage("it is a criterion of --judgements", where="--criterion")
    asked = judging.by is not None or judging.detector is not None or reader_options != ("yesno", None)
    if has_verdicts(path) and not asked:
        return _counted(read_lists(Path(path)), Counter())
    lists = list(read(path, "nbest"))
    detect_all = judging.by == "detector"
    is_open = detect_all or any(nbest.expected is None for nbest in lists)
    name, model = reader_options
    judged = judge_lists(
        lists,
        reader_of("first_word" if name == "first_word" else "yesno", model),
        detector_named(judging.detector or SHIPPED) if is_open else None,
        detect_all=detect_all,
    )
    return _counted(judged, Counter())


def _counted(lists: Iterable[JudgedList], left_out: Counter[str]) -> _Counted:
    judged = list(lists)
    left_out.update(why for one in judged if (why := why_left_out(one)) is not None)
    return _Counted(counts_of(judged), tuple(dict.fromkeys(one.reader for one in judged)), left_out)


def _draw(
    path: str, grid: MeasureGrid, rule: InstanceRule, most: int, out: Path, seed: int, *, json: bool
) -> None:
    right = right_of(grid, threshold=rule.threshold, lower_is_right=rule.lower_is_right)
    drawn = draw_lists(list(read(path, "nbest")), right, most=most, seed=seed)
    write_json_lines(out, (encode(one) for each in drawn for one in (*each.right, *each.wrong)), follow=True)
    rows = [{"system": each.system, "right": len(each.right), "wrong": len(each.wrong)} for each in drawn]
    if json:
        print(jsonlib.dumps({"drawn": rows, "seed": seed, "file": str(out)}, ensure_ascii=False))
        return
    for each in drawn:
        short = "" if len(each.right) == len(each.wrong) == most else f" (fewer than {most} of each)"
        print(f"{each.system}: {len(each.right)} right, {len(each.wrong)} wrong{short}")
    lists = sum(len(each.right) + len(each.wrong) for each in drawn)
    print(f"{count(lists, 'list')}, seed {seed}: {out}")
    ask = "--kind yes_no --criterion contradictory"
    print(f"Next: dialeval annotate init {out} -o STUDY {ask}", file=sys.stderr)


def _print(found: NBestValidation, counted: _Counted) -> None:
    if counted.judges:
        print(f"judged by {'; '.join(counted.judges)}")
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
    for reason, lists in counted.left_out.items():
        print(f"{count(lists, 'list')} left out: {reason}")
