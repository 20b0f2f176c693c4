"""RANDOM against CHOSEN: what is drawn, what it costs, and what it comes to."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import spearmanr

from dialeval.data import Question
from dialeval.errors import Unsuitable
from dialeval.selection.asking.choosers import TfIdfChooser
from dialeval.selection.asking.people import HumanRanking, trials_document
from dialeval.selection.asking.trials import (
    UtteranceList,
    candidates_of,
    listed,
    pool_variances,
    random_pool,
    run_trials,
)
from dialeval.stats import over_scores
from support.choosing_systems import Noisy, Table, question, town_questions

OTHERS = listed(f"something else, number {at}" for at in range(50))


def test_a_pool_has_the_right_answer_and_random_false_ones():
    asked = question("q", "right", false=["wrong", "worse"])
    wide = random_pool(asked, OTHERS, seed=1)
    assert [one.text for one in wide.candidates if one.correct] == ["right"]
    false = [one.text for one in wide.candidates if not one.correct]
    assert len(set(false)) == 7  # three times two, and one
    assert set(false) <= set(OTHERS.all)
    assert wide == random_pool(asked, OTHERS, seed=1)
    assert wide != random_pool(asked, OTHERS, seed=2)


def test_no_random_candidate_is_one_of_the_questions_own_turns_or_candidates():
    few = listed(["RIGHT!", "wrong", "well ?", "a", "b", "c", "d"])
    asked = question("q", "right", false=["wrong"])
    wide = random_pool(asked, few, seed=0)
    assert {one.text for one in wide.candidates if not one.correct} == {"a", "b", "c", "d"}


def test_a_repository_too_small_for_the_pool_is_refused():
    with pytest.raises(Unsuitable, match=r"Only 2 of 2 utterances .* 'q'; expected 4"):
        random_pool(question("q", "right", false=["wrong"]), listed(["a", "b"]))
    with pytest.raises(Unsuitable, match="A pool of 1 random candidates is too small"):
        random_pool(question("q", "right", false=["x", "y"]), OTHERS, size=1)


def test_trials_without_a_system_are_refused():
    with pytest.raises(Unsuitable, match="need at least one system that can choose"):
        run_trials([], town_questions(4), OTHERS)


def test_each_candidate_is_scored_once_for_any_number_of_trials():
    asked = town_questions(10)
    known = dict.fromkeys([*OTHERS.all, *candidates_of(asked).all], -1.0)
    few, many = Table("t", known), Table("t", known)
    run_trials([few], asked, OTHERS, trials=1)
    run_trials([many], asked, OTHERS, trials=500)
    assert many.asked == few.asked
    # Four candidates of each question, then the right one again with a pool of ten.
    assert len(many.asked) == 10 * (4 + 11)


def test_accuracies_of_trials_are_those_of_asking_with_the_drawn_candidates():
    """With a pool that is no larger than what a trial draws, every trial is the same question."""
    asked, noisy = town_questions(20), Noisy("fair", 1.0)
    found = run_trials([noisy], asked, OTHERS, trials=7, pool=3, seed=5)
    pools = [random_pool(one, OTHERS, size=3, seed=5) for one in asked]
    right = [
        noisy.logprob([one.context] * 4, [c.text for c in one.candidates])[0]
        > noisy.logprob([one.context] * 4, [c.text for c in one.candidates])[1:].max()
        for one in pools
    ]
    assert found.random.ravel().tolist() == pytest.approx([np.mean(right)] * 7)
    assert (found.systems, found.questions, found.left_out, found.pool) == (("fair",), 20, 0, 3)


def test_trials_differ_and_the_seed_brings_them_back():
    asked = town_questions(30)
    once, again, other = (
        run_trials([Noisy("fair", 1.0)], asked, OTHERS, trials=50, seed=seed) for seed in (0, 0, 1)
    )
    assert once.random.tolist() == again.random.tolist()
    assert once.random.std() > 0
    assert once.random.tolist() != other.random.tolist()
    assert once.chosen.tolist() == other.chosen.tolist()


def test_every_candidate_of_a_pool_is_drawn_about_equally_often():
    """A right answer below exactly one of four pooled candidates is wrong in a quarter of the trials."""
    asked = [question(f"q{at}", "right", false=["wrong"]) for at in range(5)]
    known = {"right": -2.0, "wrong": -3.0, "w": -1.0, "x": -4.0, "y": -5.0, "z": -6.0}
    found = run_trials([Table("t", known)], asked, listed("wxyz"), trials=4000)
    assert found.random.mean() == pytest.approx(0.75, abs=0.02)
    assert found.chosen.tolist() == [1.0]


def test_a_tie_with_a_random_candidate_is_wrong_too():
    asked = [question("q", "right", false=["wrong"])]
    known = dict.fromkeys(["right", *"wxyz"], -1.0) | {"wrong": -2.0}
    found = run_trials([Table("t", known)], asked, listed("wxyz"), trials=5)
    assert found.chosen.tolist() == [1.0]
    assert found.random.ravel().tolist() == [0.0] * 5


def test_one_of_several_right_answers_above_the_random_ones_is_enough():
    asked = [question("q", "good", "bad", false=["wrong"])]
    known = {"good": -1.0, "bad": -9.0, "wrong": -2.0} | dict.fromkeys("wxyz", -3.0)
    found = run_trials([Table("t", known)], asked, listed("wxyz"), trials=5)
    assert found.random.ravel().tolist() == [1.0] * 5


def test_a_pool_holds_each_utterance_once_and_every_question_has_its_own():
    spelled = UtteranceList(("a", "A!", "b", "c"))
    for seed in range(8):
        wide = random_pool(question("q", "right", false=["wrong"]), spelled, size=3, seed=seed)
        assert {one.text.strip("!").lower() for one in wide.candidates} == {"right", "a", "b", "c"}
    drawn = {random_pool(question(item, "right", false=["wrong"]), OTHERS).candidates for item in "pqrs"}
    assert len(drawn) == 4


def test_a_chooser_is_fitted_to_the_questions_and_not_to_random_candidates():
    class Fitted(TfIdfChooser):
        def fit(self, questions):
            seen.append(list(questions))
            return super().fit(questions)

    seen: list[list[Question]] = []
    asked = town_questions(5)
    run_trials([Fitted()], asked, OTHERS, trials=2)
    assert seen == [asked]


def test_random_candidates_are_easier_than_chosen_ones_for_shared_words():
    asked = [
        question(f"q{at}", f"I took the train number {at} again", said=f"the train number {at} is late", false=[
            f"the train number {at} number {at}", f"is train {at} late", f"late is the number {at}"])
        for at in range(20)
    ]  # fmt: skip
    found = run_trials([TfIdfChooser()], asked, listed(f"tea and cake {at} times" for at in range(90, 150)))
    assert found.random.mean() > found.chosen[0] + 0.3


def test_a_question_without_a_choice_of_some_system_is_left_out_for_all():
    asked = [question("a", "r", false=["s"]), question("b", "r", false=["?"])]
    known = {text: -float(at) for at, text in enumerate(["r", "s", *"wxyz"])}
    found = run_trials([Table("t", known), Noisy("n", 1.0)], asked, listed("wxyz"), trials=3)
    assert (found.questions, found.left_out) == (1, 1)
    assert found.random.shape == (3, 2)


def test_rankings_of_trials_correlate_with_people():
    systems = [Noisy(f"s{at}", skill) for at, skill in enumerate([0.0, 0.7, 1.5, 3.0])]
    found = run_trials(systems, town_questions(40), OTHERS, trials=100)
    spread = over_scores(np.array([1.0, 2.0, 3.0, 4.0]), found.random)
    assert len(spread.values) == 100
    assert np.median(spread.values) > 0.9


def test_the_correlation_of_chosen_candidates_has_a_p_value_of_its_own():
    """Of four systems in people's order, two of the 24 orders are as far from chance: p = 1/12."""
    systems = [Noisy(f"s{at}", skill) for at, skill in enumerate([0.0, 0.7, 1.5, 3.0])]
    found = run_trials(systems, town_questions(40), OTHERS, trials=3)
    people = HumanRanking("overall", {f"s{at}": float(at) for at in range(4)})
    document = trials_document(found, "others.jsonl", people)
    assert document.human is not None
    ranked = spearmanr(range(4), found.chosen).statistic
    assert document.human.chosen == pytest.approx(ranked)
    assert document.human.p == pytest.approx(2 / 24 if abs(ranked) == 1 else document.human.p)
    assert document.human.p is not None
    assert document.human.p >= 2 / 24


