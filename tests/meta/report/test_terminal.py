from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from dialeval.meta.document import Document
from dialeval.meta.report.terminal import print_meta
from support.made_meta import estimates, interval, rival, row

Made = Callable[..., Document]


def printed(document: Document, width: int = 80) -> str:
    out = io.StringIO()
    print_meta(document, Console(file=out, width=width, color_system=None))
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 60])
def test_everything_fits_the_terminal(made: Made, width: int) -> None:
    def long(content: dict[str, Any]) -> None:
        content["estimates"] = [estimates()]
        content["rows"] += [
            row(f"fed(quality='Semantically appropriate {n}')", "item", -0.25, cluster=2) for n in range(3)
        ]

    lines = printed(made(long), width).splitlines()
    assert max(map(len, lines)) <= width
    assert any(line.startswith("People's mean 'overall' over all items") for line in lines)


def test_each_level_has_a_table_and_the_rest_follows(made: Made) -> None:
    titles = [
        line
        for line in printed(made()).splitlines()
        if line.startswith(("Spearman", "Items, pooled:", "What did"))
    ]
    assert titles == [
        "Spearman with people's 'overall'",
        "Items, pooled: which measures differ on these 3 systems",
        "What did not join",
    ]


def test_many_measures_fit_two_screens_and_the_page_has_the_rest(made: Made) -> None:
    def many(content: dict[str, Any]) -> None:
        content["rows"] = [row(f"m{n}", level, n / 40) for n in range(30) for level in ("system", "item")]
        content["rivals"] = [rival(f"m{n}", "m0", "item", n / 40, p=0.001) for n in range(1, 30)]

    lines = printed(made(many), 80).splitlines()
    table = lines[: next(index for index, line in enumerate(lines) if line.startswith(" •"))]
    assert sum(line.startswith("m") for line in table) == 1 + 10
    assert any("and 20 measures with lower correlations" in line for line in lines)
    assert any("are in meta.html" in line for line in lines)
    assert len(lines) <= 60


def test_pairs_that_differ_name_the_better_measure_first(made: Made) -> None:
    out = printed(made())
    assert "length          rouge_l   +0.300 [0.200, 0.400]      0.004" in out
    assert "1 of 1 pair of measures differ significantly" in out


def test_where_no_pair_differs_that_is_said(made: Made) -> None:
    def even(content: dict[str, Any]) -> None:
        content["rivals"] = [rival("rouge_l", "length", "item", -0.3)]

    assert "0 of 1 pair of measures differ significantly" in printed(made(even))


def test_what_did_not_join_and_what_was_set_aside_are_told(made: Made) -> None:
    out = printed(made())
    assert "only people rated item d7, system new" in out
    assert "people's other criteria were not used: fluent (120)" in out
    assert "3 judgements by people without a value" in out

    def whole(content: dict[str, Any]) -> None:
        content["unjoined"] |= {"human": 0, "unknown": 0, "measures": [], "first": []}

    assert "What joined" not in printed(made(whole))


def test_a_verdict_on_the_edge_is_named_as_such(made: Made) -> None:
    def edgy(content: dict[str, Any]) -> None:
        content["rivals"] = [{**rival("rouge_l", "length", "item", -0.3, p=0.048), "on_edge": True}]

    words = " ".join(printed(made(edgy)).split())
    assert "borderline: more resamples or another seed could change it: rouge_l − length (0.048)" in words
    assert "on the edge" not in printed(made())


def test_notes_come_before_the_numbers(made: Made) -> None:
    def noted(content: dict[str, Any]) -> None:
        content["notes"] = ["people: ann"]

    assert printed(made(noted)).startswith(" • people: ann\n\nSpearman with people")


def test_what_the_next_study_needs_is_a_table(made: Made) -> None:
    def planned(content: dict[str, Any]) -> None:
        known = {"question": "to find that new is rated above old", "over": "items", "goal": "power"}
        known |= {"target": 0.8, "at_hand": 40, "enough": 70, "reason": None, "notes": []}
        known |= {"design": "paired t test", "effect": 0.3, "alpha": 0.05, "trials": 500, "seed": 0}
        points = [{"size": 70, "power": interval(0.82, 0.02, 500)}]
        never = {
            **known,
            "over": "raters",
            "at_hand": 3,
            "enough": None,
            "points": [{"size": 3, "power": interval(0.5, 0.02, 500)}],
        }
        none = {**known, "over": "systems", "goal": None, "target": None, "at_hand": None, "enough": None}
        content["planning"] = [
            {**known, "points": points},
            never,
            {**none, "points": [], "reason": "too few"},
        ]

    words = " ".join(printed(made(planned)).split())
    assert "to find that new is rated above old 40 items 70 items power 0.8" in words
    assert "3 ratings > 3 ratings power 0.8" in words
    assert "to find that new is rated above old (systems): too few" in words
