"""Real users beside simulated ones: published figures, differences, corrected success, and scenarios played by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dialeval.data.types import Dialogue, Turn
from dialeval.talks.behaviour import behaviour_of
from dialeval.talks.correction import correct_success
from dialeval.talks.distil import distil


def figures(done):
    return {row["figure"]: row["first"]["value"] for row in json.loads(done.out)["figures"]}


@pytest.mark.parametrize(
    ("file", "turns", "words"), [("document_creation", 6.843, 25.10), ("math_tutoring", 11.28, 10.59)]
)
def test_the_figures_of_real_users_come_out(dialeval, shared_data, file, turns, words):
    path = shared_data / "simulator-arena" / f"{file}.jsonl.gz"
    done = dialeval("talks", "users", path, "--from", "simulator-arena", "--json", "--trials", "0")
    found = figures(done)
    assert found["user turns per talk"] == pytest.approx(turns, abs=5e-4)
    assert found["words per user turn"] == pytest.approx(words, abs=5e-3)


def test_their_ratings_and_votes_are_judgements(dialeval, shared_data):
    folder = shared_data / "simulator-arena"
    options = ("--from", "simulator-arena", "--as", "judgement")
    assert dialeval("data", "convert", folder / "document_creation.jsonl.gz", "d.jsonl", *options).code == 0
    assert dialeval("data", "convert", folder / "math_tutoring.jsonl.gz", "m.jsonl", *options).code == 0
    values = {}
    for name in ("d", "m"):
        for line in Path(f"{name}.jsonl").read_text().splitlines():
            row = json.loads(line)
            values.setdefault((name, row["criterion"]), []).append(row["value"])
    assert np.mean(values["d", "interaction"]) == pytest.approx(8.294118, abs=5e-7)
    assert np.mean(values["d", "document"]) == pytest.approx(8.470588, abs=5e-7)
    assert (sum(values["d", "vote"]), len(values["d", "vote"])) == (134, 180)
    assert np.mean(values["m", "interaction"]) == pytest.approx(7.46)
    assert (sum(values["m", "vote"]), len(values["m", "vote"])) == (169, 204)


def test_the_first_problems_were_right_29_times_of_50(dialeval, shared_data):
    path = shared_data / "simulator-arena" / "math_tutoring.jsonl.gz"
    done = dialeval("score", path, "--from", "simulator-arena", "-m", "success", "--json", "--trials", "0")
    rows = json.loads(done.out)["results"]
    assert sum(row["score"] * row["n"] for row in rows) == pytest.approx(29)
    assert sum(row["n"] for row in rows) == 50


def talk(item, *texts, system="s", **metadata):
    turns = tuple(Turn(("user", "assistant")[n % 2], text) for n, text in enumerate(texts))
    return Dialogue(item, turns, system, metadata)


def test_differences_of_users_are_told_with_intervals():
    short = [talk(f"a/{n}", "Hi there?", "Yes.", "Thanks " * (1 + n % 2)) for n in range(30)]
    long = [
        talk(f"b/{n}", f"This is wrong, {n}", "Oh.", "I say much more " * (2 + n % 3), "Ah.")
        for n in range(30)
    ]
    found = {each.figure: each for each in behaviour_of(short, long)}
    words = found["words per user turn"]
    assert words.difference.value == pytest.approx(words.first.value - words.second.value)
    assert words.difference.high < 0
    assert words.p < 1e-6
    assert found["talks with thanks"].difference.value == 1
    assert found["talks with a complaint"].second.value == 1
    assert found["user turns per talk"].difference.value == 0
    assert found["talks that the user ends"].first.value is None


def test_a_simulators_bias_cancels():
    rng = np.random.default_rng(0)
    simulated, real = [], []
    for system, level in (("a", 0.7), ("b", 0.4)):
        chances = np.clip(level + rng.normal(0, 0.25, 400), 0, 1)
        kind = np.clip(chances + 0.25, 0, 1)  # too kind a user
        simulated += [
            talk(f"{n}/1", "x", "y", system=system, success=bool(rng.random() < kind[n])) for n in range(400)
        ]
        real += [
            talk(f"{n}/1", "x", "y", system=system, success=bool(rng.random() < chances[n]))
            for n in range(80)
        ]
    a, b, pair = correct_success(simulated, real)
    assert (a.system, a.other, pair.system, pair.other) == ("a", None, "a", "b")
    assert a.simulated > 0.8
    assert a.corrected.low < 0.7 < a.corrected.high
    assert b.corrected.low < 0.4 < b.corrected.high
    assert a.worth >= 75
    assert pair.corrected.low > 0
    assert pair.p < 0.01


def test_real_talks_of_other_scenarios_are_refused():
    with pytest.raises(Exception, match="None of the 1 pairs"):
        correct_success([talk("a/1", "x", success=True)], [talk("b/1", "x", success=True)])


def test_scenarios_are_distilled_from_logs(dialeval):
    log = talk(
        "d7",
        "I want to cancel.",
        "What is your booking number?",
        "It is QX-12, for 2 people.",
        "And your phone?",
        "5550199.",
        "Done, QX-12 is cancelled. The fee is 30 euros.",
        "30 euros is fine.",
    )
    (found,) = distil([log, talk("e", "", "Hello")])
    assert (found.id, found.first, found.most) == ("d7", ("I want to cancel.",), 8)
    assert {fact.value: fact.when for fact in found.facts.values()} == {"QX-12": "asked", "5550199": "asked"}
    Path("logs.jsonl").write_text(
        json.dumps({"id": "d7", "messages": [{"role": t.speaker, "content": t.text} for t in log.turns]})
        + "\n"
    )
    assert dialeval("scenarios", "from", "logs.jsonl", "-o", "s.yaml").code == 0
    checked = dialeval("scenarios", "check", "s.yaml")
    assert checked.out.startswith(
        "1 scenario, 2 facts; criteria of success: none\n1 scenario without criteria"
    )


def test_a_person_plays_the_scenarios(dialeval, monkeypatch):
    Path("bot.py").write_text('def reply(messages):\n    return "A refund for " + messages[-1]["content"]\n')
    Path("s.yaml").write_text(
        "- {id: a, goal: A refund., first: [Hi], success: {contains: lamp}}\n"
        "- {id: b, goal: None., success: {contains: x}}\n"
    )
    lines = iter(["my lamp", "/quit", "tea", "/quit"])
    monkeypatch.setattr("builtins.input", lambda _prompt="": next(lines))
    done = dialeval("chat", "bot.py:reply", "--scenario", "s.yaml", "-o", "real.jsonl")
    assert done.code == 0, done.err
    assert "a/1: goal reached" in done.err
    assert "b/1: goal not reached (contains 'x' does not hold" in done.err
    rows = [json.loads(line) for line in Path("real.jsonl").read_text().splitlines()]
    assert [len(row["messages"]) for row in rows] == [4, 2]
    assert [row["metadata"]["success"] for row in rows] == [True, False]
    assert figures(dialeval("talks", "users", "real.jsonl", "--json"))["user turns per talk"] == 1.5
    assert dialeval("chat", "bot.py:reply", "--scenario", "s.yaml", "--turns", "2").code == 2
    lines = iter(["more", "/quit"])
    dialeval("chat", "bot.py:reply", "--scenario", "s.yaml", "--limit", "1", "-o", "real.jsonl")
    ids = [json.loads(line)["id"] for line in Path("real.jsonl").read_text().splitlines()]
    assert ids == ["a/1", "b/1", "a/2"]  # earlier talks stay
    lines = iter(["/quit"])  # a talk in which the person said nothing of their own is none
    dialeval("chat", "bot.py:reply", "--scenario", "s.yaml", "--limit", "1", "-o", "none.jsonl")
    assert not Path("none.jsonl").exists() or not Path("none.jsonl").read_text()


def test_raters_play_the_scenarios_in_the_browser_and_fill_the_same_table(dialeval):
    Path("bot.py").write_text(
        'def reply(messages):\n    return f"{len(messages)}: " + messages[-1]["content"]\n'
    )
    Path("s.yaml").write_text(
        "- {id: a, goal: Refund, facts: {order: A-1}, first: [Hi], instructions: Be kind., success: {contains: ':'}}\n"
        "- {id: b, goal: None., success: {contains: unheard}}\n"
    )
    Path("user.yaml").write_text('start: {say: Hi., next: {"*": bye}}\nbye: {say: Bye.}\n')
    Path("study.yaml").write_text(
        "talks: {scenarios: s.yaml, user: {graph: user.yaml}}\nmeasures: [success]\n"
        'systems: [{name: bot, kind: "bot.py:reply"}]\n'
    )
    rating = ("--kind", "likert", "--criterion", "overall", "--overlap", "1")
    assert dialeval("annotate", "init", "study.yaml", "-o", "st", "--chat", "2", *rating).code == 0
    assert "Begin with: Hi" in "".join(path.read_text() for path in Path("st").glob("*.jsonl"))
    assert dialeval("annotate", "simulate", "st", "--copy", "rated", "--seed", "1").code == 0
    assert dialeval("annotate", "export", "rated", "-o", "people.jsonl").code == 0
    rows = [json.loads(line) for line in Path("people.talks.jsonl").read_text().splitlines()]
    by_scenario = {row["metadata"]["scenario"]: row["messages"] for row in rows}
    assert [turn["role"] for turn in by_scenario["a"]] == ["system", "user", "assistant", "user", "assistant"]
    assert by_scenario["a"][2]["content"].startswith("2: ")  # instructions and the message, no briefing
    assert dialeval("talks", "judge", "people.talks.jsonl", "-s", "s.yaml", "-o", "real.jsonl").code == 0
    judged = {
        row["metadata"]["scenario"]: row["metadata"]["success"]
        for row in map(json.loads, Path("real.jsonl").read_text().splitlines())
    }
    assert judged == {"a": True, "b": False}
    assert dialeval("run", "study.yaml", "-o", "run").code == 0
    (row,) = json.loads(dialeval("talks", "correct", "run", "real.jsonl", "--json").out)["success"]
    assert (row["real"]["value"], row["real"]["n"], row["simulated"]) == (0.5, 2, 0.5)