def test_what_is_right_in_a_context_is_no_random_candidate_of_another_question_on_it():
    asked = [
        question("d", "yes", false=["no"], said="tea?"),
        question("d/2", "gladly", false=["no"], said="tea?"),
        question("e", "never", false=["no"], said="coffee?"),
    ]
    known = dict.fromkeys(["yes", "gladly", "never", "no", "a", "b", "c", "d"], -1.0)
    table = Table("t", known)
    run_trials([table], asked, listed(["GLADLY!", "Yes.", "a", "b", "c", "d"]), trials=1)
    heard = {(context[0].text, text) for context, text in table.asked}
    assert not heard & {("tea?", "GLADLY!"), ("tea?", "Yes.")}
    wide = random_pool(asked[2], listed(["GLADLY!", "Yes.", "a", "b"]), right=["b"], size=3)
    assert {one.text for one in wide.candidates} == {"never", "GLADLY!", "Yes.", "a"}


@pytest.mark.parametrize(
    ("better", "pool", "drawn", "given", "fresh"),
    [
        (0, 10, 3, 0, 0),  # always right
        (8, 10, 3, 0, 0),  # never right
        (2, 4, 1, 1 / 4, 1 / 2 - 1 / 6),  # two of four: both of two draws pass in 1 of C(4, 2) = 6 ways
        (1, 10, 3, 0.7 * 0.3, 0.7 - 0.4),  # it is among three of ten with 3/10, among six with 6/10
        (1, 3, 2, 1 / 3 * 2 / 3, math.nan),  # no two draws of two fit into three
    ],
)
def test_how_much_trials_vary_by_hand(better, pool, drawn, given, fresh):
    assert pool_variances(better, pool, drawn) == pytest.approx((given, fresh), nan_ok=True)


