"""Scenarios: read from YAML and JSON Lines alike, written back, and refused with line and field."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.errors import BadInput
from dialeval.talks.scenarios import read_scenarios, write_scenarios

GOOD = """
- id: refund
  goal: Get the money for the broken lamp back.
  persona: Short sentences.
  facts:
    order number: {value: A-4471, when: asked}
    bought on: 2026-05-03
  first: ["Hi, my lamp arrived broken."]
  success:
    - contains: refund
    - call: {name: issue_refund, arguments: {order: A-4471}}
  most: 8
- id: 7
  goal: Learn when the shop opens on Sunday.
  success: {regex: "1[01]"}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "scenarios.yaml"
    path.write_text(GOOD, encoding="utf-8")
    return path


def test_both_forms_of_a_file_say_the_same(file):
    found = read_scenarios(file)
    for name in ("again.jsonl", "again.yaml"):
        write_scenarios(file.with_name(name), found.scenarios)
        assert read_scenarios(file.with_name(name)) == found
    refund, sunday = found.scenarios
    assert (refund.facts["order number"].when, refund.facts["bought on"].value) == ("asked", "2026-05-03")
    assert (sunday.id, sunday.least, sunday.most) == ("7", 1, 12)
    assert sunday.success[0].assertions[0].kind == "regex"


@pytest.mark.parametrize(
    ("text", "where", "said"),
    [
        ("- id: x", "line 1, field '[0].goal'", "found nothing, expected a value"),
        (
            "- {id: a, goal: b}\n- {id: a, goal: c}",
            "line 2, field '[1].id'",
            "the id 'a' again (first in line 1)",
        ),
        (
            "\n\n- {id: x, goal: y, least: 4, most: 2}",
            "line 3, field '[0]'",
            "least is 4, more than most (2)",
        ),
        ("- {id: x, goal: y, succes: 3}", "'[0].succes'", "expected one of id, goal, facts"),
        ("- {id: x, goal: y, success: [{contains: 4}]}", "'[0]'", "success[0]: found the number 4"),
        (
            "- {id: x, goal: y, success: [{call: {name: f}, last: {contains: a}}]}",
            "success[0]",
            "one of the keys",
        ),
        ("- {id: a/b, goal: y}", "'[0]'", "a slash"),
        ("- {id: x, goal: y, language: klingon}", "'[0]'", "a code such as en"),
        ("- {id: x, goal: y, first: [a, b], most: 1}", "'[0]'", "first has 2 turns"),
        ("- {id: x, goal: y, facts: {n: {value: 1, when: never}}}", "facts.n", "expected"),
        ("{}", "scenarios.yaml", "expected a list of scenarios"),
        ("[]", "scenarios.yaml", "no scenario, expected at least one"),
        ("- [", "line 1", "expected valid YAML"),
    ],
)
def test_what_is_wrong_is_named_by_line_and_field(file, text, where, said):
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        read_scenarios(file)
    assert where in str(caught.value)
    assert said in str(caught.value)


def test_lines_of_json_are_counted(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_text(f"{json.dumps({'id': 'a', 'goal': 'b'})}\n{json.dumps({'id': 'c', 'gaol': 'd'})}\n")
    with pytest.raises(BadInput, match="line 2"):
        read_scenarios(path)
    with pytest.raises(BadInput, match="no such file"):
        read_scenarios(Path("absent.yaml"))
