from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from dialeval.study import read_summary
from dialeval.study.document import BlindSpot, Summary
from dialeval.study.report.verdict import verdict

Make = Callable[..., Path]
SCORES = {"old": 0.3, "new": 0.5, "echo": 0.1}


def by_system(measure: str, system: str, at: int) -> float | str:
    return SCORES[system]


def of(make_run: Make, **sketch: object) -> Summary:
    return read_summary(make_run(**{"systems": list(SCORES), "value": by_system, **sketch}))


def test_a_system_that_is_better_on_all_measures_is_best(make_run: Make) -> None:
    found = verdict(of(make_run, significant=lambda m, a, b: True))
    assert found.headline == "new is best: all 2 measures show it to be better than every other system."
    assert found.details == ("By measure: new is best on bleu(order=4) and rouge_l.",)


def test_a_system_that_is_never_worse_and_once_better_is_best(make_run: Make) -> None:
    found = verdict(of(make_run, significant=lambda m, a, b: m == "rouge_l"))
    assert found.headline == (
        "new is best: 1 of 2 measures shows it to be better than every other system, and none shows it to be worse "
        "than one."
    )
    assert found.details == (
        "By measure: new is best on rouge_l.",
        "bleu(order=4) has no clear winner.",
    )


def test_without_a_significant_difference_nobody_wins(make_run: Make) -> None:
    assert verdict(of(make_run)).headline == (
        "No clear winner: no measure shows a system to be better than another."
    )


def test_several_that_are_never_worse_share_the_lead(make_run: Make) -> None:
    found = verdict(of(make_run, significant=lambda m, a, b: "echo" in (a, b)))
    assert found.headline == "No clear winner: no measure shows new and old to be worse than another system."


def test_measures_may_disagree(make_run: Make) -> None:
    scores = {"rouge_l": {"old": 0.3, "new": 0.5}, "errors": {"old": 0.1, "new": 0.2}}
    summary = read_summary(
        make_run(
            measures={"rouge_l": True, "errors": False},
            value=lambda m, s, at: scores[m][s],
            significant=lambda m, a, b: True,
        )
    )
    assert verdict(summary).headline == "The measures disagree: new is best on rouge_l, old on errors."


def test_a_measure_that_speaks_against_the_only_winner_is_named(make_run: Make) -> None:
    scores = {"rouge_l": SCORES, "distinct": {"old": 0.7, "new": 0.5, "echo": 0.71}}
    summary = read_summary(
        make_run(
            systems=list(SCORES),
            measures={"rouge_l": True, "distinct": True},
            value=lambda m, s, at: scores[m][s],
            significant=lambda m, a, b: m == "rouge_l" or "new" in (a, b),
        )
    )
    assert verdict(summary).headline == (
        "The measures disagree: new is best on rouge_l, but distinct shows it to be worse than old and echo."
    )


def test_the_primary_measure_decides(make_run: Make) -> None:
    summary = of(make_run, significant=lambda m, a, b: m == "bleu(order=4)" or "echo" in (a, b))
    assert verdict(replace(summary, primary="bleu(order=4)")).headline == (
        "new is best on bleu(order=4), the primary measure: shown to be better than every other system."
    )
    assert verdict(replace(summary, primary="rouge_l")).headline == (
        "No clear winner on rouge_l, the primary measure: new scores best, but old may be as good (the difference may "
        "be as large as 0.250); echo is shown to be worse."
    )


def test_one_measure_decides_alone(make_run: Make) -> None:
    summary = read_summary(make_run(measures={"errors": False}, value=by_system))
    found = verdict(summary)
    assert found.headline == (
        "No clear winner on errors: old scores best, but new may be as good (the difference may be as large as 0.250)."
    )
    assert found.details == ()
    sure = read_summary(make_run(measures={"m": True}, value=by_system, significant=lambda m, a, b: True))
    assert verdict(sure).headline == "new is best on m: shown to be better than old."


def test_shown_equivalence_is_told(make_run: Make) -> None:
    summary = of(
        make_run,
        measures={"m": True},
        significant=lambda m, a, b: True,
        verdict=lambda m, a, b: "equivalent" if {a, b} == {"old", "new"} else None,
    )
    assert verdict(summary).headline == (
        "new scores best on m, and old is shown to be equivalent; echo is shown to be worse."
    )


def test_ties_one_system_and_reservations(make_run: Make) -> None:
    tied = verdict(read_summary(make_run(measures={"m": True}, value=lambda m, s, at: 0.5)))
    assert tied.headline == "No clear winner on m: old and new tie for the best score."
    folder = make_run(
        systems=["old"],
        value=lambda m, s, at: "no words" if at == 0 else 0.5,
        gates=[
            {"gate": "rouge_l >= 0.9", "system": "old", "measure": "rouge_l", "score": 0.5, "passed": False}
        ],
        failures=[{"system": "new", "measure": None, "message": "503"}],
    )
    alone = str(verdict(read_summary(folder)))
    assert "With one system, there is nothing to compare." in alone
    assert "Coverage is lowest for old (92 %)" in alone
    assert "1 of 1 gate failed. 1 part of the run failed" in alone


def test_a_run_that_was_cut_short_is_told(make_run: Make) -> None:
    failures = [{"system": "new", "measure": None, "message": "503", "partial": True}]
    assert "new failed before all items were answered." in verdict(of(make_run, failures=failures)).details


def test_the_lowest_coverage_is_told_of_all_who_share_it(make_run: Make) -> None:
    def lacks(*places: tuple[str, str]) -> str:
        value = lambda m, s, at: "no words" if at < 3 and (m, s) in places else 0.5  # noqa: E731
        return str(verdict(read_summary(make_run(value=value))))

    assert "Coverage is lowest for old on rouge_l (75 %)." in lacks(("rouge_l", "old"))
    assert "Coverage is lowest for old (75 %)." in lacks(("rouge_l", "old"), ("length", "old"))
    assert "Coverage is lowest for old and new (75 %)." in lacks(("rouge_l", "old"), ("length", "new"))


def test_measures_that_are_zero_for_all_rank_no_one(make_run: Make) -> None:
    summary = read_summary(make_run(measures={"bleu": True}, value=lambda m, s, at: 1e-9))
    assert verdict(summary).headline == "No system is ranked: every score is 0 under bleu."


def test_faults_that_no_measure_notices_are_named_with_a_measure_that_does(make_run: Make) -> None:
    spots = (
        BlindSpot("wrong_facts", "facts"),
        BlindSpot("contradiction", "contradiction_rate"),
        BlindSpot("scrambled", None),
    )
    summary = replace(of(make_run), unnoticed=spots)
    assert verdict(summary).details[-1] == (
        "None of these measures is known to notice wrong numbers or names (add facts), self-contradiction (add "
        "contradiction_rate) or scrambled words."
    )
    assert "known to notice" not in str(verdict(replace(summary, unnoticed=())))
    four = replace(summary, unnoticed=(*spots, BlindSpot("form", "json")))
    assert verdict(four).details[-1].endswith("scrambled words or 1 other kind of fault.")