@pytest.mark.parametrize("drawn", [3, 9])
def test_ranges_of_trials_are_as_wide_as_those_of_fresh_candidates(drawn):
    """Trials from a pool of 3 k + 1 spread 12 to 14 % less than fresh draws; the widening undoes it."""
    rng = np.random.default_rng(drawn)
    better = rng.beta(1, 6, size=300)
    right = (1 - better) ** drawn
    truth = (right * (1 - right)).sum()
    pool = 3 * drawn + 1
    sums = np.mean(
        [
            np.sum(
                [pool_variances(count, pool, drawn) for count in rng.binomial(pool, better).tolist()], axis=0
            )
            for _ in range(100)
        ],
        axis=0,
    )
    narrow, widened = np.sqrt(sums / truth)
    assert 0.85 < narrow < 0.89
    assert widened == pytest.approx(1, abs=0.01)


def test_fresh_draws_spread_further_than_trials_from_one_pool():
    asked = town_questions(40)
    found = run_trials([Noisy("fair", 1.0), Noisy("weak", 0.3)], asked, OTHERS, trials=200)
    assert (found.widening > 1.05).all()
    assert found.fresh.mean(axis=0) == pytest.approx(found.random.mean(axis=0))
    assert found.fresh.std(axis=0) == pytest.approx(found.random.std(axis=0) * found.widening)
    tight = run_trials([Noisy("fair", 1.0)], asked, OTHERS, trials=20, pool=4)
    assert np.isnan(tight.widening).all()
    assert tight.fresh.tolist() == tight.random.tolist()
