from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dialeval.study import read_run, read_summary
from dialeval.study.report.tables import comparisons, failures, gates, leaderboard, unscored

Make = Callable[..., Path]
SCORES = {"old": 0.3, "new": 0.5, "echo": 0.1}


def by_system(measure: str, system: str, at: int) -> float | str:
    if measure == "rouge_l" and system == "echo" and at < 3:
        return "no references"
    return 12.0 if measure == "length" else SCORES[system]


def test_the_leaderboard_by_hand(make_run: Make) -> None:
    folder = make_run(systems=list(SCORES), value=by_system, significant=lambda m, a, b: "echo" in (a, b))
    table = leaderboard(read_summary(folder))
    assert table.title == "support-bots: 3 systems on 12 items"
    assert [c.title for c in table.columns] == [
        "system",
        "bleu(order=4) ↑",
        "rouge_l ↑",
        "length",
        "coverage",
    ]
    assert [row[0].text for row in table.rows] == ["new", "old", "echo"]
    best, level, behind = (row[1] for row in table.rows)
    assert (best.text, best.detail, best.mark, best.strong) == ("0.500", "[0.470, 0.540]", "★", True)
    assert (level.text, level.mark, level.strong) == ("0.300", "?", False)
    assert (behind.text, behind.mark, behind.strong) == ("0.100", "", False)
    assert {(row[3].text, row[3].mark) for row in table.rows} == {("12.00", "")}
    assert [row[4].text for row in table.rows] == ["100 %", "100 %", "75 %"]
    assert table.notes[-1] == "echo: 3 of 12 items unscored under rouge_l"


def test_whole_coverage_needs_no_column(make_run: Make) -> None:
    table = leaderboard(read_summary(make_run()))
    assert [column.title for column in table.columns][-1] == "length"
    assert not any("unscored" in note for note in table.notes)


def test_absent_and_unscored_results_are_words_not_zeros(make_run: Make) -> None:
    folder = make_run(measures={"bleu": True}, value=lambda m, s, at: "no references" if s == "old" else 0.5)
    table = leaderboard(read_summary(folder))
    assert [(row[0].text, row[1].text) for row in table.rows] == [("new", "0.500"), ("old", "unscored")]


def test_a_comparison_by_hand(make_run: Make) -> None:
    folder = make_run(systems=list(SCORES), value=by_system, significant=lambda m, a, b: "echo" in (a, b))
    summary = read_summary(folder)
    table = comparisons(summary, summary.measures[0])
    assert [cell.text for cell in table.rows[0]] == [
        *("old − new", "-0.200", "undecided", "0.250", "0.240", "-0.31", "4 / 1 / 7", "12"),
        "60 or more, perhaps never",
    ]
    assert table.rows[0][1].detail == "[-0.250, -0.150]"
    assert [cell.text for cell in table.rows[2]][2:] == [
        *("new is better", "0.450", "<0.001", "-0.31", "4 / 1 / 7", "12", "none, settled")
    ]
    described = comparisons(summary, summary.measures[2])
    assert described.rows[2][2].text == "different"


def test_measures_of_all_responses_together_say_so(make_run: Make) -> None:
    summary = read_summary(make_run(systems=list(SCORES), value=by_system))
    whole = replace(summary.measures[0], per_item=False)
    mixed = replace(summary, measures=(whole, *summary.measures[1:]))
    assert comparisons(mixed, whole).rows[0][6].text == "—"  # no item wins
    notes = leaderboard(mixed).notes
    assert "bleu(order=4) measures all responses together, so there are no per-item values" in notes


