"""Measures against people at four levels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from dialeval.core import Resampling
from dialeval.data.types import Judgement
from dialeval.display.notes import codes, texts
from dialeval.meta import LEVELS, Row, correlate
from dialeval.ratings.joined import Joined
from dialeval.ratings.joining import join
from dialeval.ratings.table import Ratings

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
    assert (found.n, found.systems, found.items, found.groups, found.undefined) == (10, 3, 4, None, 0)
    assert codes(found.warnings) == ("coverage",)


def test_system_level_takes_means_over_the_cells_both_have() -> None:
    found = row(table(HUMAN, mine=SCORES), "system")
    human, scores = [10 / 4, 13 / 4, 9 / 2], [1.7 / 4, 1.9 / 4, 1.1 / 2]
    assert found.pearson == pytest.approx(pearsonr(human, scores).statistic)
    assert (found.spearman, found.n) == (1.0, 3)
    assert codes(found.warnings) == ("coverage", "p_of_few_systems", "few_systems", "different_items")


def test_within_systems_each_system_counts_the_same() -> None:
    found = row(table(HUMAN, mine=SCORES), "item_within_system")
    each = [
        pearsonr([1, 2, 3, 4], SCORES[0]).statistic,
        pearsonr([2, 2, 5, 4], SCORES[1]).statistic,
        pearsonr([5, 4], [0.9, 0.2]).statistic,
    ]
    assert found.pearson == pytest.approx(np.mean(each))
    assert (found.n, found.groups, found.undefined, found.p["pearson"]) == (10, 3, 0, None)


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
        assert (found.pearson, found.spearman, found.kendall, found.low, found.high) == (None,) * 5
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
    assert (found.measure, found.spearman, found.n, found.systems, found.items) == ("other", None, 0, 0, 0)
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
        found, wanted = found.true_means, found.pearson
        assert found.reliability_human > 0.9
    else:
        wanted = found.pearson
    assert found.low < wanted < found.high
    again = row(joined, level, resampling=Resampling(resamples=300), coefficient="pearson")
    assert found == (again.true_means if level == "system" else again)
    (wide,) = correlate(
        joined, levels=[level], resampling=Resampling(resamples=300, confidence=0.99), coefficient="pearson"
    )
    wide = wide.true_means if level == "system" else wide
    assert wide.low <= found.low
    assert wide.high >= found.high
