"""Two systems by leaving each item or cluster out of both: corpus measures, and systems with several runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dialeval.core import Floats, Integers, LeaveOneOut, Resampling, Result
from dialeval.evaluation.compare.comparison import Comparison
from dialeval.evaluation.compare.pairs import paired_items, places_in, same_answers
from dialeval.evaluation.compare.undecided import Setting, Sides, undecided
from dialeval.evaluation.corpus import leave_out as leave_out_of_corpus
from dialeval.evaluation.roll import hash_answer
from dialeval.evaluation.runs import MeanOverRuns, scores_of_corpus, scores_of_rows, sources_of
from dialeval.files.documents import finite
from dialeval.stats import difference_of, leave_out, spread_of_identical, spread_without, wins_of
from dialeval.stats.resampling.clusters import variance_ratio
from dialeval.stats.resampling.intervals import limits_of_difference, unseen
from dialeval.stats.resampling.jackknife import LeftOut, Source


def several_runs(*results: Result) -> bool:
    """Whether one of these is about a system with several runs."""
    return any(isinstance(result.metric, MeanOverRuns) for result in results)


def compare_left_out(a: Result, b: Result, setting: Setting) -> Comparison:
    """One pair, not yet decided, each item or cluster being left out of both systems at once.

    The variance over the runs of a system is added. A permutation test would say something about these runs alone.
    """
    items, resampling = paired_items(a, b), setting.resampling
    side_a, side_b = (side_of(result, items, resampling) for result in (a, b))
    difference, without = _difference(side_a, side_b)
    effect = None
    if len(without) < len(items):
        alone = dataclasses.replace(resampling, cluster="none")
        effect = variance_ratio(
            without, _difference(*(side_of(result, items, alone) for result in (a, b)))[1]
        )
    if difference == 0 and _identical(a, b, items):
        spread = spread_of_identical(len(without))
    else:
        spread = spread_without(
            LeftOut(difference, without),
            limits_of_difference(a.metric.limits),
            hangs=side_a.hangs or side_b.hangs,
            sources=(*side_a.sources, *side_b.sources),
        )
    sides = Sides(a, b, side_a.left_out.score, side_b.left_out.score, len(items), effect)
    comparison = dataclasses.replace(undecided(sides, spread, setting), p_jackknife=finite(spread.skewed.p))
    if not a.per_item:
        return comparison
    values = (result.values[places_in(result, items)] for result in (a, b))
    wins = wins_of(*values, higher_is_better=a.metric.higher_is_better is not False)
    return dataclasses.replace(comparison, wins=wins.wins, ties=wins.ties, losses=wins.losses)


def _identical(a: Result, b: Result, items: Sequence[str]) -> bool:
    """Whether both systems are known to have given the same answers to these items, in all of their runs."""
    if a.per_item:
        return same_answers(a, b, places_in(a, items), places_in(b, items))
    if a.uncounted != b.uncounted:
        return False
    wanted = set(items)
    said_a, said_b = (
        {subject.item: hash_answer(subject) for subject in result.subjects if subject.item in wanted}
        for result in (a, b)
    )
    return said_a == said_b and None not in said_a.values()


class Side(NamedTuple):
    """One system on the items of a comparison."""

    left_out: LeaveOneOut
    runs: Floats | None
    """The score of each of its runs; None where there is one."""
    hangs: bool
    """Whether its score hangs on matches that no item has."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """The variance over its runs."""
        return sources_of(self.runs)


def side_of(
    result: Result, items: Sequence[str], resampling: Resampling, places: Integers | None = None
) -> Side:
    """The system's score on these items, in this order, and without each item or cluster.

    ``places`` says where a result of single items has them, where that is known.
    """
    if not result.per_item:
        subjects = {subject.item: subject for subject in result.subjects}
        chosen = [subjects[item] for item in items]
        left_out = leave_out_of_corpus(result.metric, chosen, resampling)
        return Side(left_out, scores_of_corpus(result.metric, chosen), hangs=False)
    aggregate = result.metric.aggregate
    rows = result.rows[places_in(result, items) if places is None else places]
    left_out = LeaveOneOut(*leave_out(rows, aggregate, resampling.clusters(items)))
    return Side(left_out, scores_of_rows(result.metric, rows), unseen(rows, aggregate))


def _difference(a: Side, b: Side) -> tuple[float, Floats]:
    """The first side's score minus the second's, and the same without each unit."""
    score = float(difference_of(np.array(a.left_out.score), np.array(b.left_out.score)))
    return score, difference_of(a.left_out.without, b.left_out.without)