def test_gates_failures_and_reasons(make_run: Make) -> None:
    folder = make_run(
        systems=list(SCORES),
        value=by_system,
        gates=[
            {"gate": "rouge_l >= 0.4", "system": "old", "measure": "rouge_l", "score": 0.3, "passed": False}
        ],
        failures=[{"system": "echo", "measure": None, "message": "503"}],
    )
    run = read_run(folder)
    assert [cell.text for cell in gates(run.summary).rows[0]] == [
        "rouge_l >= 0.4",
        "old",
        "0.300",
        "score",
        "FAILED",
    ]
    assert [cell.text for cell in failures(run.summary).rows[0]] == ["echo", "all", "503"]
    assert [cell.text for cell in unscored(run.values).rows[0]] == ["rouge_l", "echo", "no references", "3"]


def test_scores_that_are_next_to_nothing_say_so_and_win_nothing(make_run: Make) -> None:
    tiny = {"old": 3e-9, "new": 2e-7, "echo": 0.0}
    folder = make_run(
        systems=list(tiny),
        measures={"bleu": True, "rouge_l": True},
        value=lambda m, s, at: tiny[s] if m == "bleu" else SCORES[s],
    )
    content = json.loads((folder / "summary.json").read_text())
    for result in content["results"]:
        if result["measure"] == "bleu":
            result["estimate"].update(low=0.0, high=result["estimate"]["value"])
    (folder / "summary.json").write_text(json.dumps(content))
    table = leaderboard(read_summary(folder))
    assert [(row[0].text, row[1].mark, row[1].text, row[1].detail) for row in table.rows] == [
        ("new", "", "<0.0001", "[0.0000, 0.0000]"),
        ("old", "", "<0.0001", "[0.0000, 0.0000]"),
        ("echo", "", "0.0000", "[0.0000, 0.0000]"),
    ]
    assert [row[2].mark for row in table.rows] == ["★", "?", "?"]


def test_reasons_are_told_where_the_items_values_are_at_hand(make_run: Make) -> None:
    def value(measure: str, system: str, at: int) -> float | str:
        if system == "old" and measure != "length":
            return "no references"
        if system == "new" and measure == "rouge_l" and at < 4:
            return "no words" if at else "n" * 100
        return 0.5

    run = read_run(make_run(value=value))
    assert leaderboard(run.summary, run.values).notes[-2:] == (
        "old: 12 of 12 items unscored under bleu(order=4) and rouge_l: no references",
        "new: 4 of 12 items unscored under rouge_l: no words, and 1 other reason",
    )
    assert (
        leaderboard(run.summary).notes[-2] == "old: 12 of 12 items unscored under bleu(order=4) and rouge_l"
    )


@pytest.mark.parametrize(
    ("items", "tests", "note"),
    [
        (4, 1, "4 items cannot make a difference significant: p is at least 0.125; 6 items could"),
        (5, 1, "5 items cannot make a difference significant: p is at least 0.062; 6 items could"),
        (6, 1, None),
        (8, 6, None),  # 6 * 2 / 2^8 = 0.047
        (500, 6, None),
    ],
)
def test_too_few_items_for_any_difference_are_said_to_be_so(
    make_run: Make, items: int, tests: int, note: str | None
) -> None:
    systems = {1: "ab", 6: "abcd"}[tests]
    folder = make_run(items=[str(at) for at in range(items)], systems=systems, measures={"bleu": True})
    found = [text for text in leaderboard(read_summary(folder)).notes if "cannot make" in text]
    assert found == ([note] if note else [])


def test_the_tests_that_are_corrected_for_raise_the_bar(make_run: Make) -> None:
    folder = make_run(items=list("1234567"), systems="abcd", measures={"bleu": True})
    (note,) = [text for text in leaderboard(read_summary(folder)).notes if "cannot make" in text]
    assert note == (
        "7 items cannot make a difference significant: p is at least 0.094 after Holm's correction for 6 tests; "
        "8 items could"
    )


def test_estimates_of_items_are_rounded(make_run: Make) -> None:
    summary = read_summary(make_run(more_items=1_913_043))
    assert comparisons(summary, summary.measures[0]).rows[0][-1].text == "480,000 or more, perhaps never"
