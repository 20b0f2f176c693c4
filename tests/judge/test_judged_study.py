"""Judges in a study and in ``dialeval score``: what is printed, written, shown, read back and refused."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import yaml

from support.bot_server import BotServer, bot_server
from support.command import Command
from support.judge_server import response_of, verdict

ITEMS = 12


def reply(body: Mapping) -> dict:
    """Four to five for answers with a reason in them, less for others; orders move nothing."""
    text = response_of(body)
    score = 1 if "purple" in text else 5 if "because" in text else 2 + len(text) % 2
    return verdict(body, score, "It says <script>alert('why')</script>.")


@pytest.fixture
def served() -> Iterator[BotServer]:
    with bot_server(whole=reply) as server:
        yield server


@pytest.fixture
def study(tmp_path: Path, served: BotServer) -> Path:
    prompts = [{"id": f"d/{n}", "context": [{"role": "user", "content": f"Why {n}?"}]} for n in range(ITEMS)]
    answers = {
        "good": [f"It is so because of {n}." for n in range(ITEMS)],
        "poor": [f"No idea{'!' * (n % 3)}" for n in range(ITEMS)],
    }
    write(tmp_path / "prompts.jsonl", prompts)
    for system, texts in answers.items():
        rows = [{"id": p["id"], "response": text} for p, text in zip(prompts, texts, strict=True)]
        write(tmp_path / f"{system}.jsonl", rows)
    path = tmp_path / "study.yaml"
    path.write_text(yaml.safe_dump(content(served.url)), encoding="utf-8")
    return path


def content(url: str) -> dict:
    judge = {"name": "judge", "rubric": "relevance", "model": "m-1", "base_url": url, "mode": "json"}
    return {
        "data": "prompts.jsonl",
        "systems": [{"name": n, "kind": "transcript", "path": f"{n}.jsonl"} for n in ("good", "poor")],
        "measures": [
            {**judge, "price_input": 1.0, "price_output": 2.0, "cache": "kept"},
            "length",
        ],
        "trials": 200,
        "cluster": "none",
    }


def write(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


LABEL = "judge(rubric='relevance',model='m-1',mode='json')"


def test_a_study_ranks_by_a_judge_and_says_what_the_judge_did(
    study: Path, served: BotServer, dialeval: Command
) -> None:
    folder = study.parent / "out"
    done = dialeval("run", str(study), "-o", str(folder), "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    (scores,) = [
        {r["system"]: r["estimate"]["value"] for r in told["results"] if r["measure"] == m["measure"]}
        for m in told["measures"]
        if m["name"] == "judge"
    ]
    assert scores["good"] == 5
    assert scores["poor"] < 3
    (record,) = told["judges"]
    assert record["returned"] == ["judge-2026-11-01"]
    assert record["verdicts"] == 2 * ITEMS
    assert record["cost"] == pytest.approx(2 * ITEMS * (100 * 1.0 + 10 * 2.0) / 1e6)
    assert record["canary"]["obeyed"] is False
    assert record["canary"]["plain"] == record["canary"]["planted"] == 1
    assert json.loads((folder / "manifest.json").read_text())["judges"] == told["judges"]
    verdicts = [json.loads(line) for line in (folder / "verdicts.jsonl").read_text().splitlines()]
    assert len(verdicts) == 2 * ITEMS
    assert (study.parent / "kept").is_dir()
    assert all("reply: {" in one["evidence"] for one in verdicts)
    asked = len(served.bodies)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "resisted an order planted in an answer" in page
    assert "<script>alert('why')" not in page
    assert "alert('why')" in page or "alert(&#39;why&#39;)" in page or "alert(\\u0027why" in page
    assert dialeval("report", str(folder)).code == 0
    assert (folder / "report.html").read_text(encoding="utf-8") == page
    assert len(served.bodies) == asked
    again = dialeval("run", str(study), "-o", str(folder))
    assert again.code == 0
    assert len(served.bodies) == asked
    assert "it resisted an order planted in an answer" in " ".join(again.out.split())


def test_two_runs_with_a_judge_are_compared_without_asking_it(
    study: Path, served: BotServer, dialeval: Command
) -> None:
    folders = [study.parent / name for name in ("one", "two")]
    for folder in folders:
        assert dialeval("run", str(study), "-o", str(folder)).code == 0
    asked = len(served.bodies)
    done = dialeval("compare", *map(str, folders))
    assert done.code == 0, done.err
    assert len(served.bodies) == asked


def test_the_model_under_test_is_refused_when_the_study_is_read(
    study: Path, served: BotServer, dialeval: Command
) -> None:
    given = yaml.safe_load(study.read_text())
    given["systems"] = [{"name": "new", "kind": "openai", "base_url": served.url, "model": "acme/m-1"}]
    study.write_text(yaml.safe_dump(given))
    done = dialeval("run", str(study))
    assert done.code == 1
    assert "would judge its own answers, as new is the same model" in done.err
    assert not served.bodies
    given["measures"][0]["own_judge"] = True
    given["systems"] = [{"name": "m-1", "kind": "transcript", "path": "good.jsonl"}]
    study.write_text(yaml.safe_dump(given))
    assert dialeval("run", str(study), "-o", str(study.parent / "own")).code == 0


def test_a_rubric_of_ones_own_lies_beside_the_study(study: Path, dialeval: Command) -> None:
    rubric = "name: polite\ncriterion: Politeness.\nquestion: Is it polite?\nscores: {0: rude, 1: polite}\n"
    (study.parent / "polite.yaml").write_text(rubric)
    given = yaml.safe_load(study.read_text())
    given["measures"] = [{**given["measures"][0], "rubric": "polite.yaml"}]
    study.write_text(yaml.safe_dump(given))
    done = dialeval("run", str(study), "-o", str(study.parent / "out"), "--json")
    assert done.code == 1  # the judge gives 1 to 5, and 2 to 5 are off the scale
    assert "not on the scale" in done.out
    (study.parent / "polite.yaml").write_text(rubric.replace("question", "quest"))
    done = dialeval("run", str(study))
    assert done.code == 1
    assert "polite.yaml" in done.err
    assert "quest" in done.err


def test_score_takes_a_judge_and_writes_what_it_said(
    study: Path, served: BotServer, dialeval: Command
) -> None:
    rows = [
        {"id": str(n), "system": "bot", "context": [], "response": f"{n} because of it"} for n in range(4)
    ]
    write(study.parent / "answers.jsonl", rows)
    judge = f"judge(model='m-1', base_url={served.url!r}, mode='json', cache={str(study.parent / 'kept')!r})"
    out = study.parent / "items.jsonl"
    done = dialeval(
        "score", str(study.parent / "answers.jsonl"), "-m", judge, "--per-item", str(out), "--json"
    )
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["results"][0]["score"] == 5
    assert told["judges"][0]["canary"]["obeyed"] is False
    assert "reply:" in json.loads(out.read_text().splitlines()[0])["evidence"]
    done = dialeval("score", str(study.parent / "answers.jsonl"), "-m", judge)
    assert "it resisted an order" in " ".join(done.out.split())


def test_a_dry_run_tells_what_would_be_asked_and_asks_nothing(
    study: Path, served: BotServer, dialeval: Command
) -> None:
    done = dialeval("run", str(study), "--dry-run", "--json")
    assert done.code == 0, done.err
    (told,) = json.loads(done.out)["costs"]
    assert (told["requests"], told["kept"]) == (2 * ITEMS + 4, 0)
    assert told["cost"] == pytest.approx(
        (told["prompt_tokens"] * 1.0 + told["completion_tokens"] * 2.0) / 1e6
    )
    assert not served.bodies
    assert not (study.parent / "runs").exists()
    folder = study.parent / "out"
    assert dialeval("run", str(study), "-o", str(folder)).code == 0
    characters = sum(len(message["content"]) for body in served.bodies for message in body["messages"])
    assert told["requests"] == len(served.bodies)
    assert told["prompt_tokens"] == pytest.approx(characters / 4, rel=0.01)
    (after,) = json.loads(dialeval("run", str(study), "--dry-run", "--json").out)["costs"]
    assert (after["requests"], after["kept"], after["cost"]) == (0, 2 * ITEMS + 4, 0)


def test_a_dry_run_counts_servers_that_are_measured_and_their_judge(
    study: Path, served: BotServer, dialeval: Command
) -> None:
    given = yaml.safe_load(study.read_text())
    given["systems"].append(
        {
            "name": "new",
            "kind": "openai",
            "base_url": served.url,
            "model": "bot-2",
            "decoding": {"max_tokens": 50},
            "prices": {"input": 1.0, "output": 4.0},
            "cache": str(study.parent / "answers"),
        }
    )
    given["measures"][0]["budget"] = 10
    study.write_text(yaml.safe_dump(given))
    done = dialeval("run", str(study), "--dry-run", "--json")
    assert done.code == 0, done.err
    bot, judge = json.loads(done.out)["costs"]
    assert (bot["what"], bot["requests"], bot["completion_tokens"]) == ("new", ITEMS, ITEMS * 50)
    assert (judge["what"], judge["requests"]) == (LABEL, 3 * ITEMS + 4)
    printed = " ".join(dialeval("run", str(study), "--dry-run").out.split())
    assert "(budget 10)" in printed
    assert "tokens by the length of the texts" in printed
    assert not served.bodies


def test_a_dry_run_counts_every_candidate_of_a_filter_and_names_what_it_does_not_count(
    study: Path, served: BotServer, dialeval: Command
) -> None:
    given = yaml.safe_load(study.read_text())
    server = {"kind": "openai", "base_url": served.url, "model": "bot-2", "decoding": "sample"}
    kept = {**server, "cache": str(study.parent / "answers")}
    given["systems"] = [{"name": "careful", "kind": "filtered", "n": 4, "system": kept}]
    given["measures"] = ["length"]
    study.write_text(yaml.safe_dump(given))
    told = json.loads(dialeval("run", str(study), "--dry-run", "--json").out)
    assert [(one["what"], one["requests"], one["kept"]) for one in told["costs"]] == [
        ("careful", 4 * ITEMS, 0)
    ]
    assert told["uncounted"] == []
    probe = {"id": "p", "context": [{"role": "user", "content": "Why?"}], "expected": "yes"}
    write(study.parent / "stimuli.jsonl", [probe])
    given["measures"] = [{"name": "nbest", "stimuli": "stimuli.jsonl"}]
    study.write_text(yaml.safe_dump(given))
    done = dialeval("run", str(study), "--dry-run")
    assert done.code == 0, done.err
    assert "not counted: the questions of nbest to servers" in done.out
    assert not served.bodies


def test_a_dry_run_after_a_judge_that_liked_the_canary_asks_nothing(
    tmp_path: Path, dialeval: Command
) -> None:
    write(tmp_path / "a.jsonl", [{"id": "1", "system": "bot", "context": [], "response": "because"}])
    with bot_server(whole=lambda body: verdict(body, 5, "Nice.")) as server:
        judge = f"judge(model='m-1', base_url={server.url!r}, mode='json', cache={str(tmp_path / 'kept')!r})"
        assert dialeval("score", str(tmp_path / "a.jsonl"), "-m", judge).code == 0
        asked = len(server.bodies)
        done = dialeval("score", str(tmp_path / "a.jsonl"), "-m", judge, "--dry-run", "--json")
    (told,) = json.loads(done.out)["costs"]
    assert (told["requests"], told["kept"]) == (0, asked)


def test_a_dry_run_of_score(study: Path, served: BotServer, dialeval: Command) -> None:
    rows = [{"id": str(n), "system": "bot", "context": [], "response": f"{n} because"} for n in range(4)]
    write(study.parent / "answers.jsonl", rows)
    judge = f"judge(model='m-1', base_url={served.url!r}, cache={str(study.parent / 'kept')!r})"
    done = dialeval("score", str(study.parent / "answers.jsonl"), "-m", judge, "--dry-run", "--json")
    assert done.code == 0, done.err
    (told,) = json.loads(done.out)["costs"]
    assert (told["requests"], told["cost"]) == (8, None)
    out = study.parent / "scored"
    folder = dialeval("score", str(study.parent / "answers.jsonl"), "-m", judge, "--dry-run", "-o", str(out))
    assert folder.code == 0, folder.err
    assert not out.exists()
    plain = dialeval("score", str(study.parent / "answers.jsonl"), "-m", "length", "--dry-run")
    assert "Nothing is asked" in plain.out
    assert not served.bodies


def test_with_ratings_the_judge_is_compared_with_people_score_by_score(
    study: Path, served: BotServer, dialeval: Command
) -> None:
    ratings = [
        {"item": f"d/{n}", "system": system, "rater": rater, "criterion": "relevance", "value": value}
        for n in range(ITEMS)
        for system, value in (("good", 3 + n % 3), ("poor", 1 + n % 2))
        for rater in ("ana", "ben")
    ]
    write(study.parent / "ratings.jsonl", ratings)
    given = yaml.safe_load(study.read_text())
    given["human"] = {"path": "ratings.jsonl", "scale": "1-5"}
    study.write_text(yaml.safe_dump(given))
    done = dialeval("run", str(study), "-o", str(study.parent / "out"), "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    people = told["judges"][0]["people"]
    verdicts = [json.loads(line) for line in (study.parent / "out/verdicts.jsonl").read_text().splitlines()]
    rated = {(r["item"], r["system"]): r["value"] for r in ratings}
    pairs = [(one["value"], rated[one["item"], one["system"]]) for one in verdicts]
    assert people["difference"]["value"] == pytest.approx(sum(a - b for a, b in pairs) / len(pairs))
    assert people["difference"]["low"] < people["difference"]["value"] < people["difference"]["high"]
    assert people["kappa"]["n"] == 2 * ITEMS
    (row,) = [
        r for r in told["human"]["rows"] if r["measure"] == LABEL and r["level"] == "item_within_system"
    ]
    assert people["within"] == row["estimate"]
    assert people["pooled"]["n"] == 2 * ITEMS
    assert people["spread"]["low"] < people["spread"]["value"] < people["spread"]["high"]
    assert people["ceiling"]["value"] == pytest.approx(1)  # both raters gave the same
    assert people["trust"]["rank"] == "undecided"  # two systems
    assert people["trust"]["code"] in ("undecided", "find")
    rows = [row for row in told["human"]["rows"] if row["measure"] == LABEL]
    assert rows, [row["measure"] for row in told["human"]["rows"]]
    printed = " ".join(dialeval("run", str(study), "-o", str(study.parent / "out")).out.split())
    assert "more than people" in printed
    assert "weighted kappa" in printed
    given["human"]["scale"] = "1-9"
    study.write_text(yaml.safe_dump(given))
    done = dialeval("run", str(study), "-o", str(study.parent / "out"), "--json")
    reason = json.loads(done.out)["judges"][0]["people"]["difference"]["reason"]
    assert reason == "people rated from 1 to 9, the judge from 1 to 5"


@pytest.mark.parametrize(
    ("gate", "passed"),
    [
        ("good: human >= 3", True),
        ("poor: human >= 3", False),
        ("human >= 1", True),
        ("good - poor: human >= 1", True),
        ("poor - good: human >= -1", False),
        ("good: point(human) > 4.9", False),
    ],
)
def test_gates_on_peoples_ratings_are_judged_by_the_corrected_estimates(
    gate: str, passed: bool, study: Path, dialeval: Command
) -> None:
    ratings = [
        {"item": f"d/{n}", "system": system, "rater": rater, "criterion": "relevance", "value": value}
        for n in range(1, ITEMS)
        for system, value in (("good", 4 + n % 4 // 2), ("poor", 1 + n % 3 % 2))
        for rater in ("ana", "ben")
    ]
    write(study.parent / "ratings.jsonl", ratings)
    given = yaml.safe_load(study.read_text())
    given |= {"human": {"path": "ratings.jsonl", "scale": "1-5"}, "gates": [gate]}
    study.write_text(yaml.safe_dump(given))
    done = dialeval("run", str(study), "-o", str(study.parent / "out"), "--json")
    assert done.code == (0 if passed else 100), done.err
    told = json.loads(done.out)
    assert told["human"]["estimates"], told["human"]["notes"]
    (estimates,) = told["human"]["estimates"]
    known = {system["system"]: system["estimate"] for system in estimates["systems"]}
    for outcome in told["gates"]:
        assert outcome["measure"] == "human"
        assert outcome["passed"] == passed
        if " - " not in gate:
            assert outcome["score"] == known[outcome["system"]]["value"]
    assert len(told["gates"]) == (2 if gate.startswith("human") else 1)


def test_a_gate_on_ratings_needs_ratings_and_no_equivalence(study: Path, dialeval: Command) -> None:
    given = yaml.safe_load(study.read_text())
    given["gates"] = ["good: human >= 3"]
    study.write_text(yaml.safe_dump(given))
    assert "There is no measure in this study called 'human'" in dialeval("run", str(study)).err
    write(
        study.parent / "ratings.jsonl",
        [{"item": "d/1", "system": "good", "rater": "a", "criterion": "relevance", "value": 1}],
    )
    given |= {"human": "ratings.jsonl", "gates": ["good = poor: human"]}
    study.write_text(yaml.safe_dump(given))
    assert "gate both differences" in dialeval("run", str(study)).err
    given["gates"] = ["poor: human >= 1"]
    study.write_text(yaml.safe_dump(given))
    done = dialeval("run", str(study), "-o", str(study.parent / "out"), "--json")
    assert done.code == 100
    assert json.loads(done.out)["gates"][0]["passed"] is False
