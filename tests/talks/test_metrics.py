"""Success, pass^k, turns to success and faults of users: by hand, against tau-bench's figures, and where undefined."""

from __future__ import annotations

import json
import warnings
from itertools import combinations
from math import isnan
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from dialeval.data.types import Dialogue, Turn
from dialeval.evaluation.runner import evaluate
from dialeval.talks import metrics
from dialeval.talks.metrics import PassK, Success, TurnsToSuccess, UserFaults

TALK = (Turn("user", "Hi."), Turn("assistant", "Hello."), Turn("user", "Bye."))


@pytest.fixture(autouse=True)
def told_again():
    """Warnings come once in a process; each test is one of its own."""
    metrics._warn_once.cache_clear()


def talk(scenario: str, repeat: int, success: object, **more: object) -> Dialogue:
    turns = (*TALK, Turn("user", f"{repeat}"))
    return Dialogue(f"{scenario}/{repeat}", turns, "s", {"success": success, **more})


def test_the_published_pass_k_of_tau_bench_comes_out(dialeval, shared_data):
    names = ["success", *(f"pass_k(k={k})" for k in (1, 2, 3, 4))]
    options = [word for name in names for word in ("-m", name)]
    file = shared_data / "tau-airline" / "trajectories.jsonl.gz"
    done = dialeval("score", file, "--from", "tau-bench", *options, "--json", "--trials", "0")
    assert done.code == 0, done.err
    rows = {row["metric"]: row for row in json.loads(done.out)["results"]}
    found = [rows[name]["score"] for name in names]
    assert found == pytest.approx([0.42, 0.42, 0.273333, 0.22, 0.20], abs=5e-7)
    assert rows["success"]["n"] == 200


@given(
    outcomes=st.lists(st.lists(st.booleans(), min_size=2, max_size=5), min_size=1, max_size=5),
    k=st.integers(1, 2),
)
def test_pass_k_is_the_share_of_all_draws_of_k_talks_that_all_succeed(outcomes, k):
    talks = [talk(f"a{i}", n, passed) for i, own in enumerate(outcomes) for n, passed in enumerate(own)]
    shares = [[all(drawn) for drawn in combinations(own, k)] for own in outcomes]
    expected = sum(sum(each) / len(each) for each in shares) / len(shares)
    assert evaluate(PassK(k=k), talks).score == pytest.approx(expected)


def test_each_scenario_is_left_out_exactly():
    talks = [talk("a", n, n < 2) for n in range(3)] + [talk("b", n, True) for n in range(3)]
    groups = PassK(k=2).without(talks, __import__("numpy").array([0, 0, 0, 1, 1, 1]))
    assert groups.score == pytest.approx((1 / 3 + 1) / 2)
    assert groups.without.tolist() == pytest.approx([1.0, 1 / 3])


def test_scenarios_with_too_few_talks_are_left_out_and_told():
    talks = [talk("a", 0, True), talk("a", 1, True), talk("b", 0, False)]
    with pytest.warns(UserWarning, match=r"1 scenario of 2 left out.*first: b, 1"):
        assert evaluate(PassK(k=2), talks).score == 1.0
    with pytest.warns(UserWarning, match="2 scenarios of 2 left out"):
        assert isnan(evaluate(PassK(k=3), talks).score)


def test_identical_repeats_are_told_to_say_nothing():
    same = [Dialogue(f"a/{n}", TALK, "s", {"success": True}) for n in range(3)]
    with pytest.warns(UserWarning, match="word for word identical"):
        evaluate(PassK(k=2), same)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate(PassK(k=2), [talk("a", n, True) for n in range(3)])


def test_technical_failures_are_left_out_or_count_as_none_as_asked():
    talks = [talk("a", 0, True), talk("a", 1, None, end="failed"), talk("b", 0, False)]
    left_out = evaluate(Success(), talks)
    assert (left_out.score, dict(left_out.reasons)) == (0.5, {1: "the talk failed for a technical reason"})
    assert evaluate(Success(failures="zero"), talks).score == pytest.approx(1 / 3)
    assert evaluate(PassK(failures="zero"), talks).score == pytest.approx(0.25)


