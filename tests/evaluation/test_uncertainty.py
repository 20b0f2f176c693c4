"""Intervals that evaluate gives: never of width zero, by dialogue where ids show them, and covering what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialeval import Bleu, RougeL, evaluate
from dialeval.core import ABSENCES, Floats, Resampling, Result, Signature
from dialeval.data import Example, Response
from dialeval.evaluation.runner import Plan
from dialeval.metrics.rows import mean_of_rows, rows_of_values
from dialeval.stats import clopper_pearson


@dataclass(frozen=True, slots=True)
class Value:
    """The number that a response is."""

    higher_is_better: ClassVar[bool] = True

    @property
    def signature(self) -> Signature:
        return Signature("value")

    def unscorable(self, _example: Example) -> None:
        return None

    def statistics(self, examples: Sequence[Example]) -> Floats:
        return rows_of_values([float(example.response.text) for example in examples])

    def aggregate(self, totals: Floats) -> Floats:
        return mean_of_rows(totals)


@dataclass(frozen=True, slots=True)
class Right(Value):
    """Whether it is right."""

    yes_no: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Share(Value):
    """A number that is never below 0."""

    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)


def scored(values: Sequence[float], ids: Sequence[str] | None = None, **options: object) -> Result:
    metric = options.pop("metric", Value())
    ids = ids or [str(place) for place in range(len(values))]
    examples = [Example(item, "s", (), Response(repr(float(v)))) for item, v in zip(ids, values, strict=True)]
    return evaluate(metric, examples, Plan(resampling=Resampling(**options)))  # type: ignore[arg-type]


def said(*pairs: tuple[str, str]) -> list[Example]:
    return [Example(str(at), "s", (), Response(text), (ref,)) for at, (text, ref) in enumerate(pairs)]


numbers = st.one_of(st.floats(-1e6, 1e6), st.sampled_from([0.0, 0.5, 1.0]))
items = st.lists(st.tuples(numbers, st.integers(0, 3)), max_size=25)


@given(items, st.sampled_from([Value(), Share()]), st.sampled_from(["auto", "none", "dialogue"]))
@settings(deadline=None)
def test_there_is_an_interval_that_holds_the_score_or_a_reason(given_items, metric, cluster):
    values = [value if isinstance(metric, Value) else value % 1 for value, _ in given_items]
    ids = [f"d{dialogue}/{turn}" for turn, (_, dialogue) in enumerate(given_items)]
    found = scored(
        [v % 1 for v in values] if isinstance(metric, Share) else values, ids, metric=metric, cluster=cluster
    )
    assert (found.estimate.bounds is None) == (found.absence is not None)
    if found.estimate.bounds is None:
        assert found.absence in ABSENCES
    else:
        assert found.estimate.low < found.estimate.high
        assert found.estimate.low <= found.score <= found.estimate.high


def test_why_there_is_none():
    assert scored([]).absence == "undefined"
    assert scored([0.3]).absence == "one-unit"
    assert scored([0.3] * 9).absence == "constant"
    assert scored([0.3, 0.4], resamples=0).absence is None
    # Words in common, but no four of them in a row: how often these would match elsewhere is unknown.
    overlap = said(("a b c x e", "a b c d e"), ("a y c d e", "a b c d e"), ("a b z d e", "a b c d e"))
    found = evaluate(Bleu(order=4), overlap)
    assert (found.estimate.bounds, found.absence) == (None, "unseen")
    # Equal values of a measure with limits say how many others there can be.
    assert evaluate(RougeL(), overlap).estimate.low == pytest.approx(0.8 * 0.025 ** (1 / 3))


def test_all_right_is_no_certainty():
    found = scored([1.0] * 20, metric=Right())
    assert (found.estimate.low, found.estimate.high) == clopper_pearson(20, 20)
    assert scored([1.0] * 20).absence == "constant"  # any measure may give 1 twenty times
    mixed = scored([1.0] * 19 + [0.0])
    assert (mixed.estimate.low, mixed.estimate.high) == clopper_pearson(19, 20)


def test_ends_stay_within_the_measures_limits():
    values = [0.0] * 9 + [0.4]
    assert scored(values).estimate.low < 0
    assert 0 < scored(values, metric=Share()).estimate.low < 0.04
    assert scored(values).estimate.high < scored(values, metric=Share()).estimate.high <= 1


def test_dialogues_are_the_units_where_ids_show_them():
    rng = np.random.default_rng(0)
    values = np.repeat(rng.normal(size=20), 10)
    ids = [f"d{place // 10}/{place % 10}" for place in range(200)]
    found = scored(values, ids)
    assert (found.units, found.scored) == (20, 200)
    assert found.design_effect == pytest.approx(10 * 199 / 200 * 20 / 19, rel=1e-9)  # ten copies of each
    alone = scored(values, ids, cluster="none")
    assert (alone.units, alone.design_effect) == (200, None)
    assert found.estimate.high - found.estimate.low > 3 * (alone.estimate.high - alone.estimate.low)


@pytest.mark.parametrize(
    ("ids", "units"),
    [
        (["d1/1", "d1/2", "d2/1"], 2),
        (["d1/1", "d2/1", "d3/1"], 3),  # one turn each
        (["test/1", "test/2", "test/3"], 3),  # the name of the data, not of a dialogue
        (["a", "b", "c"], 3),
    ],
)
def test_ids_decide_what_is_resampled(ids, units):
    found = scored([0.1, 0.5, 0.3], ids)
    assert (found.units, found.design_effect is None) == (units, units == 3)
    assert scored([0.1, 0.5, 0.3], ids, cluster="none").units == 3


def test_the_ids_that_have_a_value_decide():
    unscored = [Example(f"d1/{turn}", "s", (), Response("a b"), ()) for turn in range(5)]
    found = evaluate(RougeL(), [*unscored, *said(("a b", "a b"), ("a", "a b"), ("c", "a b"))])
    assert (found.units, found.scored) == (3, 3)


def coverage(population, size: int, samples: int, seed: int) -> float:
    """Share of samples whose interval holds the population's mean, of those that have one."""
    rng = np.random.default_rng(seed)
    held = []
    for _ in range(samples):
        bounds = scored(rng.choice(population, size=size)).estimate.bounds
        if bounds is not None:
            held.append(bounds[0] <= population.mean() <= bounds[1])
    return float(np.mean(held))


