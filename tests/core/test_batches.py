"""Small batches may be stretches of a larger one, of which more is computed at once; no value shows it."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dialeval.catalogue import build
from dialeval.core.batches import SharedBatch, coming_with, example_columns, lacks_references, stretch_of
from dialeval.data.columns import columns_of
from dialeval.data.types import Example, Response
from dialeval.evaluation.roll import Roll
from dialeval.evaluation.runner import evaluate

WORDS = st.lists(st.sampled_from("abc"), max_size=6).map(" ".join)
TEXTS = st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=1, max_size=2)), min_size=1, max_size=12)
BARE = Example("bare", "s", (), Response("a"))
GONE = Example("gone", "s", (), Response("", missing="refused"), ("a",))


def examples_of(texts: list[tuple[str, list[str]]]) -> list[Example]:
    return [
        Example(str(at), "s", (), Response(text), tuple(references))
        for at, (text, references) in enumerate(texts)
    ]


@given(texts=TEXTS, size=st.integers(1, 5))
def test_metrics_of_stretches_have_the_bits_of_metrics_of_all(
    texts: list[tuple[str, list[str]]], size: int
) -> None:
    examples = examples_of(texts)
    for name in ("bleu(order=4)", "rouge_l", "bleu(profile='nltk')"):
        metric = build(name)
        batches = Roll[Example](size, digests=False).note(examples)
        parts = [metric.statistics(batch.subjects) for batch in batches]
        np.testing.assert_array_equal(np.concatenate(parts), metric.statistics(examples))


def test_small_batches_are_stretches_of_a_larger_one() -> None:
    examples = examples_of([("a", ["b"])] * 5)
    batches = [batch.subjects for batch in Roll[Example](2, digests=False).note(examples)]
    assert [len(batch) for batch in batches] == [2, 2, 1]
    wholes = [stretch_of(batch) for batch in batches]
    assert [whole.place for whole in wholes] == [slice(0, 2), slice(2, 4), slice(4, 5)]
    assert all(whole.whole is wholes[0].whole for whole in wholes)
    assert example_columns(batches[1]) == columns_of(examples[2:4])


def test_batches_of_a_list_tell_how_many_there_are() -> None:
    examples = examples_of([("a", ["b"])] * 5)
    for subjects, coming in ((examples, 5), (iter(examples), 2)):
        first = next(Roll[Example](2, digests=False).note(subjects)).subjects
        assert coming_with(stretch_of(first).whole if coming == 5 else first) == coming


def test_batches_with_something_missing_stand_alone() -> None:
    for odd in (BARE, GONE):
        examples = [*examples_of([("a", ["b"])] * 2), odd]
        batches = [batch.subjects for batch in Roll[Example](2, digests=False).note(examples)]
        assert [batch.whole for batch in batches] == [None, None]
        assert example_columns(batches[1]) == columns_of([odd])


@pytest.mark.parametrize("nothing", [(), []])
def test_examples_without_references_are_left_out_however_that_is_said(nothing: Any) -> None:
    bare = Example("bare", "s", (), Response("a"), nothing)
    result = evaluate(build("bleu"), [*examples_of([("a b c d e", ["a b c d e"])] * 3), bare])
    assert dict(result.reasons) == {3: "no references"}
    assert result.score == pytest.approx(1)


def test_a_batch_travels_without_the_larger_one() -> None:
    whole = SharedBatch(examples_of([("a", ["b"])] * 4))
    part = SharedBatch(whole[1:3], whole, 1)
    arrived = pickle.loads(pickle.dumps(part))
    assert (tuple(arrived), arrived.whole, arrived.known) == (tuple(part), None, {})


def test_only_examples_without_any_reference_lack_them() -> None:
    assert lacks_references(GONE) is None
    assert lacks_references(BARE) == "no references"