def test_an_unknown_outcome_is_no_failure():
    talks = [talk("a", 0, True), talk("b", 0, None, success_reason="the judge refused"), talk("c", 0, "yes")]
    found = evaluate(Success(), talks)
    assert (found.score, found.estimate.n) == (1.0, 1)
    assert found.reasons[1] == "the judge refused"
    assert "expected true, false or a number" in found.reasons[2]


FAULT = {"turn": 3, "kind": "invented", "effect": "unknown", "evidence": "555"}


def test_faults_bound_success_from_both_sides():
    talks = [
        talk("a", 0, True, faults=[]),
        talk("b", 0, True, faults=[{**FAULT, "effect": "helped"}]),
        talk("c", 0, False, faults=[{**FAULT, "effect": "hindered"}]),
        talk("d", 0, False, faults=[{**FAULT, "effect": "minor"}]),
        talk("e", 0, True, faults=[FAULT]),
    ]
    by = {way: evaluate(Success(counting=way), talks) for way in ("observed", "faultless", "worst", "best")}
    assert [by[way].score for way in by] == pytest.approx([0.6, 0.5, 0.2, 0.8])
    assert [by[way].estimate.n for way in by] == [5, 2, 5, 5]
    assert evaluate(UserFaults(), talks).score == pytest.approx(0.6)
    assert evaluate(UserFaults(kind="invented"), talks).score == pytest.approx(0.8)
    assert evaluate(UserFaults(), [talk("a", 0, True)]).estimate.n == 0


def test_a_silent_talk_is_a_failure_under_pass_k_too():
    said = [talk("a", 0, True), talk("a", 1, True)]
    silent = [Dialogue(f"b/{n}", (Turn("user", "Hi?"),), "s", {"success": False}) for n in range(2)]
    assert evaluate(Success(), said + silent).score == 0.5
    assert evaluate(PassK(k=1), said + silent).score == 0.5
    assert evaluate(PassK(k=2), said + silent).score == 0.5


def test_talks_are_resampled_by_the_scenario_that_their_metadata_name(dialeval):
    named = [{"id": f"t{n}", "scenario": f"s{n // 5}"} for n in range(40)]
    for name, ids in (
        ("meta", [each["id"] for each in named]),
        ("ids", [f"s{n // 5}/{n}" for n in range(40)]),
    ):
        rows = [
            {
                "id": item,
                "system": "bot",
                "messages": [{"role": "user", "content": f"{n}"}, {"role": "assistant", "content": "ok"}],
                "metadata": {"success": (n // 5) % 2 == 0, "scenario": named[n]["scenario"]},
            }
            for n, item in enumerate(ids)
        ]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    measures = ("-m", "success", "-m", "pass_k(k=2)", "--json")
    by_ids, by_metadata = (
        [[row[key] for key in ("score", "low", "high", "units")] for row in json.loads(done.out)["results"]]
        for done in (dialeval("score", f"{name}.jsonl", *measures) for name in ("ids", "meta"))
    )
    assert by_metadata == by_ids
    assert by_ids[0][3] == 8
    for name in ("ids", "meta"):
        assert dialeval("score", f"{name}.jsonl", "-m", "success", "-o", name).code == 0
    found = [
        json.loads(Path(name, "summary.json").read_text())["results"][0]["estimate"]
        for name in ("ids", "meta")
    ]
    assert found[0] == found[1]
    assert [found[0]["low"], found[0]["high"]] == by_ids[0][1:3]


def test_a_misspelt_fault_is_no_faultless_talk():
    wrong = talk("a", 0, True, faults=[{"turn": 1, "kind": "inventd"}])
    found = evaluate(UserFaults(), [wrong])
    assert found.reasons[0] == "metadata.faults[0] is of no known kind: 'inventd'"
    assert evaluate(Success(counting="worst"), [wrong]).estimate.n == 0
    assert evaluate(Success(), [wrong]).score == 1


def test_turns_are_counted_where_the_goal_was_reached():
    talks = [talk("a", 0, True), talk("b", 0, False)]
    found = evaluate(TurnsToSuccess(), talks)
    assert (found.score, found.reasons[1]) == (3.0, "the goal was not reached")
