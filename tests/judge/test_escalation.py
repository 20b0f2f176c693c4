"""Escalation to people: golden thresholds, known probabilities, and the whole loop on recorded and on live verdicts."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import yaml

from dialeval.errors import Unsuitable
from dialeval.judge.escalation import JudgedAnswer, Wanted, escalate
from support.bot_server import bot_server
from support.command import Command
from support.judge_server import chances, response_of, spread

CASCADED = ("--from", "cascaded-judges", "--criterion", "better")


@pytest.mark.parametrize(
    ("judge", "kept", "threshold", "agreement"),
    [
        ("gpt-4-turbo", 356, 0.914670, 0.876404),
        ("gpt-3.5-turbo", 275, 0.792924, 0.88),
        ("mistral-7b-instruct", 0, None, None),
    ],
)
def test_recorded_judges_keep_as_many_verdicts_as_published(
    judge: str, kept: int, threshold: float, agreement: float, dialeval: Command, shared_data: Path
) -> None:
    path = shared_data / "cascaded-judges" / "pairs.jsonl.gz"
    confidence = f"cascaded(judge='{judge}')"
    given = ["judge", "escalate", path, *CASCADED, "--judge", judge, "--confidence", confidence, "-o", "esc"]
    done = dialeval(*given, "--agree", 0.85, "--budget", 200, "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)["acceptance"]
    assert found["threshold"] == (None if threshold is None else pytest.approx(threshold, abs=5e-7))
    assert found["agreement"]["value"] == (None if agreement is None else pytest.approx(agreement, abs=5e-7))
    if kept:
        assert found["agreement"]["n"] == kept
        assert found["agreement"]["low"] >= 0.85
    assert found["of"] == 500


def test_recorded_verdicts_are_escalated_rated_and_estimated(
    dialeval: Command, shared_data: Path, tmp_path: Path
) -> None:
    path = shared_data / "cascaded-judges" / "pairs.jsonl.gz"
    assert (
        dialeval("data", "convert", path, "all.jsonl", "--from", "cascaded-judges", "--as", "judgement").code
        == 0
    )
    rows = [json.loads(line) for line in Path("all.jsonl").read_text().splitlines()]
    people = {row["item"]: row["value"] for row in rows if row["rater"] == "people"}
    first = set(list(people)[::2])
    kept = [row for row in rows if row["rater"] != "people" or row["item"] in first]
    write(tmp_path / "verdicts.jsonl", kept)
    given = [
        "judge",
        "escalate",
        "verdicts.jsonl",
        "--people",
        "people",
        "--criterion",
        "better",
        "-o",
        "esc",
    ]
    given += ["--judge", "gpt-4-turbo", "--confidence", "cascaded(judge='gpt-4-turbo')", "--budget", 100]
    given += ["--agree", 0.8]
    done = dialeval(*given, "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["study"] is None
    assert sum(one["drawn"] for one in told["strata"]) == 100
    answers = lines(Path("esc/answers.jsonl"))
    assert {one["stratum"] for one in answers} == {"rated", "sure", "unsure"}
    assert all(one["probability"] > 0 for one in answers)
    # With their weights, those that were drawn stand for all.
    assert sum(1 / one["probability"] for one in answers if one["drawn"]) == pytest.approx(250)
    rated = [
        {
            "item": one["item"],
            "system": "",
            "rater": "ana",
            "criterion": "better",
            "value": people[one["item"]],
        }
        for one in answers
        if one["drawn"]
    ]
    write(tmp_path / "rated.jsonl", rated)
    done = dialeval("judge", "estimate", "esc", "rated.jsonl", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    (system,) = found["estimates"]["systems"]
    assert system["system"] == "all answers"
    assert system["estimate"]["n"] == 350
    truth = np.mean(list(people.values()))
    assert system["estimate"]["low"] < truth < system["estimate"]["high"]
    sure = [one for one in answers if one["stratum"] == "sure" and one["drawn"]]
    right = sum(people[one["item"]] == one["value"] for one in sure)
    assert found["agreement"]["value"] == pytest.approx(right / len(sure))
    done = dialeval("judge", "estimate", "esc", "rated.jsonl")
    assert "Audit: people agree with" in done.out
    done = dialeval("judge", "estimate", "esc", "all.jsonl", "--people", "x")
    assert done.code == 2


QUESTIONS = 60


def reply(body: Mapping) -> dict:
    """Sure of answers that say 'because' (4 to 5), unsure of others."""
    text = response_of(body)
    likely = [0.01, 0.01, 0.01, 0.07, 0.9] if "because" in text else [0.3, 0.3, 0.2, 0.1, 0.1]
    return spread(chances(likely))


def quality(text: str) -> int:
    return 5 if "because" in text else 1 + len(text) % 3


@pytest.fixture
def run(tmp_path: Path, dialeval: Command) -> Path:
    """A run with a judge that gives probabilities; two systems."""
    prompts = [
        {"id": f"q{n}", "context": [{"role": "user", "content": f"Why {n}?"}]} for n in range(QUESTIONS)
    ]
    write(tmp_path / "prompts.jsonl", prompts)
    for system, sure in (("good", 3), ("poor", 2)):
        said = [
            f"It is so because of {n}" if n % 4 < sure else f"No idea{'!' * (n % 7)}"
            for n in range(QUESTIONS)
        ]
        rows = [{"id": p["id"], "response": text} for p, text in zip(prompts, said, strict=True)]
        write(tmp_path / f"{system}.jsonl", rows)
    with bot_server(whole=reply) as server:
        judge = {
            "name": "judge",
            "rubric": "relevance",
            "model": "m-1",
            "base_url": server.url,
            "cache": "kept",
        }
        study = {
            "data": "prompts.jsonl",
            "systems": [{"name": n, "kind": "transcript", "path": f"{n}.jsonl"} for n in ("good", "poor")],
            "measures": [judge],
            "trials": 100,
        }
        (tmp_path / "study.yaml").write_text(yaml.safe_dump(study))
        done = dialeval("run", "study.yaml", "-o", "out")
        assert done.code == 0, done.err
    return tmp_path / "out"


def texts(folder: Path) -> dict[tuple[str, str], str]:
    return {(row["id"], row["system"]): row["response"] for row in lines(folder / "examples.jsonl")}


def ratings(folder: Path, answers: Mapping, rater: str = "ana") -> list[dict]:
    return [
        {"item": item, "system": system, "rater": rater, "criterion": "relevance", "value": quality(text)}
        for (item, system), text in answers.items()
    ]


def test_a_run_keeps_how_sure_its_judge_was(run: Path) -> None:
    sure = {(row["item"], row["system"]): row["value"] for row in lines(run / "confidence.jsonl")}
    assert len(sure) == 2 * QUESTIONS
    for key, text in texts(run).items():
        assert sure[key] == pytest.approx(0.9 if "because" in text else 0.3, abs=1e-6)


def test_a_run_goes_to_the_rating_page_and_comes_back(run: Path, dialeval: Command) -> None:
    said = texts(run)
    rated_before = dict(list(said.items())[:90:2])
    write(run.parent / "ratings.jsonl", ratings(run, rated_before))
    given = ["judge", "escalate", run, "ratings.jsonl", "-o", "more", "--budget", 40, "--agree", 0.9]
    done = dialeval(*given)
    assert done.code == 0, done.err
    assert "are accepted: people agree with 100.0%" in done.out
    assert "dialeval annotate serve more" in done.err
    drawn = [one for one in lines(Path("more/answers.jsonl")) if one["drawn"]]
    assert len(drawn) == 40
    assert {(one["system"], one["stratum"]) for one in drawn} == {
        (system, stratum) for system in ("good", "poor") for stratum in ("sure", "unsure")
    }
    study = json.loads(Path("more/study.json").read_text())
    assert (study["asks"][0]["kind"], study["asks"][0]["criterion"]) == ("likert", "relevance")
    assert [option["value"] for option in study["asks"][0]["options"]] == [1, 2, 3, 4, 5]
    fill(dialeval, said)
    done = dialeval("annotate", "export", "more", "-o", "rated.jsonl")
    assert done.code == 0, done.err
    done = dialeval("judge", "estimate", "more", "rated.jsonl", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["drawn"], found["rated"], found["notes"]) == (40, 40, [])
    for system in found["estimates"]["systems"]:
        truth = np.mean([quality(text) for (_, name), text in said.items() if name == system["system"]])
        assert system["estimate"]["low"] < truth < system["estimate"]["high"]
    (difference,) = found["estimates"]["differences"]
    assert difference["higher"] == "good"
    assert found["estimates"]["ranks"] == [
        {"system": "good", "best": 1, "worst": 1},
        {"system": "poor", "best": 2, "worst": 2},
    ]
    again = dialeval(*given)
    assert again.code == 1
    assert "Give another -o" in again.err


def fill(dialeval: Command, said: Mapping[tuple[str, str], str]) -> None:
    """Answer the whole study as a table that a crowd platform gives back."""
    assert dialeval("annotate", "tasks", "more", "-o", "tasks.csv").code == 0
    key = {row["id"]: said[row["item"], row["system"]] for row in lines(Path("more/key.jsonl"))}
    with Path("tasks.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    name = next(column for column in rows[0] if rows[0][column] in key)
    for row in rows:
        row |= {"rater": "ana", "score": str(quality(key[row[name]]))}
    with Path("filled.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    done = dialeval("annotate", "import", "more", "filled.csv")
    assert done.code == 0, done.err


def test_without_ratings_all_of_it_is_a_random_sample(run: Path, dialeval: Command) -> None:
    done = dialeval("judge", "escalate", run, "-o", "more", "--budget", 30, "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["acceptance"]["threshold"] is None
    assert told["criterion"] == "relevance"
    named = dialeval(
        "judge", "escalate", run, "-o", "named", "--judge", "judge(rubric='relevance')", "--json"
    )
    assert json.loads(named.out)["judge"] == told["judge"]
    assert told["strata"] == [
        {"system": name, "stratum": "unsure", "answers": QUESTIONS, "drawn": 15} for name in ("good", "poor")
    ]


def test_ratings_of_others_and_missing_ones_are_told(run: Path, dialeval: Command) -> None:
    assert dialeval("judge", "escalate", run, "-o", "more", "--budget", 30).code == 0
    said = texts(run)
    drawn = [(one["item"], one["system"]) for one in lines(Path("more/answers.jsonl")) if one["drawn"]]
    some = {key: text for key, text in said.items() if key in drawn[3:]}
    other = next(key for key in said if key not in drawn)
    write(run.parent / "rated.jsonl", ratings(run, {**some, other: said[other]}))
    done = dialeval("judge", "estimate", "more", "rated.jsonl", "--json")
    first, second = json.loads(done.out)["notes"]
    assert first == "3 of 30 answers sent to people have no rating; they are taken to be like the others"
    assert second.startswith("1 rating of answers that were not drawn are left out")
    write(run.parent / "rated.jsonl", ratings(run, {other: said[other]}))
    done = dialeval("judge", "estimate", "more", "rated.jsonl")
    assert done.code == 1
    assert "None of the 30 answers that were sent to people has a rating on 'relevance'" in done.err


def test_meta_says_what_the_judge_of_a_run_may_be_trusted_with(run: Path, dialeval: Command) -> None:
    write(run.parent / "ratings.jsonl", ratings(run, texts(run)) + ratings(run, texts(run), "ben"))
    given = ["meta", run, "ratings.jsonl", "--human-criterion", "relevance", "--trials", 20, "-o", "meta"]
    done = dialeval(*given, "--json")
    assert done.code == 0, done.err
    (found,) = json.loads(done.out)["trust"]
    assert found["people"]["trust"]["find"] == "yes"
    assert found["people"]["trust"]["rank"] == "undecided"  # two systems
    low, high = found["people"]["difference"]["low"], found["people"]["difference"]["high"]
    assert low < found["people"]["difference"]["value"] < high


def made(unsure: int, sure: int, rated: int = 60) -> list[JudgedAnswer]:
    found = [JudgedAnswer(f"r{n}", "a", 1.0, 0.95, 1.0) for n in range(rated)]
    found += [JudgedAnswer(f"s{n}", "a", 1.0, 0.99, None) for n in range(sure)]
    return found + [JudgedAnswer(f"u{n}", "a", 1.0, 0.4, None) for n in range(unsure)]


@pytest.mark.parametrize(
    ("unsure", "sure", "budget", "drawn"),
    [
        (300, 300, 100, (75, 25)),
        (10, 300, 100, (10, 90)),  # what is left is audited
        (300, 10, 100, (90, 10)),
        (0, 300, 100, (0, 100)),
        (20, 10, 100, (20, 10)),
        (3, 3, 4, (2, 2)),
    ],
)
def test_the_budget_is_spent_on_what_is_uncertain_and_on_an_audit(
    unsure: int, sure: int, budget: int, drawn: tuple[int, int]
) -> None:
    _, answers = escalate(made(unsure, sure), Wanted(budget=budget))
    for part, number in zip(("unsure", "sure"), drawn, strict=True):
        own = [one for one in answers if one.stratum == part]
        assert sum(one.drawn for one in own) == number
        assert all(one.probability == pytest.approx(number / len(own)) for one in own)
    assert not any(one.drawn for one in answers if one.stratum == "rated")


def test_the_draw_is_random_and_follows_the_seed() -> None:
    def names(seed: int) -> list[str]:
        _, answers = escalate(made(100, 100), Wanted(budget=40, seed=seed))
        return [one.item for one in answers if one.drawn]

    assert names(1) == names(1)
    assert names(1) != names(2)
    times = np.zeros(200)
    for seed in range(300):
        _, answers = escalate(made(100, 100), Wanted(budget=40, seed=seed))
        times += [one.drawn for one in answers if one.stratum != "rated"]
    assert np.allclose(times[:100] / 300, 0.1, atol=0.08)
    assert np.allclose(times[100:] / 300, 0.3, atol=0.11)


def test_verdicts_without_a_value_or_a_confidence_are_uncertain() -> None:
    odd = [JudgedAnswer("x", "a", None, None, None), JudgedAnswer("y", "a", None, 0.99, None)]
    odd.append(JudgedAnswer("z", "a", 1.0, None, None))
    _, answers = escalate([*made(10, 10), *odd], Wanted(budget=20))
    assert {one.stratum for one in answers if one.item in "xyz"} == {"unsure"}


def test_what_cannot_be_done_is_refused(dialeval: Command, run: Path) -> None:
    with pytest.raises(Unsuitable, match="Found a budget of 3 answers, expected at least 4"):
        escalate(made(9, 9), Wanted(budget=3))
    with pytest.raises(Unsuitable, match="'agree': found 1"):
        Wanted(agree=1.5)
    done = dialeval("judge", "escalate", run, "--judge", "nobody", "-o", "more")
    assert done.code == 2
    assert "There is no judge called 'nobody'" in done.err
    write(run.parent / "plain.jsonl", ratings(run, texts(run)) + ratings(run, texts(run), "ben"))
    done = dialeval("judge", "escalate", "plain.jsonl", "-o", "more")
    assert "found no judge of ours" in done.err
    write(run.parent / "few.jsonl", [{"id": "q0", "system": "good", "context": [], "response": "because"}])
    done = dialeval("judge", "escalate", run, "--items", "few.jsonl", "-o", "more")
    assert done.code == 1
    assert "few.jsonl has" in done.err
    assert not Path("more").exists()
    done = dialeval("judge", "estimate", run, "plain.jsonl")
    assert "a folder without escalation.json" in done.err


def write(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
