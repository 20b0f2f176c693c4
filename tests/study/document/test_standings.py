from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dialeval.study import read_summary
from dialeval.study.document import leaders, standings

Make = Callable[..., Path]
SCORES = {"a": 0.3, "b": 0.5, "c": 0.45}


def by_system(measure: str, system: str, at: int) -> float:
    return SCORES[system]


def test_the_direction_decides_who_leads(make_run: Make) -> None:
    folder = make_run(systems="abc", measures={"up": True, "down": False, "none": None}, value=by_system)
    summary = read_summary(folder)
    assert [leaders(summary, measure) for measure in summary.measures] == [("b",), ("a",), ()]
    assert set(standings(summary, summary.measures[2]).values()) == {"unranked"}


def test_only_a_significant_difference_puts_a_system_behind(make_run: Make) -> None:
    folder = make_run(
        systems="abc", measures={"up": True}, value=by_system, significant=lambda m, a, b: "a" in (a, b)
    )
    summary = read_summary(folder)
    assert standings(summary, summary.measures[0]) == {"a": "behind", "b": "best", "c": "undecided"}


def test_only_shown_equivalence_is_called_so(make_run: Make) -> None:
    folder = make_run(
        systems="abc",
        measures={"up": True},
        value=by_system,
        significant=lambda m, a, b: True,
        verdict=lambda m, a, b: "equivalent" if {a, b} == {"b", "c"} else None,
    )
    summary = read_summary(folder)
    assert standings(summary, summary.measures[0]) == {"a": "behind", "b": "best", "c": "equivalent"}


def test_nobody_is_ranked_if_no_pair_was_compared(make_run: Make) -> None:
    """As of systems that have no item in common, whose scores are of different items."""
    summary = read_summary(make_run(systems="abc", measures={"up": True}, value=by_system, compared=False))
    assert set(standings(summary, summary.measures[0]).values()) == {"unranked"}


def test_ties_share_the_lead_and_one_system_alone_leads_nobody(make_run: Make) -> None:
    summary = read_summary(make_run(systems="ab", measures={"up": True}, value=lambda m, s, at: 0.5))
    assert leaders(summary, summary.measures[0]) == ("a", "b")
    alone = read_summary(make_run(systems="a", measures={"up": True}, value=by_system))
    assert leaders(alone, alone.measures[0]) == ()


def test_a_system_without_a_score_has_no_standing(make_run: Make) -> None:
    folder = make_run(
        systems="abc",
        measures={"up": True},
        value=lambda m, s, at: "no references" if s == "b" else SCORES[s],
    )
    summary = read_summary(folder)
    assert standings(summary, summary.measures[0]) == {"a": "undecided", "b": "unranked", "c": "best"}


def test_no_one_leads_where_every_score_is_as_good_as_zero(make_run: Make) -> None:
    tiny = {"a": 0.0, "b": 1e-9, "c": 0.00004}
    for up in (True, False):
        summary = read_summary(make_run(systems="abc", measures={"m": up}, value=lambda m, s, at: tiny[s]))
        assert leaders(summary, summary.measures[0]) == ()
        assert set(standings(summary, summary.measures[0]).values()) == {"unranked"}
    summary = read_summary(make_run(systems="abc", measures={"m": True}, value=lambda m, s, at: 2 * tiny[s]))
    assert leaders(summary, summary.measures[0]) == ("c",)
