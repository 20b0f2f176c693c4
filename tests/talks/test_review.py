"""Faults tagged by a model beside the rules', over HTTP; what cannot be read is told, and changes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from support.bot_server import bot_server

SCENARIOS = "- {id: s, goal: A lamp., first: [A lamp please.], success: {contains: sofa}, most: 2}\n"
GRAPH = 'start: {say: "Room 77 please.", next: {"*": start}}\n'


def study(url):
    return {
        "talks": {
            "scenarios": "scenarios.yaml",
            "user": {"graph": "user.yaml"},
            "reviewer": {"kind": "openai", "model": "reviewer", "base_url": url, "cache": "kept"},
        },
        "systems": [{"name": "echo", "kind": "echo"}],
        "measures": ["success", "success(counting='worst')", "user_faults"],
        "trials": 0,
    }


@pytest.fixture
def reviewed(dialeval):
    def run(reply):
        Path("scenarios.yaml").write_text(SCENARIOS)
        Path("user.yaml").write_text(GRAPH)
        with bot_server(lambda _last: reply) as server:
            Path("study.yaml").write_text(yaml.safe_dump(study(server.url)))
            done = dialeval("run", "study.yaml", "-o", "run")
        assert done.code == 0, done.err
        (line,) = Path("run/talks.jsonl").read_text().splitlines()
        return json.loads(line)["metadata"], server.bodies, done.out

    return run


def fault(**more):
    return {"turn": 3, "kind": "off_goal", "effect": "hindered", "evidence": "Room"} | more


def test_a_models_faults_stand_beside_those_of_the_rules(reviewed):
    metadata, bodies, out = reviewed(f"Well: {json.dumps({'faults': [fault()]})}")
    found = [(each["kind"], each["effect"], each["by"]) for each in metadata["faults"]]
    assert found == [("invented", "unknown", "rules"), ("off_goal", "hindered", "model")]
    assert "reviewer(model=" in metadata["reviewer"]
    assert "faults found by rules and a model" in " ".join(out.split())
    rules, data = bodies[0]["messages"]
    assert "judge the user, never the system" in rules["content"]
    assert json.loads(data["content"])["talk"][2] == {"turn": 3, "speaker": "user", "text": "Room 77 please."}


def test_where_both_see_a_fault_the_models_effect_holds(reviewed):
    metadata, _, _ = reviewed(json.dumps({"faults": [fault(kind="invented", effect="minor")]}))
    assert [(each["effect"], each["by"]) for each in metadata["faults"]] == [("minor", "model")]


@pytest.mark.parametrize(
    "reply",
    [
        "no idea",
        '{"faults": "none"}',
        json.dumps({"faults": [fault(turn=99)]}),
        json.dumps({"faults": [fault(kind="rude")]}),
        json.dumps({"faults": [fault(effect="?")]}),
        json.dumps({"faults": [3]}),
    ],
)
def test_a_reply_that_cannot_be_read_leaves_the_rules_faults_and_is_counted(reviewed, reply):
    metadata, _, out = reviewed(reply)
    assert [each["kind"] for each in metadata["faults"]] == ["invented"]
    assert metadata["review"].startswith("cannot be read")
    assert "whose reply on 1 talk could not be read" in " ".join(out.split())


def test_recorded_talks_are_judged_by_their_scenarios(dialeval):
    Path("scenarios.yaml").write_text(SCENARIOS.replace("sofa", "Here"))
    rows = [
        {
            "id": f"{name}/1",
            "system": "live",
            "messages": [
                {"role": "user", "content": "A lamp please."},
                {"role": "assistant", "content": said},
            ],
        }
        for name, said in (("s", "Here is a lamp."), ("other", "No."))
    ]
    rows.append({**rows[0], "id": "s/2", "messages": [*rows[0]["messages"][:1]]})
    Path("live.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = dialeval("talks", "judge", "live.jsonl", "-s", "scenarios.yaml", "-o", "judged.jsonl")
    assert done.code == 0
    assert "goal reached 1, not reached 1" in done.err
    assert "1 talk about no scenario in scenarios.yaml left out, such as 'other/1'" in done.err
    judged = [json.loads(line) for line in Path("judged.jsonl").read_text().splitlines()]
    assert [row["metadata"]["success"] for row in judged] == [True, False]
    Path("strange.jsonl").write_text(json.dumps(rows[1]) + "\n")
    refused = dialeval("talks", "judge", "strange.jsonl", "-s", "scenarios.yaml", "-o", "x.jsonl")
    assert (refused.code, "No talk in strange.jsonl is about a scenario" in refused.err) == (1, True)
