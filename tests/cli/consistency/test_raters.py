"""Raters of answers to probes: all answers on one page, a test with known values, and what labels are made into."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import closing
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from dialeval.annotation.invitations import invite
from dialeval.annotation.project import read_project
from support.rating_studies import answer_as, served

CONTEXT = ["Hi!", "I have two dogs.", "Nice. What are your dogs called?"]
SAID = {
    "denies": "I have no dogs.",
    "names": "Rex and Bella.",
    "doubts": "Which dogs do you mean?",
}
VOTES = {"I have no dogs.": "abc", "Rex and Bella.": "", "Which dogs do you mean?": "a"}
"""Who calls a response contradictory."""
LABELS = {"denies": "contradiction", "names": "consistent", "doubts": "ambiguous"}


def put(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def answer(probe, system, text, *, draw="top"):
    context = [
        {"role": ("user", "assistant")[place % 2], "content": f"{said} ({probe})"}
        for place, said in enumerate(CONTEXT)
    ]
    response = {"text": f"{text} ({probe})"}
    about = {"referent": 1, "kind": "follow-up", "draw": draw, "candidates": 1, "chosen": None}
    return {"id": probe, "system": system, "context": context, "response": response, **about}


def vote(rater, text):
    return int(rater in VOTES[text.rpartition(" (")[0]])


@pytest.fixture
def answers(tmp_path):
    """Three systems that answer three probes; a fourth probe is answered by one of them only."""
    rows = [answer(f"p{n}", system, text) for n in range(3) for system, text in SAID.items()]
    rows.append(answer("alone", "denies", SAID["denies"]))
    put(tmp_path / "answers.jsonl", rows)
    return rows


def run(dialeval, line):
    done = dialeval(*line.split())
    assert done.code == 0, (line, done.err)
    return done


ABC = "--rater a --rater b --rater c"


def test_answers_judged_together_are_labelled_each_by_its_own_votes(dialeval, answers, tmp_path):
    made = run(dialeval, f"annotate init answers.jsonl -o ratings --together --block 2 {ABC} --overlap 3")
    assert "4 items" in made.out
    assert {len(row["candidates"]) for row in read(tmp_path / "ratings/items.jsonl")} == {1, 3}
    met = answer_as(tmp_path / "ratings", vote)
    assert {rater: len(pages) for rater, pages in met.items()} == {"a": 2, "b": 2, "c": 2}, (
        "a block of two pages"
    )
    study = json.loads((tmp_path / "ratings/study.json").read_text())
    (tmp_path / "ratings/study.json").write_text(json.dumps({**study, "block": None}))
    answer_as(tmp_path / "ratings", vote)
    run(dialeval, "annotate export ratings -o judged.jsonl")
    told = json.loads(
        run(dialeval, "consistency label answers.jsonl --scores judged.jsonl -o labelled.jsonl --json").out
    )
    assert told["unusable_answers"] == {}
    rows = read(tmp_path / "labelled.jsonl")
    assert {(row["id"], row["system"]): (row["label"], row["votes"], row["raters"]) for row in rows} == {
        (row["id"], row["system"]): (LABELS[row["system"]], len(VOTES[SAID[row["system"]]]), 3)
        for row in answers
    }


def test_every_answer_on_a_page_has_the_two_labels_beside_it(dialeval, answers, tmp_path):
    run(dialeval, f"annotate init answers.jsonl -o ratings --together {ABC} --overlap 3")
    project = read_project(tmp_path / "ratings")
    shown = {}
    with served(project) as (address, store), closing(store):
        for rater in project.settings.raters:
            browser = build_opener(HTTPCookieProcessor())
            page = browser.open(address + invite(project, store, rater).path, timeout=60).read().decode()
            names = re.findall(r'name="contradiction\.value_(\w+)" value="([01])"', page)
            shown[re.search(r'data-item="(\w+)"', page)[1]] = (page, names)
    for item, (page, names) in shown.items():
        candidates = [candidate.id for candidate in project.items[item].candidates]
        assert sorted(names) == sorted((name, value) for name in candidates for value in "10")
        for label in ("contradictory", "consistent"):
            assert page.count(f'dir="auto">{label}</span>') == len(candidates)
        for candidate in project.items[item].candidates:
            assert page.count(candidate.text) == 1
        assert page.count("turn assistant marked") == 1


def test_a_page_with_one_answer_can_be_answered(dialeval, answers, tmp_path):
    put(tmp_path / "one.jsonl", answers[-1:])
    run(dialeval, f"annotate init one.jsonl -o ratings --together {ABC} --overlap 3")
    project = read_project(tmp_path / "ratings")
    with served(project) as (address, store), closing(store):
        path = invite(project, store, "a").path
        page = build_opener(HTTPCookieProcessor()).open(address + path, timeout=60).read().decode()
    assert len(re.findall(r'type="radio" name="contradiction\.value_\w+"', page)) == 2
    assert page.count("I have no dogs. (alone)") == 1


def test_unanimous_answers_test_raters_with_as_many_contradictions_as_others(dialeval, tmp_path):
    order = ["denies"] * 4 + ["names"] * 4 + ["doubts"]
    put(tmp_path / "answers.jsonl", [answer(f"p{n}", system, SAID[system]) for n, system in enumerate(order)])
    run(dialeval, f"annotate init answers.jsonl -o pilot {ABC} --overlap 3")
    answer_as(tmp_path / "pilot", vote)
    run(dialeval, "annotate export pilot -o pilot.jsonl")
    run(dialeval, "consistency label answers.jsonl --scores pilot.jsonl -o labelled.jsonl --gold known.jsonl")
    known = read(tmp_path / "known.jsonl")
    assert [row["value"] for row in known] == [1, 0] * 4, "without the one that raters differ on, in turn"
    raters = "--rater careful --rater second --rater always"
    test = "--gold known.jsonl --qualify 4 --pass 0.75"
    run(dialeval, f"annotate init answers.jsonl -o ratings {raters} --overlap 2 {test}")
    key = {row["id"]: row for row in read(tmp_path / "ratings/key.jsonl")}
    tested = [row["item"] for row in key.values() if row["role"] == "qualification"]
    assert tested == [row["item"] for row in known[:4]]

    def judge(rater, text):
        return 1 if rater == "always" else vote("b", text)

    met = answer_as(tmp_path / "ratings", judge)
    assert {key[item]["role"] for item in met["always"]} == {"qualification"}, "half of the test wrong"
    assert len(met["careful"]) == len(order)
    run(dialeval, "annotate export ratings -o judged.jsonl")
    assert {row["rater"] for row in read(tmp_path / "judged.jsonl")} == {"careful", "second"}
    both = "--scores pilot.jsonl --scores judged.jsonl"
    run(dialeval, f"consistency label answers.jsonl {both} -o both.jsonl")
    rated = {row["item"] for row in key.values() if row["role"] == "rating"}
    assert {row["id"]: row["raters"] for row in read(tmp_path / "both.jsonl")} == {
        f"p{n}": 5 if f"p{n}" in rated else 3 for n in range(len(order))
    }


def test_known_values_need_people(dialeval, answers, tmp_path):
    done = dialeval(
        "consistency", "label", "answers.jsonl", "--by-detector", "--gold", "k.jsonl", "-o", "l.jsonl"
    )
    assert done.code == 2
    assert "known values are those of people" in done.err


def test_answers_together_are_of_probes(dialeval, tmp_path):
    done = dialeval("annotate", "init", "nothing.jsonl", "-o", "ratings", "--together")
    assert (done.code, "no such file" in done.err) == (1, True), done.err
    put(tmp_path / "examples.jsonl", [{"id": "1", "system": "s", "context": [], "response": "Hello."}])
    done = dialeval("annotate", "init", "examples.jsonl", "-o", "ratings", "--together")
    assert (done.code, "answers to probes" in done.err) == (1, True), done.err


def test_a_random_draw_counts_the_same_answer_once_for_raters(dialeval, tmp_path):
    both = [answer("p", "names", SAID["names"], draw=draw) for draw in ("top", "random")]
    put(tmp_path / "answers.jsonl", both)
    run(dialeval, f"annotate init answers.jsonl -o ratings --together {ABC} --overlap 3")
    answer_as(tmp_path / "ratings", vote)
    run(dialeval, "annotate export ratings -o judged.jsonl")
    run(dialeval, "consistency label answers.jsonl --scores judged.jsonl -o labelled.jsonl")
    assert Counter(row["draw"] for row in read(tmp_path / "labelled.jsonl")) == {"top": 1, "random": 1}
