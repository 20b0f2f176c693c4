from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from dialeval.report import comparisons, failures, gates, leaderboard, read_folder, read_summary, unscored

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
    assert (level.text, level.mark, level.strong) == ("0.300", "≈", False)
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
        *(
            "old − new",
            "-0.200",
            "0.240",
            "-0.31",
            "4 / 1 / 7",
            "12",
            "no significant difference",
            "about 240",
        )
    ]
    assert table.rows[0][1].detail == "[-0.250, -0.150]"
    assert [cell.text for cell in table.rows[2]][2:] == [
        *("<0.001", "-0.31", "4 / 1 / 7", "12", "new is better", "none, settled")
    ]
    described = comparisons(summary, summary.measures[2])
    assert described.rows[2][6].text == "significantly different"


def test_measures_of_all_responses_together_say_so(make_run: Make) -> None:
    summary = read_summary(make_run(systems=list(SCORES), value=by_system))
    whole = replace(summary.measures[0], per_item=False)
    mixed = replace(summary, measures=(whole, *summary.measures[1:]))
    assert comparisons(mixed, whole).rows[0][4].text == "—"  # no item wins
    notes = leaderboard(mixed).notes
    assert "bleu(order=4) measures all responses together, so no item has a value of its own" in notes
    intervals = "brackets hold 95% bootstrap intervals, jackknife intervals for bleu(order=4); "
    assert any(note.startswith(intervals) for note in notes)
    alone = leaderboard(replace(summary, measures=(whole,))).notes
    assert any(note.startswith("brackets hold 95% jackknife intervals; ") for note in alone)


def test_gates_failures_and_reasons(make_run: Make) -> None:
    folder = make_run(
        systems=list(SCORES),
        value=by_system,
        gates=[
            {"gate": "rouge_l >= 0.4", "system": "old", "measure": "rouge_l", "score": 0.3, "passed": False}
        ],
        failures=[{"system": "echo", "measure": None, "message": "503"}],
    )
    run = read_folder(folder)
    assert [cell.text for cell in gates(run.summary).rows[0]] == ["rouge_l >= 0.4", "old", "0.300", "FAILED"]
    assert [cell.text for cell in failures(run.summary).rows[0]] == ["echo", "all", "503"]
    assert [cell.text for cell in unscored(run.values).rows[0]] == ["rouge_l", "echo", "no references", "3"]
