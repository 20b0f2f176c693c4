from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dialeval.study import read_summary
from dialeval.study.report.verdict import verdict

Make = Callable[..., Path]
SCORES = {"old": 0.3, "new": 0.5, "echo": 0.1}


def by_system(measure: str, system: str, at: int) -> float | str:
    return SCORES[system]


def test_a_clear_winner_is_said_to_be_one(make_run: Make) -> None:
    folder = make_run(systems=list(SCORES), value=by_system, significant=lambda m, a, b: True)
    assert verdict(read_summary(folder)) == (
        "This study compared 3 systems on 12 items with 3 measures. new is best on bleu(order=4) and rouge_l, "
        "significantly ahead of every other system. length only describes, without a better direction."
    )


def test_what_cannot_be_told_apart_is_said_with_what_would_settle_it(make_run: Make) -> None:
    folder = make_run(measures={"rouge_l": True}, value=by_system)
    assert verdict(read_summary(folder)) == (
        "This study compared 2 systems on 12 items with 1 measure. No measure separates the best system from all the "
        "others. On rouge_l, new scores highest, but old is not significantly different (about 240 more items would "
        "settle it)."
    )


def test_low_is_good_where_the_measure_says_so(make_run: Make) -> None:
    text = verdict(read_summary(make_run(measures={"errors": False}, value=by_system)))
    assert "old scores lowest, but new is not significantly different" in text


def test_ties_one_system_and_reservations(make_run: Make) -> None:
    tied = verdict(read_summary(make_run(measures={"m": True}, value=lambda m, s, at: 0.5)))
    assert "On m, old and new tie for the highest score." in tied
    folder = make_run(
        systems=["old"],
        value=lambda m, s, at: "no words" if at == 0 else 0.5,
        gates=[
            {"gate": "rouge_l >= 0.9", "system": "old", "measure": "rouge_l", "score": 0.5, "passed": False}
        ],
        failures=[{"system": "new", "measure": None, "message": "503"}],
    )
    alone = verdict(read_summary(folder))
    assert "With one system, there is nothing to compare." in alone
    assert "coverage is lowest for old (92 %)" in alone
    assert "1 of 1 gate failed. 1 part of the run failed" in alone


def test_the_lowest_coverage_is_told_of_all_who_share_it(make_run: Make) -> None:
    def lacks(*places: tuple[str, str]) -> str:
        return verdict(
            read_summary(make_run(value=lambda m, s, at: "no words" if at < 3 and (m, s) in places else 0.5))
        )

    assert "coverage is lowest for old on rouge_l (75 %)." in lacks(("rouge_l", "old"))
    assert "coverage is lowest for old (75 %)." in lacks(("rouge_l", "old"), ("length", "old"))
    assert "coverage is lowest for old and new (75 %)." in lacks(("rouge_l", "old"), ("length", "new"))


def test_a_measure_that_is_zero_for_all_ranks_no_one(make_run: Make) -> None:
    folder = make_run(
        measures={"bleu": True, "rouge_l": True}, value=lambda m, s, at: 1e-9 if m == "bleu" else 0.5
    )
    text = verdict(read_summary(folder))
    assert "bleu is as good as 0 for every system and so ranks none." in text
    assert "On rouge_l, old and new tie for the highest score." in text


def test_an_estimate_of_items_is_rounded(make_run: Make) -> None:
    folder = make_run(measures={"rouge_l": True}, value=by_system, more_items=1_913_043)
    assert "(about 1.9 million more items would settle it)" in verdict(read_summary(folder))
