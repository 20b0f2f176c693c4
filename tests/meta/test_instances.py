"""Rules that call single answers right or wrong, and tests of the ratings of either."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from dialeval.errors import DialevalError, UnknownName, Unsuitable
from dialeval.meta.instances import InstanceRule, validate_instances
from dialeval.ratings.joined import Joined
from dialeval.ratings.verdicts import verdicts_of
from dialeval.stats.tests.multiple import holm


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("rouge_l>=0.2", InstanceRule("rouge_l", 0.2)),
        (" bleu(order=4) >= -1e-3 ", InstanceRule("bleu(order=4)", -0.001)),
        ("ter<=median", InstanceRule("ter", "median", lower_is_right=True)),
        ("chosen", InstanceRule("chosen")),
        ("a>=b>=3", InstanceRule("a>=b", 3.0)),
    ],
)
def test_a_rule_is_a_measure_and_a_bound(text: str, rule: InstanceRule) -> None:
    assert InstanceRule.parse(text) == rule


@pytest.mark.parametrize("text", ["", " ", ">=3", "m>=", "m>3", "m>=much", "m>=nan", "m>=inf"])
def test_what_is_no_rule_says_how_one_is_written(text: str) -> None:
    with pytest.raises(DialevalError, match=r"'rouge_l>=0\.2', 'ter<=0\.5' or 'length>=median'"):
        InstanceRule.parse(text)


def test_a_rule_asks_what_it_says(make_joined) -> None:
    joined = make_joined([[[1, 2, 3, 5, 4, 5]]], {"m": [[1, 1, 2, 3, 3, 4]]})
    found = InstanceRule.parse("m<=2").validate(joined, alpha=0.1)
    assert found == validate_instances(joined, "m", threshold=2.0, lower_is_right=True, alpha=0.1)
    assert found.systems[0].right == 3


NONE = math.nan


def test_one_tailed_tests_by_hand(make_joined) -> None:
    # Right: 4, 5, 6 (mean 5, variance 1). Wrong: 1, 2, 3. Both t tests: 3 / sqrt(1/3 + 1/3) = 3.6742, 4 degrees.
    joined = make_joined([[[4, 5, 6, 1, 2, 3]]], {"chosen": [[1, 1, 1, 0, 0, 0]]})
    for test in ("welch", "student"):
        [system] = validate_instances(joined, "chosen", test=test).systems
        assert (system.right, system.wrong, system.left_out) == (3, 3, 0)
        assert (system.mean_right, system.mean_wrong, system.difference) == (5, 2, 3)
        assert system.statistic == pytest.approx(3 / math.sqrt(2 / 3))
        assert system.df == pytest.approx(4)
        assert system.p == pytest.approx(0.01065, abs=1e-5)


def test_uneven_groups_equal_scipy(make_joined) -> None:
    rng = np.random.default_rng(5)
    ratings = rng.integers(1, 6, size=(3, 2, 40)).astype(float)
    right = (rng.random((2, 40)) < 0.3).astype(float)
    joined = make_joined(ratings, {"chosen": right})
    for test, equal in (("welch", False), ("student", True)):
        for alternative in ("greater", "less"):
            found = validate_instances(joined, "chosen", test=test, alternative=alternative)
            for at, system in enumerate(found.systems):
                means = ratings.mean(axis=0)[at]
                high, low = means[right[at] == 1], means[right[at] == 0]
                expected = scipy.stats.ttest_ind(high, low, equal_var=equal, alternative=alternative)
                assert system.statistic == pytest.approx(expected.statistic)
                assert system.p == pytest.approx(expected.pvalue)


def test_yes_no_labels_are_tested_by_fisher(make_joined) -> None:
    # What most of three raters said: yes 3 and no 1 where right, yes 1 and no 3 where wrong.
    votes = [[[1, 1, 1, 0, 1, 0, 0, 0]], [[1, 1, 0, 0, 1, 0, 0, 1]], [[1, 0, 1, 1, 0, 0, 0, 0]]]
    joined = make_joined(votes, {"chosen": [[1, 1, 1, 1, 0, 0, 0, 0]]})
    found = validate_instances(joined, "chosen")
    [system] = found.systems
    expected = scipy.stats.fisher_exact([[3, 1], [1, 3]], alternative="greater")
    assert (found.test, system.right, system.wrong) == ("fisher", 4, 4)
    assert (system.mean_right, system.mean_wrong) == (0.75, 0.25)
    # (C(4,3) C(4,1) + C(4,4) C(4,0)) / C(8,4) = 17 / 70.
    assert (system.statistic, system.p) == (9, pytest.approx(17 / 70))
    assert system.p == pytest.approx(expected.pvalue)


def test_evenly_split_raters_give_no_label(make_joined) -> None:
    joined = make_joined([[[1, 1, 0, 0]], [[1, 0, 0, 1]]], {"chosen": [[1, 1, 0, 0]]})
    [system] = validate_instances(joined, "chosen").systems
    assert (system.right, system.wrong, system.left_out) == (1, 1, 2)


def test_fisher_is_refused_for_ratings(make_joined) -> None:
    joined = make_joined([[[1, 2, 3, 4]]], {"chosen": [[1, 1, 0, 0]]})
    with pytest.raises(Unsuitable, match=r"other values than 0 and 1.*test='welch'"):
        validate_instances(joined, "chosen", test="fisher")


def test_systems_that_cannot_be_tested_say_why_and_are_not_counted(make_joined) -> None:
    ratings = [[[4, 5, 6, 1, 2, 3], [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], [5, 5, 5, 2, 2, 2], [NONE] * 6]]
    chosen = [[1, 1, 1, 0, 0, 0], [1] * 6, [1, 0, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0], [0] * 6]
    found = validate_instances(make_joined(ratings, {"chosen": chosen}), "chosen")
    reasons = [system.reason for system in found.systems]
    assert reasons[0] is None
    assert reasons[1] == "the measure calls every rated answer right (6)"
    assert reasons[2] == "groups of 1 and 5 values, where each needs 2"
    assert reasons[3] == "the values do not vary within either group (all 5, all 2)"
    assert reasons[4] == "no answer has both a rating and a verdict"
    assert all(system.p is None and system.p_adjusted is None for system in found.systems[1:])
    assert (found.tested, found.significant, found.significant_adjusted) == (1, 1, 1)
    assert "1 of 1 systems" in found.verdict
    assert "4 could not be tested" in found.verdict


def test_all_labels_alike_cannot_be_tested(make_joined) -> None:
    [system] = validate_instances(make_joined([[[1, 1, 1, 1]]], {"chosen": [[1, 1, 0, 0]]}), "chosen").systems
    assert system.reason == "all 4 labels are 1"


def test_holm_corrects_over_the_tested_systems(make_joined) -> None:
    rng = np.random.default_rng(1)
    ratings = rng.normal(size=(1, 4, 30)) + np.array([0, 0.4, 0.8, 1.2])[None, :, None] * np.tile([1, 0], 15)
    found = validate_instances(make_joined(ratings, {"chosen": np.tile([1, 0], (4, 15))}), "chosen")
    plain = [system.p for system in found.systems]
    assert [system.p_adjusted for system in found.systems] == pytest.approx(holm(plain).tolist())
    assert found.significant == sum(p < 0.05 for p in plain)
    assert found.significant >= found.significant_adjusted


def test_a_graded_measure_needs_a_threshold_and_the_rule_is_named(make_joined) -> None:
    joined = make_joined([[[1, 2, 3, 4]]], {"rouge_l": [[0.1, 0.2, 0.3, 0.4]]})
    with pytest.raises(DialevalError, match=r"rouge_l does not say right or wrong: found the value 0\.1"):
        validate_instances(joined, "rouge_l")
    at = validate_instances(joined, "rouge_l", threshold=0.3)
    assert (at.rule, at.systems[0].right, at.systems[0].mean_right) == ("rouge_l >= 0.3", 2, 3.5)
    below = validate_instances(joined, "rouge_l", threshold=0.2, lower_is_right=True)
    assert (below.rule, below.systems[0].mean_right) == ("rouge_l <= 0.2", 1.5)
    assert validate_instances(joined, "rouge_l", threshold="median").rule == "rouge_l >= 0.25"
    with pytest.raises(UnknownName, match="rouge_l"):
        validate_instances(joined, "rouge")


def test_lower_is_right_turns_yes_no_measures_round(make_joined) -> None:
    joined = make_joined([[[1, 2, 3, 4]]], {"contradicts": [[1, 1, 0, NONE]]})
    split = verdicts_of(joined.measures[0], lower_is_right=True)
    assert split.rule == "contradicts = 0"
    np.testing.assert_array_equal(split.right, [[0, 0, 1, NONE]])


def test_measures_with_a_value_are_no_news_about_unrated_answers(make_joined) -> None:
    joined = make_joined([[[4, 5, NONE, 1, 2, 3]]], {"chosen": [[1, 1, 1, 0, 0, NONE]]})
    [system] = validate_instances(joined, "chosen").systems
    assert (system.right, system.wrong, system.left_out) == (2, 2, 2)


def test_on_usr_most_systems_do_not_bear_the_measure_out(usr: Joined) -> None:
    """The shape of Sato (2024, section 3.5.2), 4 of 20 systems: good at ranking systems, poor within one."""
    found = validate_instances(usr, "ruber", threshold="median")
    assert (found.tested, found.significant, found.significant_adjusted) == (5, 2, 1)
    for at, system in enumerate(found.systems):
        values, human = usr.measure_named("ruber").values[at], usr.human.values[at]
        right = values >= np.median(usr.measure_named("ruber").values)
        expected = scipy.stats.ttest_ind(human[right], human[~right], equal_var=False, alternative="greater")
        assert system.p == pytest.approx(expected.pvalue)
