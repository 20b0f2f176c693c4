"""One reference against many on the same answers, and task-oriented beside open-domain sets.

``python -m bench.nlg_references DATA`` prints Spearman correlations over single answers with ratings of people: with
one reference, the mean over each reference taken alone, and with all of them. Sharma et al. (2017, section 6) expect
more agreement from more references. BAGEL and SFRES (gptscore-d2t, on informativeness) are task-oriented,
multi-reference DailyDialog (multirefeval) is open-domain. The interval is that of the difference, by the jackknife over
meaning representations, or contexts.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from bench.nlg_human import d2t, scores
from dialeval.core import Floats, Integers, Resampling, Result
from dialeval.data import read
from dialeval.data.types import Example, Judgement
from dialeval.stats.correlation.jackknife import LeftOutLevel, correlation_difference, leave_out_level

METRICS: Final = ("bleu(order=1)", "bleu(order=2)", "bleu(order=4)", "meteor", "rouge_l")
EMBEDDINGS: Final = ("embedding_average", "vector_extrema", "greedy_matching")
MOST: Final = 4
"""References taken alone of each answer; those with fewer repeat them."""


class Answers(NamedTuple):
    """A set of answers, each with a rating, and the cluster of each."""

    name: str
    kind: str
    examples: list[Example]
    ratings: Floats
    cluster: Integers


def sets(folder: Path) -> Iterator[Answers]:
    """The task-oriented sets, then the open-domain one; answers with fewer than two references are left out."""
    for name in ("BAGEL", "SFRES"):
        rated = next(d2t(folder, name))
        yield _answers(name, "task-oriented", rated.examples, rated.people)
    path = folder / "multirefeval" / "mturk_rating_processed_output.csv"
    examples = [one for one in read(path, "example", format="multirefeval") if isinstance(one, Example)]
    people = [one for one in read(path, "judgement", format="multirefeval") if isinstance(one, Judgement)]
    generated = [one for one in examples if one.system != "human"]
    yield _answers("DailyDialog", "open-domain", generated, people)


def _answers(name: str, kind: str, examples: Sequence[Example], people: Sequence[Judgement]) -> Answers:
    rated = {(one.item, one.system): one.value for one in people}
    kept = [
        one for one in examples if len(one.references) > 1 and rated.get((one.item, one.system)) is not None
    ]
    ratings = np.array([rated[one.item, one.system] for one in kept], dtype=np.float64)
    groups = [Resampling(cluster="dialogue").group(one.item) for one in kept]
    cluster = np.unique(groups, return_inverse=True)[1].astype(np.int64)
    return Answers(name, kind, kept, ratings, cluster)


def rows(answers: Answers, metrics: Sequence[str]) -> Iterator[str]:
    """A row for each metric: one reference, all, and all less one with its interval."""
    every = _values(answers.examples, metrics)
    alone = [
        _values(
            [replace(one, references=(one.references[k % len(one.references)],)) for one in answers.examples],
            metrics,
        )
        for k in range(MOST)
    ]
    for label, values in every.items():
        whole = _left_out(answers, values)
        single = _mean([_left_out(answers, each[label]) for each in alone])
        difference = correlation_difference(whole, single).estimate
        gain = f"{difference.value:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]"
        yield f"| {answers.name} | {answers.kind} | {label} | {single.value:.3f} | {whole.value:.3f} | {gain} |"


def _values(examples: Sequence[Example], metrics: Sequence[str]) -> dict[str, Floats]:
    return {
        label.rpartition(" ")[0]: _of(examples, outcome.judgements)
        for label, outcome in _scored(examples, metrics).items()
    }


def _scored(examples: Sequence[Example], metrics: Sequence[str]) -> dict[str, Result]:
    return scores(
        [replace(one, system="all", item=f"{place}") for place, one in enumerate(examples)], metrics
    )


def _of(examples: Sequence[Example], judgements: Sequence[Judgement]) -> Floats:
    found = {one.item: one.value for one in judgements}
    return np.array([np.nan if found.get(str(k)) is None else found[str(k)] for k in range(len(examples))])


def _left_out(answers: Answers, values: Floats) -> LeftOutLevel:
    return leave_out_level(
        answers.ratings[None], values[None], kind="spearman", level="item", clusters=answers.cluster
    )


def _mean(parts: Sequence[LeftOutLevel]) -> LeftOutLevel:
    value = float(np.mean([part.value for part in parts]))
    return LeftOutLevel(value, np.mean([part.by_item for part in parts], axis=0), np.empty(0))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--embeddings", action="store_true", help="also metrics of word vectors")
    given = parser.parse_args(arguments)
    print("| set | kind | metric | one reference | all | all less one |\n|---|---|---|---:|---:|---:|")
    for answers in sets(given.data):
        for row in rows(answers, METRICS + (EMBEDDINGS if given.embeddings else ())):
            print(row, flush=True)


if __name__ == "__main__":
    main()
