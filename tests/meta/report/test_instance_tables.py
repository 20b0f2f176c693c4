"""Tables of single answers, of ratings beside scores, and the title of what did not join."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dialeval.meta.document import Document
from dialeval.meta.folder import render_meta
from dialeval.meta.report import estimate_tables, instance_tables
from support.made_meta import estimates

Made = Callable[..., Document]


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
    table = instance_tables.instances(found)
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
            "value": 3.9,
            "low": 3.6,
            "high": 4.2,
            "error": 0.14,
            "n": 70,
        }

    [found] = made(more).estimates
    rated = estimate_tables.estimates(found).rows[0][3]
    assert (rated.text, rated.detail) == ("60", "of 70")


def test_the_verdict_of_a_difference_is_what_the_document_calls_higher(made: Made) -> None:
    def uncorrected(content: dict[str, Any]) -> None:
        content["estimates"] = [estimates()]
        content["estimates"][0]["differences"][0]["higher"] = None

    [found] = made(uncorrected).estimates
    assert estimate_tables.differences(found).rows[0][-1].text == "not significantly different"


def test_answers_that_are_merely_not_rated_are_not_called_unjoined(make_meta: Callable[..., Path]) -> None:
    def known(content: dict[str, Any]) -> None:
        content["unjoined"] |= {"unknown": 2, "not_rated": 1_000_000, "not_scored": 0}

    page = render_meta(make_meta(known)).read_text(encoding="utf-8")
    title = (
        "2 answers of an item or system that the other side does not know; in addition, 1,000,000 not rated"
    )
    assert title in page
