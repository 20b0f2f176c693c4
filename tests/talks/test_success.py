"""Success by assertions, calls of tools, functions and judges; what cannot be judged is no failure."""

from __future__ import annotations

import json

import pytest

from dialeval.data.types import Dialogue, Turn
from dialeval.talks.scenarios import Scenario
from dialeval.talks.success import with_outcomes
from support.bot_server import bot_server
from support.judge_server import verdict

CALL = {"tool_calls": [{"function": {"name": "refund", "arguments": json.dumps({"order": "A-1", "sum": 3})}}]}


def outcome(criteria, *, folder=None, end="user", said="I booked a table.", extra=None):
    scenario = Scenario.model_validate({"id": "s", "goal": "g", "success": criteria})
    turns = (Turn("user", "Hi"), Turn("assistant", said), Turn("assistant", "Bye.", None, extra))
    talk = Dialogue("s/1", turns, "bot", {"scenario": "s", "end": end})
    (found,) = with_outcomes([talk], [scenario], *([folder] if folder else []))
    return found.metadata["success"], found.metadata.get("success_reason", "")


@pytest.mark.parametrize(
    ("criteria", "success", "reason"),
    [
        ({"contains": "table"}, True, ""),
        ({"contains": "chair"}, False, "contains 'chair' does not hold in what it said"),
        ({"not_contains": "table"}, False, "not_contains 'table'"),
        ([{"last": {"contains": "table"}}], False, "in its last turn"),
        ([{"call": {"name": "refund", "arguments": {"order": "A-1"}}}], True, ""),
        (
            [{"call": {"name": "refund", "arguments": {"order": "A-2"}}}],
            False,
            "with other arguments (1 times)",
        ),
        ([{"call": {"name": "book"}}], False, "book was not called"),
        ([{"contains": "table"}, {"contains": "chair"}], False, "chair"),
        ([], None, "the scenario has no criteria of success"),
    ],
)
def test_every_criterion_must_hold(criteria, success, reason):
    found = outcome(criteria, extra=CALL)
    assert found[0] is success
    assert reason in found[1]


def test_a_technical_failure_has_no_outcome():
    assert outcome({"contains": "table"}, end="failed")[0] is None


@pytest.mark.parametrize(
    ("returned", "success", "reason"),
    [
        ("'table' in messages[1]['content']", True, ""),
        ("scenario['goal'] == 'x'", False, "own.py:check returned False"),
        ("None", None, "own.py:check returned None"),
        ("3", None, "returned int, expected true, false or None"),
        ("1 / 0", None, "ZeroDivisionError"),
    ],
)
def test_a_function_of_ones_own_decides(tmp_path, returned, success, reason):
    (tmp_path / "own.py").write_text(f"def check(messages, scenario):\n    return {returned}\n")
    found = outcome([{"function": "own.py:check"}], folder=tmp_path)
    assert found[0] is success
    assert reason in found[1]


@pytest.mark.parametrize(("score", "success"), [(5, True), (4, True), (3, False)])
def test_a_judge_decides_by_its_verdict_on_the_whole_talk(score, success):
    with bot_server(whole=lambda body: verdict(body, score, "So it is.")) as server:
        found = outcome([{"judge": {"model": "m", "base_url": server.url}}])
    assert found[0] is success
    assert ("less than 4" in found[1]) is not success
    assert "I booked a table." in server.bodies[0]["messages"][1]["content"]


def test_a_judge_that_says_nothing_usable_leaves_the_outcome_open():
    with bot_server(reply=lambda _last: "no idea") as server:
        found = outcome([{"judge": {"model": "m2", "base_url": server.url}}])
    assert found[0] is None
    assert "the judge gave no verdict" in found[1]
