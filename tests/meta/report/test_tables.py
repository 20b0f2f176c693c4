from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dialeval.display.table import Table
from dialeval.meta.document import Document
from dialeval.meta.folder import render_meta
from dialeval.meta.report import tables
from support.made_meta import estimates, interval, rival, row

Made = Callable[..., Document]


def cells(table: Table) -> list[list[str]]:
    return [[" ".join(filter(None, (cell.text, cell.detail))) for cell in line] for line in table.rows]


def test_measures_stand_in_order_of_the_coefficient_that_was_asked_for(made: Made) -> None:
    table = tables.agreement(made(), "item")
    assert table.title == "Items, pooled: measures against people's 'overall'"
    assert [column.title for column in table.columns] == [
        *("measure", "Spearman", "Pearson", "Kendall", "n", "rank group"),
    ]
    assert cells(table) == [
        ["length", "0.400 [0.300, 0.500]", "0.400", "0.400", "40", "1"],
        ["rouge_l", "0.100 [0.000, 0.200]", "0.100", "0.100", "40", "2"],
    ]
    assert [line[1].strong for line in table.rows] == [True, False]


def test_a_warning_of_one_measure_names_it_and_one_of_all_does_not(made: Made) -> None:
    assert "length: 60% of the scores are 3" in tables.agreement(made(), "item").notes
    assert "3 systems: p can never fall below .33" in tables.agreement(made(), "system").notes
    assert "rank group" not in [column.title for column in tables.agreement(made(), "system").columns]


def test_the_coefficient_that_was_asked_for_comes_first(made: Made) -> None:
    def pearson(content: dict[str, Any]) -> None:
        content["settings"]["coefficient"] = "pearson"
        for one in content["rows"]:
            one["coefficient"] = "pearson"
            one["pearson"] = one["estimate"]["value"] = -one["spearman"]

    table = tables.agreement(made(pearson), "item")
    assert [column.title for column in table.columns][1:4] == ["Pearson", "Spearman", "Kendall"]
    assert [line[0] for line in cells(table)] == ["rouge_l", "length"]


def test_a_measure_without_a_correlation_stands_last_and_a_level_without_any_says_why(made: Made) -> None:
    def lacking(content: dict[str, Any]) -> None:
        reason = ["undefined: all values of the second variable are equal (40)"]
        content["rows"] = [
            row("constant", "item", None, warnings=reason),
            row("rouge_l", "item", -0.2),
            row("constant", "system", None, warnings=["undefined: fewer than 2 pairs"]),
        ]

    found = made(lacking)
    assert [line[:2] for line in cells(tables.agreement(found, "item"))] == [
        ["rouge_l", "-0.200 [-0.300, -0.100]"],
        ["constant", "undefined"],
    ]
    nothing = tables.agreement(found, "system")
    assert nothing.rows == ()
    assert nothing.notes == (
        "no measure has a correlation with people at this level",
        "undefined: fewer than 2 pairs",
    )


def test_rivals_are_sorted_by_how_sure_they_are_and_the_better_one_is_named(made: Made) -> None:
    def three(content: dict[str, Any]) -> None:
        content["rivals"] = [
            rival("a", "b", "item", 0.1, p=0.7),
            rival("b", "c", "item", -0.3, p=0.004),
            rival("a", "c", "item", None, p=None),
            rival("a", "b", "system", 0.5, p=0.001),
        ]

    assert [(line[0], line[-1]) for line in cells(tables.rivals(made(three), "item"))] == [
        ("b − c", "c agrees better with people on these 3 systems"),
        ("a − b", "no significant difference"),
    ]


def test_the_ceiling_stands_beside_the_best_measure(made: Made) -> None:
    table = tables.ceiling(made())
    assert [column.title for column in table.columns] == [
        *("level", "Spearman", "n", "corrected", "bound", "best measure"),
    ]
    assert cells(table)[1] == [
        "items, pooled",
        "0.450 [0.400, 0.500]",
        "38",
        "0.620",
        "0.787",
        "0.400 length",
    ]
    assert "5 raters" in table.notes[0]
    assert table.notes[1] == "brackets hold 95% intervals for other items and these raters"
    assert [note.split(":")[0] for note in table.notes[2:]] == ["corrected", "bound"]


def test_a_ceiling_that_cannot_be_corrected_says_why(made: Made) -> None:
    def coarse(content: dict[str, Any]) -> None:
        content["ceiling"][0].update(corrected=None, bound=None, uncorrected="3 points are too few")

    table = tables.ceiling(made(coarse))
    assert cells(table)[0][3:5] == ["—", "—"]
    assert table.notes[-1] == "systems: not corrected, 3 points are too few"


def test_rivals_say_what_was_resampled_how_sure_p_is_and_what_was_compared(made: Made) -> None:
    def partly(content: dict[str, Any]) -> None:
        content["settings"]["resample"] = "both"
        content["rivals"][0] |= {"p_error": 0.0021, "cells": 30, "only_a": 10, "only_b": 0}

    assert tables.rivals(made(partly), "item").notes == (
        "p: t test with the jackknife's error over items and systems; it says whether measures differ on systems "
        "like these 3",
        "brackets hold 95% intervals for other items and systems like these",
        "p is from random swaps, with a standard error of at most 0.0021",
        "two measures are compared over the answers that both scored, fewer than in the tables of agreement",
    )