def test_ten_skewed_items_are_covered():
    """Values as ROUGE-L has them on real replies; the percentile bootstrap covered 88 % of such samples."""
    rng = np.random.default_rng(5)
    population = np.where(rng.random(20_000) < 0.3, 0.0, rng.beta(1.2, 6, size=20_000))
    assert coverage(population, 10, 600, seed=1) >= 0.925


def test_accuracy_near_one_is_covered():
    """Of ten items at .97 three samples in four are all right: an interval of width zero covered 25 %."""
    rng = np.random.default_rng(2)
    held = []
    for _ in range(300):
        interval = scored((rng.random(10) < 0.97).astype(float), metric=Right()).estimate
        held.append(interval.low <= 0.97 <= interval.high)
    assert np.mean(held) >= 0.93


def test_clustered_items_are_covered_by_default():
    """Ten turns of each dialogue at ICC .3: taken as independent, intervals covered 60 %."""
    rng = np.random.default_rng(3)
    ids = [f"d{place // 10}/{place % 10}" for place in range(200)]
    held = {"auto": 0, "none": 0}
    for _ in range(150):
        values = np.repeat(rng.normal(scale=0.3**0.5, size=20), 10) + rng.normal(scale=0.7**0.5, size=200)
        for cluster in held:
            interval = scored(values, ids, cluster=cluster).estimate
            held[cluster] += interval.low <= 0 <= interval.high
    assert held["auto"] / 150 >= 0.91
    assert held["none"] / 150 < 0.75
