"""The notes below a leaderboard name what its readers would otherwise have to guess."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from dialeval.core import ABSENCES
from dialeval.study import read_summary
from dialeval.study.report.notes import leaderboard_notes


def test_scores_without_an_interval_have_their_reason(make_run: Callable[..., Path]) -> None:
    summary = read_summary(make_run(systems=["old", "new", "echo"]))
    results = tuple(
        replace(
            result,
            estimate=result.estimate._replace(low=None, high=None, reason=ABSENCES["unseen"]),
            absence="unseen",
        )
        if result.measure == "rouge_l" and result.system != "new"
        else result
        for result in summary.results
    )
    notes = [note for note in leaderboard_notes(replace(summary, results=results)) if "no interval" in note]
    assert notes == [
        "no interval for old and echo under rouge_l: the score depends on matches that do not occur in any item, such "
        "as 4-grams for BLEU-4"
    ]
    assert not any("no interval" in note for note in leaderboard_notes(summary))