def test_one_rater_is_no_ceiling_and_that_is_said(made: Made) -> None:
    def alone(content: dict[str, Any]) -> None:
        for one in content["ceiling"]:
            one.update(mean=interval(None, 0, 0, "one rater only"), corrected=None, bound=None, five=None)

    table = tables.ceiling(made(alone))
    assert cells(table)[0][1:3] == ["undefined", "—"]
    assert table.notes == ("systems: one rater only", "items, pooled: one rater only")


def test_the_rater_who_agrees_least_stands_first(made: Made) -> None:
    assert cells(tables.raters(made())) == [["ben", "0.200", "40"], ["ann", "0.500", "40"]]


def test_estimates_stand_beside_those_of_the_ratings_alone(made: Made) -> None:
    [found] = made(lambda content: content["estimates"].append(estimates())).estimates
    assert cells(tables.estimates(found)) == [
        ["new", "3.800 [3.700, 4.000]", "3.900 [3.600, 4.200]", "60", "400", "95 ratings"]
    ]
    assert "new: only 12 rated items: the interval is rough" in tables.estimates(found).notes
    verdicts = [line[-1] for line in cells(tables.differences(found))]
    assert verdicts == ["new is rated higher", "not significantly different"]


def test_what_did_not_join_is_counted_and_listed(made: Made) -> None:
    found = made()
    assert cells(tables.joint(found))[0] == ["rouge_l", "40", "1", "7"]
    assert list(tables.unjoined(found)) == [
        "only people rated item d7, system new",
        "only rouge_l scored item d8, system old",
    ]


def test_combinations_say_what_they_are_made_of(made: Made) -> None:
    def combine(content: dict[str, Any]) -> None:
        weights = {"rouge_l": 0.2, "length": -0.1}
        content["combined"] = [{"measure": "linear_combination", "fitted": True, "weights": weights}]

    table = tables.combined(made(combine))
    assert cells(table) == [["rouge_l", "+0.200"], ["length", "-0.100"]]
    assert "by a fit to the ratings of other items" in table.notes[0]


def instances(content: dict[str, Any]) -> None:
    tested = {"right": 9, "wrong": 4, "left_out": 0, "mean_right": 3.5, "mean_wrong": 3.0, "statistic": 2.0}
    untested = dict.fromkeys(("mean_right", "statistic", "df", "p", "p_adjusted"))
    content["instances"] = [
        {
            **{"measure": "length", "rule": "length >= 7", "criterion": "overall", "test": "welch"},
            **{
                "alternative": "greater",
                "alpha": 0.05,
                "tested": 1,
                "significant": 1,
                "significant_adjusted": 0,
            },
            "systems": [
                {"system": "old", **tested, "df": 7.0, "p": 0.03, "p_adjusted": 0.06, "reason": None},
                {"system": "new", **tested, **untested, "right": 0, "reason": "every answer is wrong (4)"},
            ],
        }
    ]


def test_single_answers_have_a_line_for_each_system(made: Made) -> None:
    [found] = made(instances).instances
    table = tables.instances(found)
    assert table.title == "Single answers: right where length >= 7"
    assert [[cell.text for cell in line] for line in table.rows] == [
        ["old", "9", "4", "3.500", "3.000", "0.030", "0.060"],
        ["new", "0", "4", "—", "3.000", "—", "—"],
    ]
    assert table.notes == (
        "overall is significantly higher where length >= 7 for 1 of 1 systems (0 after Holm's correction): "
        "one-tailed Welch's t test, p < 0.05",
        "new: every answer is wrong (4)",
    )


def test_the_page_has_a_part_on_single_answers_where_they_were_asked_about(
    make_meta: Callable[..., Path],
) -> None:
    assert 'id="instances"' not in render_meta(make_meta()).read_text(encoding="utf-8")
    assert 'id="instances"' in render_meta(make_meta(instances)).read_text(encoding="utf-8")


def test_ratings_alone_say_how_many_they_are_where_they_are_more(made: Made) -> None:
    def more(content: dict[str, Any]) -> None:
        content["estimates"] = [estimates()]
        content["estimates"][0]["systems"][0]["classical"] = {
            "estimate": {"value": 3.9, "low": 3.6, "high": 4.2, "n": 70, "reason": None},
            "error": 0.14,
        }

    [found] = made(more).estimates
    rated = tables.estimates(found).rows[0][3]
    assert (rated.text, rated.detail) == ("60", "of 70")


def test_the_verdict_of_a_difference_is_what_the_document_calls_higher(made: Made) -> None:
    def uncorrected(content: dict[str, Any]) -> None:
        content["estimates"] = [estimates()]
        content["estimates"][0]["differences"][0]["higher"] = None

    [found] = made(uncorrected).estimates
    assert tables.differences(found).rows[0][-1].text == "not significantly different"


def test_answers_that_are_merely_not_rated_are_not_called_unjoined(make_meta: Callable[..., Path]) -> None:
    def known(content: dict[str, Any]) -> None:
        content["unjoined"] |= {"unknown": 2, "not_rated": 1_000_000, "not_scored": 0}

    page = render_meta(make_meta(known)).read_text(encoding="utf-8")
    title = (
        "2 answers of an item or system that the other side does not know; in addition, 1,000,000 not rated"
    )
    assert title in page
