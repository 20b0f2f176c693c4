"""``dialeval train quality``: weights of the quality scorer from ratings of your own."""

from __future__ import annotations

import json as jsonlib
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np

from dialeval.cli.options import Json
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.cli.train.settings import Format, read_corpus
from dialeval.data import Dialogue, Example, read
from dialeval.encoder.bases import is_installed
from dialeval.errors import Unsuitable
from dialeval.files.folders import check_target
from dialeval.options import Argument, Option
from dialeval.selfeval.crossencoder.reading import BASE
from dialeval.selfeval.quality.metric import FILE, why_unscorable
from dialeval.selfeval.quality.trainer import RatedSet, train, write_quality

if TYPE_CHECKING:
    from dialeval.selfeval.quality.trainer import TrainedHeads


def quality(
    files: Annotated[
        list[str],
        Argument(metavar="FILE...", help="Rated examples or dialogues; each file is a set on one scale."),
    ],
    out: Annotated[Path, Option("--out", "-o", help="The folder of the weights.")],
    ratings: Annotated[
        list[str] | None,
        Option(
            "--ratings",
            help="Judgements of the items of each FILE, in its order.",
            show_default="FILE itself",
        ),
    ] = None,
    criterion: Annotated[
        str | None, Option("--criterion", help="What was rated.", show_default="the only criterion")
    ] = None,
    lm: Annotated[
        bool, Option("--lm", help="Also fit quality(lm=True); takes about a second per item.")
    ] = False,
    format: Format = None,
    json: Json = False,
) -> None:
    """Fit the weights of 'quality' to people's ratings; prints how well they predict held-out ratings.

    Example: dialeval train quality answers.jsonl --ratings ratings.jsonl -o my-quality
    """
    if ratings and len(ratings) != len(files):
        raise BadUsage(
            f"{len(ratings)} --ratings for {len(files)} files; give one for each file, in the same order, or none"
        )
    check_target(out, FILE, kind="model")
    sets = [_rated(*pair, criterion, format) for pair in zip(files, ratings or files, strict=True)]
    trained = train(sets, lm=lm, fits=is_installed(BASE))
    out.mkdir(parents=True, exist_ok=True)
    write_quality(out, trained, sets, f"dialeval train quality {' '.join(files)} -o {out}")
    _print(trained, out, json)


def _rated(file: str, ratings: str, criterion: str | None, format: str | None) -> RatedSet:
    """The subjects that have a rating, each with the mean of what people said."""
    values = _means(ratings, criterion, format)
    expected = "examples or dialogues"
    records: Iterator[Example | Dialogue] = read_corpus(file, format, (Example, Dialogue), expected)
    subjects = [record for record in records if (record.item, record.system) in values]
    scorable = [subject for subject in subjects if why_unscorable(subject) is None]
    if not scorable:
        raise Unsuitable(
            f"{ratings} has ratings of {len(values)} answers, but none is of an item and system in {file} that can "
            "be scored. Items and systems must be called the same in both files."
        )
    print(f"{file}: {len(scorable)} of {len(values)} rated answers can be scored", file=sys.stderr)
    return RatedSet(file, tuple(scorable), np.array([values[each.item, each.system] for each in scorable]))


def _means(ratings: str, criterion: str | None, format: str | None) -> dict[tuple[str, str], float]:
    """The mean rating of each item and system."""
    given: dict[tuple[str, str], list[float]] = defaultdict(list)
    criteria: dict[str, None] = {}
    for judgement in read(ratings, "judgement", format=None if ratings.endswith(".jsonl") else format):
        criteria.setdefault(judgement.criterion)
        if judgement.value is not None and criterion in (None, judgement.criterion):
            given[judgement.item, judgement.system].append(judgement.value)
    if criterion is None and len(criteria) > 1:
        raise Unsuitable(
            f"{ratings} has ratings of {len(criteria)} criteria ({', '.join(criteria)}). Choose one, as in "
            f"--criterion {next(iter(criteria))!r}."
        )
    if criterion is not None and criterion not in criteria:
        raise Unsuitable(f"{ratings} has no ratings of {criterion!r}, only of {', '.join(criteria)}.")
    return {key: sum(values) / len(values) for key, values in given.items()}


def _print(trained: TrainedHeads, out: Path, json: bool) -> None:
    rows = [
        {"recipe": row.recipe, "set": row.name, "n": row.count, "spearman": row.spearman, "left_out": row.how}
        for row in trained.agreement
    ]
    if json:
        print(jsonlib.dumps({"folder": str(out), "recipes": sorted(trained.heads), "agreement": rows}))
        return
    for row in trained.agreement:
        print(f"{row.recipe}: Spearman {row.spearman:.3f} with {row.count} ratings of {row.name} ({row.how})")
    print(f"Weights: {out}\nScore with them: dialeval score FILE -m \"quality(model='{out}')\"")
