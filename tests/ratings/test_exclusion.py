"""Whom to drop, why, and what changes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dialeval.core import Resampling
from dialeval.errors import BadInput, Unsuitable
from dialeval.ratings.exclusion import drop_raters, read_dropped, without_raters, write_dropped
from dialeval.ratings.raters import pairwise_kappas
from support.rating_tables import table

GOOD = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]
ANSWERS = {
    "ana": GOOD,
    "ben": [*GOOD[:-1], 4],
    "cleo": [*GOOD[:-2], 5, 5],
    "dan": list(reversed(GOOD)),
    "eve": [3] * 10,
}


def test_all_below_the_threshold_go_at_once():
    dropped = drop_raters(table(ANSWERS), "fluency", 0.1, resampling=Resampling(resamples=0))
    assert [one.rater for one in dropped.who] == ["dan", "eve"]
    means = dict(zip(ANSWERS, pairwise_kappas(table(ANSWERS), "fluency").means, strict=True))
    assert dropped.who[0].kappa == pytest.approx(means["dan"])
    assert dropped.who[0].why == f"mean kappa {means['dan']:.3f} with 4 others is below 0.1"
    assert dropped.kept.raters == ("ana", "ben", "cleo")
    assert (dropped.before.raters, dropped.after.raters) == (5, 3)
    assert dropped.after.fleiss_kappa.value > 0.8 > dropped.before.fleiss_kappa.value


def test_worst_first_spares_those_whom_the_worst_pull_down():
    # All three good raters' means are below .6 only because of the two bad ones.
    at_once = drop_raters(table(ANSWERS), "fluency", 0.6, resampling=Resampling(resamples=0))
    one_by_one = drop_raters(
        table(ANSWERS), "fluency", 0.6, rule="worst-first", resampling=Resampling(resamples=0)
    )
    assert len(at_once.who) == 5
    assert at_once.after is None
    assert sorted(one.rater for one in one_by_one.who) == ["dan", "eve"]
    assert one_by_one.who[0].why.startswith("lowest mean kappa of 5 raters, ")


def test_every_pair_leaves_no_pair_below():
    rng = np.random.default_rng(5)
    true = rng.integers(1, 6, 60)
    noisy = {
        f"r{at}": np.where(rng.random(60) < at / 9, rng.integers(1, 6, 60), true).tolist() for at in range(9)
    }
    dropped = drop_raters(table(noisy), "fluency", 0.3, rule="every-pair", resampling=Resampling(resamples=0))
    left = pairwise_kappas(dropped.kept, "fluency")
    assert len(left.raters) + len(dropped.who) == 9
    assert min(pair.kappa for pair in left.pairs) >= 0.3
    assert left.exceeding[0.2] == len(left.pairs)
    assert "below 0.3 with" in dropped.who[0].why


def test_nobody_goes_where_all_agree():
    for rule in ("mean", "worst-first", "every-pair"):
        dropped = drop_raters(
            table({"ana": GOOD, "ben": GOOD}), "fluency", 0.9, rule=rule, resampling=Resampling(resamples=0)
        )
        assert dropped.who == ()
        assert dropped.after.fleiss_kappa == dropped.before.fleiss_kappa


def test_raters_without_a_kappa_stay():
    answers = {"ana": GOOD, "ben": GOOD, "cleo": ["-"] * 10 + [1]}
    assert drop_raters(table(answers), "fluency", 0.5, resampling=Resampling(resamples=0)).who == ()
    assert (
        drop_raters(
            table(answers), "fluency", 0.5, rule="worst-first", resampling=Resampling(resamples=0)
        ).who
        == ()
    )


def test_one_by_one_two_raters_always_stay():
    answers = {"ana": GOOD, "ben": list(reversed(GOOD)), "cleo": [3] * 10}
    for rule in ("worst-first", "every-pair"):
        assert (
            len(
                drop_raters(
                    table(answers), "fluency", 0.9, rule=rule, resampling=Resampling(resamples=0)
                ).kept.raters
            )
            == 2
        )


def test_measurements_cannot_be_dropped_by_kappa():
    many = table({name: [at / 7 for at in range(300)] for name in ("ana", "ben")})
    with pytest.raises(Unsuitable, match="no pairwise kappas"):
        drop_raters(many, "fluency", 0.1)


def test_others_are_those_with_whom_there_is_a_kappa():
    # Eve and fay chose nothing but 3 where they met: that is no kappa.
    answers = {"eve": [3] * 10, "fay": ["-"] * 9 + [3], "ana": GOOD, "ben": ANSWERS["ben"]}
    assert pairwise_kappas(table(answers), "fluency").others.tolist() == [3, 3, 3, 3]
    for rule, said in (
        ("mean", "with 2 others is below 0.1"),
        ("every-pair", "below 0.1 with 2 of 2 others"),
    ):
        first = drop_raters(
            table(answers), "fluency", 0.1, rule=rule, resampling=Resampling(resamples=0)
        ).who[0]
        assert first.rater == "eve"
        assert first.why.endswith(said)


def test_dropped_raters_are_written_and_left_out_again(tmp_path):
    path = tmp_path / "dropped.jsonl"
    found = drop_raters(table(ANSWERS), "fluency", 0.1, rule="every-pair")
    write_dropped(path, [found])
    left = read_dropped(path)
    assert [one.rater for one in left] == [gone.rater for gone in found.who]
    kept, (note,) = without_raters(table(ANSWERS), left)
    assert set(kept.raters) == set(found.kept.raters)
    assert note.code == "raters_left_out"
    write_dropped(path, [])
    assert read_dropped(path) == ()


def test_a_rater_without_a_criterion_is_left_out_of_all_and_a_stranger_is_told(tmp_path):
    path = tmp_path / "dropped.jsonl"
    first = table(ANSWERS).raters[0]
    path.write_text(
        json.dumps({"rater": first}) + "\n" + json.dumps({"rater": "nobody", "criterion": "x"}) + "\n"
    )
    kept, notes = without_raters(table(ANSWERS), read_dropped(path))
    assert first not in kept.raters
    assert [note.code for note in notes] == ["raters_left_out", "raters_not_there"]


@pytest.mark.parametrize("text", ['["ann"]', '{"name": "ann"}'])
def test_a_list_of_raters_that_is_none_is_refused(tmp_path, text):
    path = tmp_path / "dropped.jsonl"
    path.write_text(text + "\n")
    with pytest.raises(BadInput, match="rater"):
        read_dropped(path)
    with pytest.raises(BadInput, match="no such file"):
        read_dropped(tmp_path / "none.jsonl")
