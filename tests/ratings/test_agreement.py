"""Agreement per criterion: counts, measures against their oracles, intervals, warnings and reasons."""

from __future__ import annotations

import math
from dataclasses import replace

import krippendorff
import numpy as np
import pytest
from hypothesis import given, strategies as st
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from dialeval.core import Resampling
from dialeval.data.types import Judgement
from dialeval.display.notes import codes, texts
from dialeval.ratings.agreement import NO_INTERVAL, NOMINAL, agreement_of
from dialeval.ratings.raters import ANONYMOUS
from dialeval.ratings.scale import Cut
from dialeval.ratings.table import Ratings
from support.rating_tables import table

ANSWERS = {
    "ana": [1, 2, 3, 4, 5, 5, 1, 2],
    "ben": [1, 2, 3, 4, 4, 5, 2, 2],
    "cleo": [2, 2, 3, 5, 5, 4, 1, None],
}


def test_what_was_rated_is_counted():
    (one,) = agreement_of(table(ANSWERS), resampling=Resampling(resamples=0))
    assert (one.criterion, one.items, one.raters, one.ratings, one.could_not_say) == ("fluency", 8, 3, 23, 1)
    assert one.complete_items == 7
    assert one.scale == (1, 5, 5)


def test_measures_are_those_of_other_tools():
    (one,) = agreement_of(table(ANSWERS), resampling=Resampling(resamples=0))
    rows = np.array([[math.nan if v is None else v for v in row] for row in ANSWERS.values()], dtype=float)
    complete = aggregate_raters(rows[:, :7].T.astype(int))[0]
    assert one.fleiss_kappa_complete.value == pytest.approx(fleiss_kappa(complete))
    for level in ("nominal", "ordinal", "interval"):
        expected = krippendorff.alpha(rows, level_of_measurement=level)
        assert one.krippendorff_alpha[level].value == pytest.approx(expected)
    # Agreeing pairs: three items of three in full, four with one pair of three, and the last of two.
    assert one.measures["percent_agreement"].value == pytest.approx((2 * 1 + 5 / 3 + 1) / 8)


def test_complete_items_are_all_items_where_nothing_is_missing():
    (one,) = agreement_of(table({"ana": [1, 2, 1], "ben": [1, 2, 2]}), resampling=Resampling(resamples=50))
    assert one.measures["fleiss_kappa_complete"] == one.measures["fleiss_kappa"]


def test_intervals_hold_the_value_and_are_of_these_raters_or_of_others_too():
    these, others = (agreement_of(table(ANSWERS), raters=raters)[0] for raters in ("fixed", "sampled"))
    for name, measured in these.measures.items():
        assert measured.bounds is not None, name
        assert measured.low < measured.value < measured.high
        assert (measured == others.measures[name]) == name.startswith("icc")
    assert (these.about, others.about) == ("fixed", "sampled")
    assert all(
        one.bounds is None
        for one in agreement_of(table(ANSWERS), resampling=Resampling(resamples=0))[0].measures.values()
    )


def test_criteria_are_kept_apart_in_order_of_first_sight():
    both = Ratings.merge([table(ANSWERS, "sense"), table({"ana": [1], "ben": [1]}, "fluency")])
    found = agreement_of(both, resampling=Resampling(resamples=0))
    assert [(one.criterion, one.items) for one in found] == [("sense", 8), ("fluency", 1)]


def test_two_classes_are_those_of_ratings_written_so():
    (one,) = agreement_of(table(ANSWERS), cuts=[Cut(">", 3)], resampling=Resampling(resamples=0))
    written = {rater: [None if v is None else int(v > 3) for v in row] for rater, row in ANSWERS.items()}
    (folded,) = agreement_of(table(written), resampling=Resampling(resamples=0))
    for name in ("fleiss_kappa", "fleiss_kappa_complete", "alpha_nominal", "percent_agreement"):
        assert one.classes[">3"][name] == folded.measures[name]


