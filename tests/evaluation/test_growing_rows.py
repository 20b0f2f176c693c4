"""What an evaluation keeps is what passed by, packed or not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dialeval import Length, RougeL
from dialeval.catalogue import build
from dialeval.core import Missing, Resampling
from dialeval.data import Example, Response
from dialeval.evaluation.runner import GrowingRows, Plan, evaluate, with_gaps
from dialeval.stats.resampling.jackknife import leave_out

SIZES = st.lists(st.integers(0, 40), min_size=1, max_size=12)


@given(SIZES)
def test_grown_rows_are_all_rows_in_order(sizes):
    batches = [np.full((size, 3), float(place)) for place, size in enumerate(sizes)]
    grown = GrowingRows()
    for batch in batches:
        grown.add(batch)
        batch[:] = -1  # what a metric does with its array afterwards moves nothing
    rows = grown.take()
    assert rows is not None
    assert rows.tolist() == [[float(place)] * 3 for place, size in enumerate(sizes) for _ in range(size)]
    assert grown.take() is None


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_rows_move_to_their_places(share):
    there = np.random.default_rng(3).random(150_000) >= share  # more than are moved at once
    rows = np.arange(2.0 * there.sum()).reshape(-1, 2)
    expected = np.full((len(there), 2), np.nan)
    expected[there] = rows
    assert np.array_equal(with_gaps(rows.copy(), there), expected, equal_nan=True)


def test_packing_changes_nothing_but_the_memory():
    subjects = [
        Missing(f"d{n // 5}/{n}", "a", "crashed")
        if n % 50 == 7
        else Example(
            f"d{n // 5}/{n}", "ab"[n % 3 == 0], (), Response("x y " * (n % 9)), ("y z x",) * (n % 11 > 0)
        )
        for n in range(5000)
    ]
    metrics = {"length": Length(), "rouge_l": RougeL()}
    plain, packed = (
        evaluate(metrics, iter(subjects), Plan(packed=packed, resampling=Resampling(seed=1)))
        for packed in (False, True)
    )
    assert list(plain) == list(packed)
    for one, other in zip(plain.values(), packed.values(), strict=True):
        assert (list(one.items), list(one.systems)) == (list(other.items), list(other.systems))
        assert (one.rows.tobytes(), one.values.tobytes()) == (other.rows.tobytes(), other.values.tobytes())
        assert (one.score, one.estimate, one.provenance) == (other.score, other.estimate, other.provenance)
        assert (one.reasons, one.units, one.design_effect) == (
            other.reasons,
            other.units,
            other.design_effect,
        )
        assert one.judgements == tuple(other.each_judgement())


@pytest.mark.parametrize(
    "name",
    ["bleu", "bleu(profile='sacrebleu')", "bleu(profile='nltk',smoothing='method6')", "rouge_l", "chrf"],
)
def test_leaving_out_some_rows_at_a_time_moves_no_bit(name):
    metric, generator = build(name), np.random.default_rng(4)
    texts = [" ".join(generator.choice(list("abcdefg"), size=8)) for _ in range(600)]
    examples = [
        Example(str(place), "s", (), Response(text), (texts[place - 1] + " a b c", text[3:]))
        for place, text in enumerate(texts)
    ]
    rows = metric.statistics(examples)
    many = rows[generator.integers(len(rows), size=140_001)]  # three blocks
    total = many.sum(axis=0)
    assert leave_out(many, metric.aggregate).without.tobytes() == metric.aggregate(total - many).tobytes()
