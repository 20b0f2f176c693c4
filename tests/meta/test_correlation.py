"""Correlations of measures with people at four levels, and pairwise accuracies."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from dialeval.core import Resampling
from dialeval.data.types import Judgement
from dialeval.display.notes import codes, texts
from dialeval.meta import LEVELS
from dialeval.meta.correlation import correlate, with_accuracies, with_adjusted_p
from dialeval.meta.document import Level, Row
from dialeval.meta.instability import stabilities
from dialeval.meta.judgements import join
from dialeval.ratings.joined import Joined
from dialeval.ratings.table import Ratings
from dialeval.stats.correlation.pairwise import acc_eq, soft_pairwise_accuracy
from dialeval.stats.tests.multiple import holm

NAN = math.nan


def table(human: Sequence[Sequence[float]], **measures: Sequence[Sequence[float]]) -> Joined:
    """People's means and measures' scores as rows of systems; NaN where there is none."""
    sides = {"ann": human, **measures}
    return join(
        Ratings.of(
            Judgement(f"i{item}", f"s{system}", rater, "overall" if rater == "ann" else rater, float(value))
            for rater, rows in sides.items()
            for system, row in enumerate(rows)
            for item, value in enumerate(row)
            if not math.isnan(value)
        ),
        "overall",
    )


def row(joined: Joined, level: str, **options: object) -> Row:
    (found,) = correlate(joined, levels=[level], **{"resampling": Resampling(resamples=0), **options})
    return found


HUMAN = [[1, 2, 3, 4], [2, 2, 5, 4], [5, 3, 4, NAN]]
SCORES = [[0.1, 0.5, 0.2, 0.9], [0.3, 0.1, 0.8, 0.7], [0.9, NAN, 0.2, 0.4]]


def test_pooled_cells_agree_with_scipy() -> None:
    pairs = [
        (1, 0.1),
        (2, 0.5),
        (3, 0.2),
        (4, 0.9),
        (2, 0.3),
        (2, 0.1),
        (5, 0.8),
        (4, 0.7),
        (5, 0.9),
        (4, 0.2),
    ]
    human, scores = zip(*pairs, strict=True)
    found = row(table(HUMAN, mine=SCORES), "item")
    for kind, oracle in (("pearson", pearsonr), ("spearman", spearmanr), ("kendall", kendalltau)):
        expected = oracle(human, scores)
        assert getattr(found, kind) == pytest.approx(expected.statistic)
        assert found.p[kind] == pytest.approx(expected.pvalue)
    assert (found.estimate.n, found.systems, found.items, found.groups, found.undefined) == (
        10,
        3,
        4,
        None,
        0,
    )
    assert codes(found.warnings) == ("coverage",)


def test_system_level_takes_means_over_all_cells_of_each_side() -> None:
    found = row(table(HUMAN, mine=SCORES), "system")
    human, scores = [10 / 4, 13 / 4, 12 / 3], [1.7 / 4, 1.9 / 4, 1.5 / 3]
    assert found.pearson == pytest.approx(pearsonr(human, scores).statistic)
    assert (found.spearman, found.estimate.n, found.items, found.items_measure) == (1.0, 3, 4, 4)
    assert codes(found.warnings) == ("own_answers", "p_of_few_systems", "few_systems", "different_items")


def few_rated(rated: int, scored: int, systems: int = 8) -> Joined:
    """Systems with ratings of the first items and scores of the last ones, of sixty."""
    rng = np.random.default_rng(5)
    quality = np.linspace(-1, 1, systems)[:, None]
    human, mine = (quality + rng.normal(size=(systems, 60)) for _ in range(2))
    human[:, rated:] = NAN
    mine[:, : 60 - scored] = NAN
    sides = {"ann": human, "mine": mine}
    return join(
        Ratings.of(
            Judgement(f"i{item}", f"s{system}", rater, "overall" if rater == "ann" else rater, float(value))
            for rater, values in sides.items()
            for (system, item), value in np.ndenumerate(values)
            if not math.isnan(value)
        ),
        "overall",
        other_items=True,
    )


@pytest.mark.parametrize(
    ("rated", "scored", "code", "text"),
    [
        (20, 60, "own_items", "over 20 items, the measure's over 60, 20 of them the same"),
        (20, 40, "own_items", "over 20 items, the measure's over 40, none of them the same"),
        (20, 1, "one_score_per_system", "against people's means over 20 items"),
    ],
)
def test_each_side_may_have_items_of_its_own(rated: int, scored: int, code: str, text: str) -> None:
    joined = few_rated(rated, scored)
    found = row(joined, "system", resampling=Resampling())
    human, mine = (np.nanmean(side, axis=1) for side in (joined.human.values, joined.measures[0].values))
    assert found.spearman == pytest.approx(spearmanr(human, mine).statistic)
    assert (found.items, found.items_measure) == (rated, scored)
    (note,) = [note for note in found.warnings if note.code == code]
    assert text in note.text
    means = found.true_means
    assert means is not None
    assert (means.items, means.items_measure) == (rated, scored)
    assert means.pearson.bounds is not None
    (box,) = stabilities(joined, repeats=5)
    assert box.whole == pytest.approx(found.value)


def test_p_values_are_those_of_the_interval_and_holm_corrects_them_level_by_level() -> None:
    rng = np.random.default_rng(6)
    human = rng.normal(size=(6, 30))
    good, poor = (human + spread * rng.normal(size=human.shape) for spread in (1.5, 6.0))
    joined = table(human.tolist(), good=good.tolist(), poor=poor.tolist())
    rows = with_adjusted_p(correlate(joined, resampling=Resampling()))
    for level in LEVELS:
        at = [found for found in rows if found.level == level]
        p = [found.p_test for found in at]
        assert [found.p_adjusted for found in at] == pytest.approx(holm(p).tolist())
        for found in at:
            if level == "system":
                assert found.p_test == found.p["spearman"]
            else:
                low, high = found.estimate.bounds
                assert (found.p_test < 0.05) == (not low <= 0 <= high)


def test_within_systems_each_system_counts_the_same() -> None:
    found = row(table(HUMAN, mine=SCORES), "item_within_system")
    each = [
        pearsonr([1, 2, 3, 4], SCORES[0]).statistic,
        pearsonr([2, 2, 5, 4], SCORES[1]).statistic,
        pearsonr([5, 4], [0.9, 0.2]).statistic,
    ]
    assert found.pearson == pytest.approx(np.mean(each))
    assert (found.estimate.n, found.groups, found.undefined, found.p["pearson"]) == (10, 3, 0, None)


def test_within_items_undefined_items_are_counted_and_left_out() -> None:
    found = row(table(HUMAN, mine=SCORES), "system_within_item")
    # The second item has two systems with the same human rating; the last one has two systems, rated alike too.
    each = [pearsonr([1, 2, 5], [0.1, 0.3, 0.9]).statistic, pearsonr([3, 5, 4], [0.2, 0.8, 0.2]).statistic]
    assert found.pearson == pytest.approx(np.mean(each))
    assert (found.groups, found.undefined) == (2, 2)
    assert codes(found.warnings[1:]) == ("items_of_two_systems", "groups_left_out")


@pytest.mark.parametrize(
    ("systems", "said"),
    [
        (2, "2 systems always give plus or minus 1"),
        (3, "3 systems: Spearman's p can never fall below .33"),
        (4, "4 systems: Spearman's p can never fall below .08"),
        (4, "only 4 systems: what holds for them may not hold for others"),
        (5, "only 5 systems: what holds for them may not hold for others"),
    ],
)
def test_few_systems_are_said_to_be_few(systems: int, said: str) -> None:
    human = [[system, system + 1] for system in range(systems)]
    assert said in texts(row(table(human, mine=human), "system").warnings)


def test_the_warning_of_few_systems_is_about_the_coefficient_asked_for() -> None:
    human = [[system, system + 1] for system in range(3)]
    joined = table(human, mine=human)
    found = row(joined, "system", coefficient="kendall")
    assert found.warnings[0].text == "3 systems: Kendall's p can never fall below .33"
    assert [found.p[kind] for kind in ("kendall", "spearman")] == pytest.approx([1 / 3, 1 / 3])
    normal = "3 systems: Pearson's p holds only if systems' means are normal, which so few cannot show"
    assert row(joined, "system", coefficient="pearson").warnings[0].text == normal


def test_many_systems_need_no_warning() -> None:
    human = [[system, system + 1] for system in range(12)]
    assert row(table(human, mine=human), "system").warnings == ()
    assert row(table(human[:5], mine=human[:5]), "system", resample="systems").warnings == ()


def test_constant_ratings_leave_a_reason_instead_of_a_number() -> None:
    for level in LEVELS:
        found = row(
            table([[3, 3], [3, 3]], mine=[[1, 2], [3, 4]]), level, resampling=Resampling(resamples=20)
        )
        assert (found.pearson, found.spearman, found.kendall, found.estimate.low, found.estimate.high) == (
            None,
        ) * 5
        assert found.warnings[0].code == "undefined"
    assert found.value is None


def test_ties_are_pointed_out() -> None:
    found = row(table([[1, 5, 5, 5]], mine=[[0.1, 0.2, 0.3, 0.4]]), "item")
    assert [(note.code, note.text) for note in found.warnings] == [("ties", "75% of the human ratings are 5")]


def test_a_measure_without_any_shared_cell_has_no_coefficient() -> None:
    found = correlate(
        table([[1, 2, NAN]], mine=[[0.1, 0.2, 0.3]], other=[[NAN, NAN, 1.0]]),
        levels=["item"],
        resampling=Resampling(resamples=10),
    )[1]
    assert (found.measure, found.spearman, found.estimate.n, found.systems, found.items) == (
        "other",
        None,
        0,
        0,
        0,
    )
    assert texts(found.warnings) == (
        "undefined: fewer than 2 answers that people rated and the measure scored (0)",
        "scores only 0 of the 2 answers that people rated",
    )


def test_rows_come_measure_by_measure_in_the_order_of_the_levels() -> None:
    rows = correlate(table(HUMAN, mine=SCORES, other=HUMAN), resampling=Resampling(resamples=0))
    assert [(one.measure, one.level) for one in rows] == [
        (name, level) for name in ("mine", "other") for level in LEVELS
    ]
    assert {one.cluster for one in rows} == {None}


@pytest.mark.parametrize("level", LEVELS)
def test_the_interval_surrounds_the_coefficient_and_repeats_with_its_seed(level: str) -> None:
    rng = np.random.default_rng(3)
    human = rng.normal(size=(6, 40)) + np.arange(6)[:, None]
    joined = table(human.tolist(), mine=(human + rng.normal(size=human.shape)).tolist())
    found = row(joined, level, resampling=Resampling(resamples=300), coefficient="pearson")
    if level == "system":
        assert found.true_means.reliability_human > 0.9
    estimate = found.true_means.pearson if level == "system" else found.estimate
    assert estimate.low < found.pearson < estimate.high
    again = row(joined, level, resampling=Resampling(resamples=300), coefficient="pearson")
    assert found == again
    (wide,) = correlate(
        joined, levels=[level], resampling=Resampling(resamples=300, confidence=0.99), coefficient="pearson"
    )
    wider = wide.true_means.pearson if level == "system" else wide.estimate
    assert wider.low <= estimate.low
    assert wider.high >= estimate.high


NONE = math.nan
NO_RESAMPLES = Resampling(resamples=0)


def accuracies(joined: Joined, *levels: Level, resampling: Resampling | None = None) -> dict[Level, Row]:
    """The rows of the only measure, by level."""
    rows = correlate(joined, levels=levels, resampling=NO_RESAMPLES)
    return {row.level: row for row in with_accuracies(rows, joined, resampling=resampling or Resampling())}


def test_accuracies_by_hand(make_joined) -> None:
    # Means of people 2, 3, 5 and of the measure 1, 4, 3 over shared answers: two of three pairs are in order.
    human = [[[1, 3], [2, 4], [5, 5]]]
    joined = make_joined(human, {"m": [[1, 1], [4, 4], [3, 3]]})
    found = accuracies(joined, "system", "item", "system_within_item")
    assert found["system"].pairwise_accuracy == pytest.approx(2 / 3)
    assert found["system"].soft_pairwise_accuracy == pytest.approx(
        soft_pairwise_accuracy(joined.human.values, joined.measures[0].values).value
    )
    within = found["system_within_item"]
    assert within.acc_eq == pytest.approx(2 / 3)
    assert within.tie_epsilon == 0
    assert within.acc_eq == acc_eq(joined.human.values, joined.measures[0].values).value
    assert (found["item"].pairwise_accuracy, found["item"].acc_eq) == (None, None)
    assert (found["system"].acc_eq, within.pairwise_accuracy) == (None, None)


def test_systems_are_compared_over_all_answers_of_each_side(make_joined) -> None:
    joined = make_joined([[[1, 9], [2, 3]]], {"m": [[1, NONE], [2, 2]]})
    # By all ratings the first system is ahead; over the answers that both sides have, it would not be.
    assert accuracies(joined, "system")["system"].pairwise_accuracy == 0


def test_a_tie_is_calibrated(make_joined) -> None:
    joined = make_joined([[[3, 3], [3, 3], [5, 5]]], {"m": [[1.0, 1.1], [1.1, 1.0], [4, 4]]})
    [row] = accuracies(joined, "system_within_item", resampling=NO_RESAMPLES).values()
    assert row.acc_eq == 1
    assert row.tie_epsilon == pytest.approx(0.1)


def test_what_is_undefined_or_not_asked_for_is_none(make_joined) -> None:
    joined = make_joined([[[1, 2]]], {"m": [[1, 2]]})
    found = accuracies(joined, "system", "system_within_item")
    assert (found["system"].pairwise_accuracy, found["system"].soft_pairwise_accuracy) == (None, None)
    assert (found["system_within_item"].acc_eq, found["system_within_item"].tie_epsilon) == (None, None)
    two = make_joined([[[1, 2], [2, 3]]], {"m": [[1, 2], [2, 3]]})
    [row] = accuracies(two, "system", resampling=NO_RESAMPLES).values()
    assert row.pairwise_accuracy == 1
    assert row.soft_pairwise_accuracy is None


def test_too_many_pairs_are_not_looked_at_one_by_one(make_joined, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST", "MOST_SOFT"):
        monkeypatch.setattr(f"dialeval.meta.correlation.{name}", 5)
    dice = np.random.default_rng(0)
    joined = make_joined(dice.random((1, 3, 4)), {"m": dice.random((3, 4))})
    found = accuracies(joined, "system", "system_within_item")
    assert found["system"].pairwise_accuracy is not None
    assert found["system"].soft_pairwise_accuracy is None
    assert found["system_within_item"].acc_eq is None
