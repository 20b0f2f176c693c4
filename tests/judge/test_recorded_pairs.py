"""Recorded verdicts on pairs by ``annotate preferences``: the golden numbers of the data's README."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.errors import BadInput
from dialeval.ratings.recorded_pairs import read_recorded
from support.command import Command

FOUR = 5e-5
JUDGES = {"gpt-4-turbo": 0.784, "gpt-3.5-turbo": 0.756, "mistral-7b-instruct": 0.750}
SIX = 5e-7


def told(dialeval: Command, *arguments: object) -> dict:
    done = dialeval("annotate", "preferences", *arguments, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def by_rater(found: dict) -> dict[str, dict]:
    return {one["rater"]: one for one in found["by_rater"]}


def value(estimate: dict) -> float:
    assert estimate["low"] < estimate["value"] < estimate["high"]
    return estimate["value"]


@pytest.mark.parametrize(
    ("file", "part", "rater", "right", "right_both", "equal", "first"),
    [
        ("vanilla", "LLMBar/Natural", "GPT-4 Vanilla", 0.955, 0.93, 0.95, 0.505),
        ("vanilla", "LLMBar/Adversarial/Neighbor", "GPT-4 Vanilla", 0.7873, 0.7537, 0.9328, None),
        ("vanilla", "LLMBar/Adversarial/Neighbor", "ChatGPT Vanilla", 0.1940, None, 0.7164, 0.6194),
        ("vanilla_norules", "FairEval", "ChatGPT Vanilla_NoRules", None, None, 0.1818, 0.9091),
        ("vanilla_norules", "FairEval", "GPT-4 Vanilla_NoRules", None, None, 0.6970, 0.6212),
        ("vanilla_norules", "MT-Bench", "GPT-4 Vanilla_NoRules", 0.81, 0.745, 0.87, None),
    ],
)
def test_llmbar_in_both_orders(
    file: str,
    part: str,
    rater: str,
    right: float | None,
    right_both: float | None,
    equal: float,
    first: float | None,
    dialeval: Command,
    shared_data: Path,
) -> None:
    path = shared_data / "llmbar-runs" / f"{file}.jsonl.gz"
    known = {one.criterion for one in read_recorded([path], "llmbar")}
    (criterion,) = [name for name in known if name.endswith(part)]
    found = by_rater(told(dialeval, path, "--from", "llmbar", "--criterion", criterion))[rater]
    assert value(found["flips"]) == pytest.approx(1 - equal, abs=FOUR)
    wanted = ((found["people"]["right"], right), (found["people"]["right_both"], right_both))
    for estimate, number in (*wanted, (found["first"], first)):
        if number is not None:
            assert value(estimate) == pytest.approx(number, abs=FOUR)


def test_the_longer_answer_of_llmbar_neighbor(dialeval: Command, shared_data: Path) -> None:
    files = (shared_data / "llmbar-runs" / "vanilla.jsonl.gz", shared_data / "llmbar" / "pairs.jsonl")
    part = "LLMBar/Adversarial/Neighbor"
    found = by_rater(told(dialeval, *files, "--from", "llmbar", "--criterion", part))
    assert value(found["people"]["longer"]) == pytest.approx(0.1194, abs=FOUR)
    assert value(found["ChatGPT Vanilla"]["longer"]) == pytest.approx(0.7463, abs=FOUR)
    assert found["people"]["slope"]["high"] < 0 < found["ChatGPT Vanilla"]["slope"]["low"]
    assert found["ChatGPT Vanilla"]["people"]["longer"]["low"] > 0.5


def test_pandalm_people_and_judges(dialeval: Command, shared_data: Path) -> None:
    names = ("testset-v1.jsonl", "judge.gpt-3.5-turbo.jsonl.gz", "judge.pandalm-7b.jsonl.gz")
    found = told(dialeval, *(shared_data / "pandalm" / name for name in names), "--from", "pandalm")
    kappas = {(one["a"], one["b"]): value(one["kappa"]) for one in found["agreements"]}
    people = {("r1", "r2"): 0.852023, ("r1", "r3"): 0.878944, ("r2", "r3"): 0.861661}
    assert {two: kappas[two] for two in people} == pytest.approx(people, abs=SIX)
    raters = by_rater(found)
    seven, turbo = raters["pandalm-7b"]["people"], raters["gpt-3.5-turbo"]["people"]
    assert (value(seven["equal"]), value(seven["kappa"])) == pytest.approx((0.667668, 0.435355), abs=SIX)
    assert (value(turbo["equal"]), value(turbo["kappa"])) == pytest.approx((0.715606, 0.492865), abs=SIX)
    assert (turbo["equal"]["n"], raters["gpt-3.5-turbo"]["unscored"]) == (974, {"garbage": 25})
    heads = raters["people"]["head_to_head"]
    assert sum(one["ties"] for one in heads) == 105
    assert sum(one["wins"] + one["losses"] for one in heads) == 422 + 472
    assert len(raters["people"]["strengths"]["systems"]) == 5


def test_vicuna_by_gpt4_and_by_people(dialeval: Command, shared_data: Path) -> None:
    folder = shared_data / "vicuna-faireval"
    files = (folder / "reviews.jsonl.gz", folder / "answers.jsonl.gz")
    raters = by_rater(told(dialeval, *files, "--from", "vicuna-reviews"))
    judge = raters["gpt-4"]
    assert value(judge["people"]["equal"]) == 0.525
    assert value(judge["people"]["kappa"]) == pytest.approx(0.228035, abs=SIX)
    (head,) = [one for one in judge["head_to_head"] if (one["a"], one["b"]) == ("gpt35", "vicuna-13b")]
    assert (head["wins"], head["losses"], head["ties"]) == (44, 14, 22)
    (people,) = raters["people"]["head_to_head"]
    assert (people["wins"], people["losses"], people["ties"]) == (41, 25, 14)
    best = judge["strengths"]["systems"][0]
    assert (best["system"], best["best_rank"], best["worst_rank"]) == ("gpt35", 1, 1)
    assert judge["flips"]["reason"] == "no pair has verdicts in two orders"


def test_cascaded_judges(dialeval: Command, shared_data: Path) -> None:
    path = shared_data / "cascaded-judges" / "pairs.jsonl.gz"
    raters = by_rater(told(dialeval, path, "--from", "cascaded-judges"))
    accuracy = {name: value(one["people"]["equal"]) for name, one in raters.items() if name in JUDGES}
    assert accuracy == pytest.approx(JUDGES, abs=SIX)
    assert raters["panel"]["pairs"] == 500
    assert raters["panel"]["people"]["equal"]["value"] > JUDGES["gpt-3.5-turbo"]
    assert raters["gpt-4-turbo"]["longer"]["n"] > 480  # the file has the answers


def test_tables_say_what_moves_the_verdicts(dialeval: Command, shared_data: Path) -> None:
    path = shared_data / "llmbar-runs" / "vanilla.jsonl.gz"
    done = dialeval("annotate", "preferences", path, "--from", "llmbar", "--criterion", "LLMBar/Natural")
    assert done.code == 0
    shown = " ".join(done.out.split())
    assert "GPT-4 Vanilla, LLMBar/Natural: what moves the verdicts" in shown
    assert "verdicts that do not survive the swap 0.050 [0.016, 0.113] 100" in shown
    assert "no system was named as one of the judge's own family" in shown


def test_a_name_that_is_not_there_is_refused_with_close_ones(dialeval: Command, shared_data: Path) -> None:
    path = shared_data / "cascaded-judges" / "pairs.jsonl.gz"
    for option, name in (("--people", "peeple"), ("--own", "11"), ("--criterion", "beter")):
        done = dialeval("annotate", "preferences", path, "--from", "cascaded-judges", option, name)
        assert done.code == 2
        assert f"called '{name}'" in done.err


@pytest.mark.parametrize(
    ("form", "line", "field"),
    [
        ("cascaded-judges", {"item": "1", "human": 1, "probs": {"j": [0.5]}}, "probs.j"),
        ("cascaded-judges", {"item": "1", "human": 3, "probs": {}}, "human"),
        ("cascaded-judges", {"item": "1", "human": 1}, "probs"),
        ("pandalm", {"idx": 1}, "result"),
        ("pandalm", {"idx": 1, "result": [1]}, "result"),
        (
            "llmbar",
            {"row": 1, "set": "s", "judge": "j", "prompt": "p", "label": 1, "winner": "1"},
            "winner_swapped",
        ),
        ("vicuna-reviews", {"item": "1", "system_1": "x", "system_2": "y", "score": [1]}, "score"),
        ("vicuna-reviews", {"item": "1", "system_1": "x", "score": [1, 2]}, "system_2"),
        ("vicuna-reviews", [1], ""),
    ],
)
def test_what_is_wrong_with_a_record_is_named(form: str, line: object, field: str, tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    path.write_text(json.dumps(line) + "\n")
    with pytest.raises(BadInput) as caught:
        read_recorded([path], form)
    assert (caught.value.field or "") == field
    assert caught.value.line == 1


def test_answers_alone_are_no_verdicts(shared_data: Path) -> None:
    with pytest.raises(BadInput, match="found no verdicts"):
        read_recorded([shared_data / "llmbar" / "pairs.jsonl"], "llmbar")
