"""One runner: score, interval, every subject's value or reason, provenance."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialeval.core import Missing, Resampling, by_dialogue
from dialeval.core.metric import UNDEFINED
from dialeval.data import Example, Response, Turn
from dialeval.engine import Cache, ProcessPool
from dialeval.errors import Unsuitable
from dialeval.evaluation.runner import Plan, evaluate
from support.vowel_share import VowelShare


def example(item: str, text: str, system: str = "s") -> Example:
    return Example(item, system, (Turn("user", "hi"),), Response(text))


def test_the_corpus_score_pools_and_items_have_their_own():
    result = evaluate(VowelShare(), [example("1", "aab"), example("2", "b")])
    assert result.score == pytest.approx(2 / 4)  # not the mean of 2/3 and 0
    assert result.values.tolist() == pytest.approx([2 / 3, 0])


def test_what_has_no_value_keeps_its_reason_and_stays_out_of_the_score():
    subjects = [example("1", "ab"), example("2", "..."), Missing("3", "s", "crashed"), example("4", "!")]
    result = evaluate(VowelShare(), subjects)
    assert result.score == 0.5
    assert result.reasons == {1: "silent", 2: "crashed", 3: UNDEFINED}
    assert (result.scored, result.estimate.n, result.coverage) == (1, 1, 0.25)
    assert [j.item for j in result.judgements] == ["1", "2", "3", "4"]
    assert np.isnan(result.rows[1:]).all()


def test_nothing_scored_is_nan_and_never_zero():
    for subjects in ([], [Missing("1", "s", "crashed")]):
        result = evaluate(VowelShare(), subjects)
        assert math.isnan(result.score)
        assert result.estimate.bounds is None
        assert result.rows.shape == (len(subjects), 2)


def test_one_item_has_a_score_but_no_interval():
    result = evaluate(VowelShare(), [example("1", "ab")])
    assert (result.score, result.estimate.bounds) == (0.5, None)


def test_the_interval_covers_the_true_mean_about_as_often_as_it_says():
    generator = np.random.default_rng(5)
    covered = 0
    for trial in range(200):
        texts = np.where(generator.random(80) < 0.3, "a", "b")
        result = evaluate(
            VowelShare(),
            [example(str(i), t) for i, t in enumerate(texts)],
            Plan(resampling=Resampling(resamples=300, seed=trial)),
        )
        assert result.estimate.bounds is not None
        covered += result.estimate.low <= 0.3 <= result.estimate.high
    assert 0.89 <= covered / 200 <= 0.99


def test_clusters_widen_the_interval_when_items_of_a_dialogue_agree():
    texts = ["a"] * 10 + ["b"] * 10
    subjects = [example(f"d{i}/{turn}", text) for i, text in enumerate(texts) for turn in range(10)]
    alone = evaluate(VowelShare(), subjects, Plan(resampling=Resampling(cluster="none"))).estimate
    together = evaluate(VowelShare(), subjects).estimate
    assert alone is not None
    assert together is not None
    # 20 clusters instead of 200 items: about sqrt(10) times as wide.
    assert (together.high - together.low) / (alone.high - alone.low) == pytest.approx(math.sqrt(10), rel=0.25)


@pytest.mark.parametrize(
    ("item", "dialogue"), [("d1/3", "d1"), ("a/b/3", "a/b"), ("plain", "plain"), ("/x", "/x")]
)
def test_items_of_a_dialogue_share_what_comes_before_the_last_slash(item, dialogue):
    assert by_dialogue(item) == dialogue


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text("ab!.", max_size=4), max_size=30), st.integers(1, 7))
def test_batch_size_moves_nothing(texts, size):
    subjects = [example(str(i), text) for i, text in enumerate(texts)]
    whole, parts = (
        evaluate(VowelShare(), subjects),
        evaluate(VowelShare(), iter(subjects), Plan(batch_size=size)),
    )
    assert whole.provenance == parts.provenance
    np.testing.assert_array_equal(whole.rows, parts.rows)
    assert whole.estimate == parts.estimate


def test_a_pool_and_a_cache_move_nothing(tmp_path):
    subjects = [example(str(i), text) for i, text in enumerate(["ab", "...", "xyz", "aei"] * 25)]
    plain = evaluate(VowelShare(), subjects)
    with ProcessPool(2) as pool:
        pooled = evaluate(VowelShare(), subjects, Plan(executor=pool, cache=Cache(tmp_path), batch_size=7))
    again = evaluate(VowelShare(), subjects, Plan(cache=Cache(tmp_path), batch_size=7))
    for other in (pooled, again):
        np.testing.assert_array_equal(plain.rows, other.rows)
        assert (plain.score, plain.estimate, plain.provenance) == (
            other.score,
            other.estimate,
            other.provenance,
        )


def test_the_seed_moves_nothing():
    subjects = [example(str(i), text) for i, text in enumerate(["ab", "xyz", "aei"] * 20)]
    one, same, other = (
        evaluate(VowelShare(), subjects, Plan(resampling=Resampling(seed=seed))) for seed in (1, 1, 2)
    )
    assert one.estimate == same.estimate == other.estimate
    assert one.score == other.score


@pytest.mark.parametrize(
    "changed",
    [
        [example("1", "ab"), example("2", "ba")],
        [example("1", "ab", system="t"), example("2", "b")],
        [example("2", "b"), example("1", "ab")],
        [example("1", "ab"), Missing("2", "s", "crashed")],
        [Example("1", "s", (), Response("ab")), example("2", "b")],
        [Example("1", "s", (Turn("user", "hi"),), Response("ab"), ("r",)), example("2", "b")],
    ],
)
def test_the_data_digest_changes_with_anything_in_the_data(changed):
    original = [example("1", "ab"), example("2", "b")]
    assert evaluate(VowelShare(), changed).provenance.data != evaluate(VowelShare(), original).provenance.data


def test_one_pass_over_a_stream_serves_several_metrics_and_systems():
    stream = (example(str(i), "ab" if i % 3 else "b", system="xy"[i % 2]) for i in range(30))
    results = evaluate({"v": VowelShare(), "w": VowelShare()}, stream, Plan(batch_size=2))
    assert list(results) == [("v", "x"), ("v", "y"), ("w", "x"), ("w", "y")]
    alone = evaluate(
        VowelShare(), [example(str(i), "ab" if i % 3 else "b", system="x") for i in range(0, 30, 2)]
    )
    assert results["v", "x"].score == alone.score
    assert results["v", "x"].provenance == alone.provenance


def test_what_is_not_a_subject_is_named():
    with pytest.raises(Unsuitable, match="Found str among what is to be scored"):
        evaluate(VowelShare(), ["a response"])  # type: ignore[list-item]