@given(
    st.lists(st.lists(st.integers(1, 4), min_size=3, max_size=3), min_size=2, max_size=12),
    st.permutations([1, 2, 3, 4]),
)
def test_renaming_the_categories_changes_no_nominal_agreement(rows, names):
    def found(mapping: dict[int, int]) -> list[float]:
        answers = {f"r{at}": [mapping[row[at]] for row in rows] for at in range(3)}
        (one,) = agreement_of(table(answers), resampling=Resampling(resamples=0))
        return [one.measures[name].number for name in ("fleiss_kappa", "alpha_nominal", "mean_cohen_kappa")]

    plain = found({value: value for value in names})
    renamed = found(dict(zip([1, 2, 3, 4], names, strict=True)))
    assert renamed == pytest.approx(plain, nan_ok=True)


@given(st.lists(st.integers(1, 5), min_size=2, max_size=20).filter(lambda row: len(set(row)) > 1))
def test_perfect_agreement_is_1(row):
    (one,) = agreement_of(table({"ana": row, "ben": row, "cleo": row}), resampling=Resampling(resamples=0))
    assert {name: measured.value for name, measured in one.measures.items()} == pytest.approx(
        dict.fromkeys(one.measures, 1.0)
    )


def test_one_value_is_explained_and_warned_of():
    (one,) = agreement_of(table({"ana": [3, 3], "ben": [3, 3], "cleo": [3, 3]}))
    assert one.fleiss_kappa.value is None
    assert one.fleiss_kappa.reason == "only one category is used"
    assert one.krippendorff_alpha["interval"].reason == "all ratings are equal (3)"
    assert one.measures["percent_agreement"].value == 1
    assert codes(one.warnings[1:]) == ("one_value",)


@pytest.mark.parametrize(
    ("answers", "warned"),
    [
        ({"ana": [1, 2]}, ["there is only one rater, ana: agreement requires two"]),
        (
            {"ana": [1, 2], "ben": [1, 2]},
            ["there are only 2 raters: a single unusual rater would change every number"],
        ),
        (
            {"ana": [1, 2, 1], "ben": [1, 2, "-"], "cleo": [2, 2, "-"]},
            ["10 of 30 items have fewer than two ratings and do not count for agreement"],
        ),
        (
            {"ana": [1, 2, "-"], "ben": [1, 2, "-"], "cleo": ["-", "-", 1]},
            [
                "10 of 30 items have fewer than two ratings and do not count for agreement",
                "cleo shares no item with another rater",
            ],
        ),
        ({"ana": [None], "ben": [None], "cleo": [None]}, ["there are no values"]),
        (
            {"ana": [1] * 19 + [0], "ben": [1] * 20, "cleo": [0] + [1] * 19},
            [
                "97 % of the ratings are 1, so chance agreement is high and kappa is low although 93 % of pairs agree"
            ],
        ),
    ],
)
def test_warnings_say_what_to_beware_of(answers, warned):
    (one,) = agreement_of(
        table({rater: row * 10 for rater, row in answers.items()}), resampling=Resampling(resamples=0)
    )
    assert list(texts(one.warnings)) == warned


def test_few_items_are_warned_of():
    (one,) = agreement_of(
        table({"ana": [1, 2, 3], "ben": [1, 2, 3], "cleo": [1, 2, "-"]}), resampling=Resampling(resamples=0)
    )
    assert codes(one.warnings) == ("few_items",)


def test_a_single_rater_gets_reasons_and_no_numbers():
    (one,) = agreement_of(table({"ana": [1, 2, 3]}))
    assert all(measured.reason for measured in one.measures.values())
    assert one.items == 3


def test_nobody_with_a_value_gives_reasons_too():
    (one,) = agreement_of(table({"ana": [None], "ben": [None]}), cuts=[Cut(">", 1)])
    assert (one.items, one.ratings, one.could_not_say, one.scale) == (0, 0, 2, None)
    assert all(measured.reason for measured in one.measures.values())
    assert all(measured.reason for measured in one.classes[">1"].values())


