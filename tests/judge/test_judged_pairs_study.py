"""``judge_pairs`` in a study: what is asked, written, shown, read back and refused."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import yaml

from support.bot_server import BotServer, bot_server
from support.command import Command
from support.judge_server import data_of, verdict

ITEMS = 10
WORTH = {"good": 3, "fair": 2, "poor": 1}


def reply(body: Mapping) -> dict:
    """The answer with more exclamation marks is better; reasons are hostile."""
    first, second = (data_of(body)[side].count("!") for side in ("first", "second"))
    return verdict(
        body, 0 if first == second else 1 if first > second else 2, "<script>alert('why')</script>"
    )


@pytest.fixture
def served() -> Iterator[BotServer]:
    with bot_server(whole=reply) as server:
        yield server


@pytest.fixture
def study(tmp_path: Path, served: BotServer) -> Path:
    write(
        tmp_path / "prompts.jsonl",
        [{"id": f"q{n}", "context": [{"role": "user", "content": f"Why {n}?"}]} for n in range(ITEMS)],
    )
    for system, worth in WORTH.items():
        # In one item, the worse one is better.
        marks = [worth if n else 4 - worth for n in range(ITEMS)]
        rows = [{"id": f"q{n}", "response": f"So{'o' * (n % 4)}{'!' * marks[n]}"} for n in range(ITEMS)]
        write(tmp_path / f"{system}.jsonl", rows)
    path = tmp_path / "study.yaml"
    path.write_text(yaml.safe_dump(content(served.url)), encoding="utf-8")
    return path


def content(url: str, **pairs: object) -> dict:
    judge = {"rubric": "relevance", "model": "m-1", "base_url": url, "mode": "json", "cache": "kept"}
    return {
        "data": "prompts.jsonl",
        "systems": [{"name": n, "kind": "transcript", "path": f"{n}.jsonl"} for n in WORTH],
        "measures": ["length"],
        "judge_pairs": {**judge, "price_input": 1.0, "price_output": 2.0, **pairs},
        "trials": 200,
    }


def write(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def rewrite(study: Path, served: BotServer, **pairs: object) -> None:
    study.write_text(yaml.safe_dump(content(served.url, **pairs)), encoding="utf-8")


def test_all_systems_are_judged_pair_by_pair(study: Path, served: BotServer, dialeval: Command) -> None:
    folder = study.parent / "out"
    done = dialeval("run", str(study), "-o", str(folder), "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)["judge_pairs"]
    (rater,) = told["results"]["raters"]
    assert {(head["a"], head["b"], head["wins"], head["losses"]) for head in rater["head_to_head"]} == {
        ("good", "fair", 9, 1),
        ("good", "poor", 9, 1),
        ("fair", "poor", 9, 1),
    }
    assert [one["system"] for one in rater["strengths"]["systems"]] == ["good", "fair", "poor"]
    assert all(one["best_rank"] is not None for one in rater["strengths"]["systems"])
    assert rater["flips"]["value"] == 0
    assert told["cost"] == pytest.approx(2 * 3 * ITEMS * (100 * 1.0 + 10 * 2.0) / 1e6)
    assert json.loads((folder / "manifest.json").read_text())["judge_pairs"] == told
    assert len((folder / "preferences.jsonl").read_text().splitlines()) == 2 * 3 * ITEMS
    asked = len(served.bodies)
    assert asked == 2 * 3 * ITEMS + 4
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "ranks by Bradley-Terry" in page
    assert "Answers judged pair by pair" in page
    assert "what moves the verdicts" in page
    assert "<script>alert('why')" not in page
    assert dialeval("report", str(folder)).code == 0
    assert (folder / "report.html").read_text(encoding="utf-8") == page
    ranked = dialeval("annotate", "preferences", folder / "preferences.jsonl", "--json")
    found = json.loads(ranked.out)["by_rater"]
    assert found[0]["head_to_head"] == rater["head_to_head"]
    again = dialeval("run", str(study), "-o", str(folder))
    assert again.code == 0
    assert len(served.bodies) == asked
    assert "good wins 0.90" in " ".join(again.out.split())


def test_a_baseline_is_every_systems_rival(study: Path, served: BotServer, dialeval: Command) -> None:
    rewrite(study, served, baseline="poor", own="good")
    people = [
        {"item": f"q{n}", "rater": "ann", "a": "poor", "b": "good", "choice": "tie"} for n in range(ITEMS)
    ]
    write(study.parent / "people.jsonl", people)
    rewrite(study, served, baseline="poor", own=["good"], preferences="people.jsonl")
    done = dialeval("run", str(study), "-o", str(study.parent / "out"), "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)["judge_pairs"]
    raters = {one["rater"]: one for one in told["results"]["raters"]}
    assert [(h["a"], h["b"]) for h in raters["m-1"]["head_to_head"]] == [("good", "poor"), ("fair", "poor")]
    assert raters["m-1"]["own_family"]["value"] == pytest.approx((9 - 1) / 2 / 10)
    assert raters["m-1"]["people"]["equal"]["value"] == 0
    assert raters["people"]["head_to_head"][0]["ties"] == ITEMS
    assert len(served.bodies) == 2 * 2 * ITEMS + 4


def test_the_cost_is_told_before_anything_is_sent(study: Path, served: BotServer, dialeval: Command) -> None:
    done = dialeval("run", str(study), "--dry-run", "--json")
    assert done.code == 0, done.err
    (cost,) = json.loads(done.out)["costs"]
    assert (cost["requests"], cost["kept"]) == (2 * 3 * ITEMS + 4, 0)
    assert not served.bodies
    assert dialeval("run", str(study), "-o", str(study.parent / "out")).code == 0
    again = json.loads(dialeval("run", str(study), "--dry-run", "--json").out)
    (cost,) = again["costs"]
    assert (cost["requests"], cost["kept"]) == (0, 2 * 3 * ITEMS + 4)


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ({"baseline": "god"}, "judge_pairs.baseline: There is no system in this study called 'god'"),
        ({"own": "god"}, "judge_pairs.own: There is no system in this study called 'god'"),
        ({"own": 3}, "judge_pairs.own: found 3"),
        ({"preferences": "none.jsonl"}, "judge_pairs.preferences: no such file"),
        ({"mode": "yes_no"}, "judge_pairs: 'mode' of a judge of pairs: found 'yes_no'"),
        ({"rubrik": "relevance"}, "judge_pairs: "),
        ({"rubric": "relevanz"}, "judge_pairs: There is no rubric called 'relevanz'"),
    ],
)
def test_what_is_wrong_is_named(
    keys: dict[str, object], found: str, study: Path, served: BotServer, dialeval: Command
) -> None:
    rewrite(study, served, **keys)
    done = dialeval("run", str(study))
    assert done.code != 0
    assert found in " ".join(done.err.split())
    assert not served.bodies


def test_a_model_does_not_judge_itself(study: Path, served: BotServer, dialeval: Command) -> None:
    given = yaml.safe_load(study.read_text())
    given["systems"][0] = {"name": "new", "kind": "openai", "base_url": served.url, "model": "acme/m-1"}
    study.write_text(yaml.safe_dump(given))
    done = dialeval("run", str(study))
    assert done.code == 1
    assert "judge_pairs: m-1 would judge its own answers, as new is the same model" in " ".join(
        done.err.split()
    )
    assert not served.bodies


def test_a_judge_that_cannot_be_asked_keeps_no_measure_from_its_scores(
    study: Path, served: BotServer, dialeval: Command
) -> None:
    rewrite(study, served, base_url="http://127.0.0.1:9/v1", retries=0)
    folder = study.parent / "out"
    done = dialeval("run", str(study), "-o", str(folder), "--json")
    assert done.code == 1
    assert json.loads(done.out)["results"]
    (failure,) = json.loads((folder / "summary.json").read_text())["failures"]
    assert failure["message"].startswith("judge_pairs: ")
    assert not (folder / "preferences.jsonl").exists()


def test_recorded_dialogues_are_judged_as_a_whole(tmp_path: Path, dialeval: Command) -> None:
    def by_marks(body: Mapping) -> dict:
        first, second = (json.dumps(data_of(body)[side]).count("!") for side in ("first", "second"))
        return verdict(body, 1 if first > second else 2)

    for system, marks in (("good", "!!"), ("poor", "!")):
        turns = [
            [("user", f"Why {n}?"), ("assistant", f"So{marks} And so."), ("user", "Ah.")]
            for n in range(ITEMS)
        ]
        rows = [
            {"id": f"d{n}", "turns": [{"role": role, "content": text} for role, text in each]}
            for n, each in enumerate(turns)
        ]
        write(tmp_path / f"{system}.jsonl", rows)
    with bot_server(whole=by_marks) as served:
        given = content(served.url, level="dialogue")
        given["data"] = "good.jsonl"
        given["systems"] = [{"name": n, "kind": "dialogues", "path": f"{n}.jsonl"} for n in ("good", "poor")]
        given["measures"] = ["contradictions(speakers='all')"]
        (tmp_path / "study.yaml").write_text(yaml.safe_dump(given))
        (cost,) = json.loads(dialeval("run", tmp_path / "study.yaml", "--dry-run", "--json").out)["costs"]
        done = dialeval("run", tmp_path / "study.yaml", "-o", tmp_path / "out", "--json")
        asked = len(served.bodies)
    (rater,) = json.loads(done.out)["judge_pairs"]["results"]["raters"]
    (head,) = rater["head_to_head"]
    assert (head["a"], head["b"], head["wins"]) == ("good", "poor", ITEMS)
    assert cost["requests"] == asked == 2 * ITEMS + 4