def test_measurements_have_alpha_and_icc_but_no_kappa():
    rng = np.random.default_rng(3)
    true = rng.normal(size=300)
    (one,) = agreement_of(
        table({name: (true + rng.normal(size=300) / 4).tolist() for name in ("ana", "ben")}),
        resampling=Resampling(resamples=0),
    )
    assert one.kappas is None
    assert "measurements, not categories" in str(one.fleiss_kappa.reason)
    assert "measurements, not categories" in str(one.measures["mean_cohen_kappa"].reason)
    assert one.krippendorff_alpha["interval"].value > 0.8
    assert one.measures["icc_2_1"].value > 0.8


def test_raters_who_are_positions_agree_as_before_but_none_is_compared_with_another():
    names = {"ana": "#1", "ben": "#2", "cleo": "#3"}
    (known,) = agreement_of(table(ANSWERS), resampling=Resampling(resamples=50))
    (one,) = agreement_of(
        table({names[rater]: row for rater, row in ANSWERS.items()}), resampling=Resampling(resamples=50)
    )
    apart = ("mean_cohen_kappa", "icc_2_1", "icc_2_k")
    for name, measured in known.measures.items():
        if name in apart:
            assert measured.value is not None
            assert one.measures[name].reason == ANONYMOUS
        else:
            assert one.measures[name] == measured
    assert (one.raters, one.kappas, one.apart, one.per_rater) == (3, None, ANONYMOUS, ())
    assert known.apart is None


def test_one_position_among_names_is_enough_to_tell_nobody_apart():
    (one,) = agreement_of(table({"ana": [1, 2, 3], "#2": [1, 2, 2]}), resampling=Resampling(resamples=0))
    assert one.apart == ANONYMOUS
    (one,) = agreement_of(table({"ana": [1, 2, 3], "#ben": [1, 2, 2]}), resampling=Resampling(resamples=0))
    assert one.apart is None


def test_names_of_categories_have_no_order_to_agree_on():
    (known,) = agreement_of(table(ANSWERS), resampling=Resampling(resamples=0))
    (one,) = agreement_of(
        replace(table(ANSWERS), nominal=frozenset({"fluency"})), resampling=Resampling(resamples=0)
    )
    for name, measured in known.measures.items():
        if name in ("alpha_ordinal", "alpha_interval", "icc_2_1", "icc_2_k"):
            assert one.measures[name].reason == NOMINAL
        else:
            assert one.measures[name] == measured
    other = agreement_of(
        replace(table(ANSWERS), nominal=frozenset({"sense"})), resampling=Resampling(resamples=0)
    )[0]
    assert other.measures == known.measures


def test_turns_of_a_dialogue_and_answers_to_an_item_are_left_out_together():
    rng = np.random.default_rng(0)
    quality = np.repeat(rng.integers(1, 6, size=20), 5)
    noise = np.repeat(rng.integers(-1, 2, size=(20, 2)), 5, axis=0)

    def rated(item):
        return Ratings.of(
            Judgement(
                item(place), f"s{place % 5}", rater, "sense", float(quality[place] + noise[place, column])
            )
            for column, rater in enumerate(("ana", "ben"))
            for place in range(100)
        )

    apart, turns, answers = (
        agreement_of(rated(item))[0]
        for item in (lambda n: f"i{n}", lambda n: f"d{n // 5}/{n}", lambda n: f"i{n // 5}")
    )
    assert (apart.clusters, apart.design_effect) == (None, None)
    for found in (turns, answers):
        assert found.clusters == 20
        assert found.design_effect == pytest.approx(5, rel=0.4)
        wide, narrow = (np.ptp(one.measures["alpha_interval"].bounds) for one in (found, apart))
        assert wide > 1.8 * narrow
    (asked,) = agreement_of(rated(lambda n: f"d{n // 5}/{n}"), resampling=Resampling(cluster="none"))
    assert asked.measures["alpha_interval"] == apart.measures["alpha_interval"]


def test_two_raters_leave_no_interval_for_others_and_say_why():
    (found,) = agreement_of(table({"ana": [1, 2, 3, 4, 5, 1], "ben": [1, 2, 3, 5, 5, 2]}), raters="sampled")
    kappa = found.measures["fleiss_kappa"]
    assert (kappa.bounds, kappa.reason) == (None, NO_INTERVAL["few-raters"])
    assert found.measures["icc_2_1"].bounds is not None
