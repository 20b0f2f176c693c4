"""``dialeval select label``: answers are read as what was asked, and the record says what became of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from dialeval.data import Candidate, Question, Turn, write


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def asked(tmp_path) -> Path:
    false = tuple(Candidate(f"Minute {number}.", correct=False) for number in (1, 2, 3))
    questions = [
        Question(
            f"q{at}",
            (Turn("user", f"When, {at}?"),),
            (Candidate(f"At {at}.", correct=True), *false),
            "vetted",
        )
        for at in range(4)
    ]
    write(tmp_path / "questions.jsonl", questions)
    return tmp_path / "questions.jsonl"


def fill(folder: Path, answers: Sequence[str], *, raters: str = "abc") -> Path:
    """Answers to the tasks of a folder, one for each rater, the same about every task."""
    tasks = [one["id"] for one in rows(folder / "key.jsonl")]
    lines = [
        f"{task},{rater},{answer}" for task in tasks for rater, answer in zip(raters, answers, strict=True)
    ]
    filled = folder / "filled.csv"
    filled.write_text("\n".join(["task,rater,score", *lines]) + "\n", encoding="utf-8")
    return filled


def test_answers_to_one_form_are_not_read_as_anothers(dialeval, asked, tmp_path):
    dialeval("select", "tasks", asked, "--form", "mistake", "-o", "tasks")
    given = ("--scores", fill(tmp_path / "tasks", "222"), "--key", "tasks/key.jsonl", "-o", "labelled")
    done = dialeval("select", "label", asked, *given)
    assert done.code == 1
    assert "asked 'mistake'" in " ".join(done.err.split())
    assert not (tmp_path / "labelled").exists()
    right = dialeval("select", "label", asked, "--form", "mistake", *given)
    assert right.code == 0, right.err


def test_the_record_names_what_has_no_label_and_what_was_not_used(dialeval, asked, tmp_path):
    dialeval("select", "tasks", asked, "--form", "error_class", "-o", "tasks")
    filled = fill(tmp_path / "tasks", "112")
    lines = filled.read_text().splitlines()
    lines[2:4] = [lines[2].replace(",1", ",3"), lines[3].replace(",2", ",odd")]
    filled.write_text("\n".join(lines) + "\n")
    done = dialeval(
        "select", "label", asked, "--scores", filled, "--key", "tasks/key.jsonl", "-o", "labelled"
    )
    assert done.code == 0, done.err
    record = json.loads((tmp_path / "labelled/labelling.json").read_text(encoding="utf-8"))
    (undecided,) = record["undecided"]
    (unusable,) = record["unusable"]
    first = rows(tmp_path / "tasks/key.jsonl")[0]
    assert (undecided["question"], undecided["candidate"]) == (first["item"], first["system"])
    assert undecided["votes"] == ["contradictory", "other"]
    assert (unusable["fault"], unusable["found"], unusable["line"]) == ("not an answer of the form", "odd", 4)
    assert record["labels"] == {"contradictory": 11, "irrelevant": 0, "other": 0}
    assert (record["form"], record["at_least"], record["unasked"]) == ("error_class", 2, 0)
    assert record["consistency_questions"] == 11
    assert -1 <= record["kappa"] <= 1
    assert "(first: " in done.out


def test_no_usable_answer_is_an_error_and_not_a_set_without_labels(dialeval, asked, tmp_path):
    dialeval("select", "tasks", asked, "--form", "error_class", "-o", "tasks")
    filled = fill(tmp_path / "tasks", ["", "what?", "?"])
    done = dialeval(
        "select", "label", asked, "--scores", filled, "--key", "tasks/key.jsonl", "-o", "labelled"
    )
    said = " ".join(done.err.split())
    assert done.code == 1
    assert "No answer could be used. 24 answers not used: not an answer of the form (first: " in said
    assert "12 answers not used: no answer" in said
    assert "a whole number from 1 to 3" in said
    assert not (tmp_path / "labelled").exists()


def test_questions_on_consistency_go_where_no_label_makes_any(dialeval, asked, tmp_path):
    dialeval("select", "tasks", asked, "--form", "error_class", "-o", "tasks")
    for answers, there in (("111", True), ("333", False)):
        given = ("--scores", fill(tmp_path / "tasks", answers), "--key", "tasks/key.jsonl", "-o", "labelled")
        done = dialeval("select", "label", asked, *given)
        assert done.code == 0, done.err
        assert (tmp_path / "labelled/consistency.jsonl").exists() == there


def test_labels_that_were_there_before_are_told_from_the_raters(dialeval, asked, tmp_path):
    before = asked.read_text(encoding="utf-8").replace(
        '"Minute 1.","correct":false', '"Minute 1.","correct":false,"error":"rude"'
    )
    asked.write_text(before, encoding="utf-8")
    dialeval("select", "tasks", asked, "--form", "mistake", "-o", "tasks")
    for answers, labels, old in (("123", {"rude": 4}, 4), ("222", {"insufficient": 12}, 0)):
        given = ("--scores", fill(tmp_path / "tasks", answers), "--key", "tasks/key.jsonl", "-o", "labelled")
        done = dialeval("select", "label", asked, "--form", "mistake", *given, "--json")
        told = json.loads(done.out)
        assert (told["labels"], told["labelled_before"]) == (labels, old)


def test_labels_of_unvetted_questions_say_so(dialeval, asked, tmp_path):
    text = asked.read_text(encoding="utf-8").replace('"vetted"', '"unvetted"')
    (tmp_path / "drafted.jsonl").write_text(text, encoding="utf-8")
    dialeval("select", "tasks", "drafted.jsonl", "--form", "mistake", "-o", "tasks")
    given = ("--scores", fill(tmp_path / "tasks", "222"), "--key", "tasks/key.jsonl", "-o", "labelled")
    done = dialeval("select", "label", "drafted.jsonl", "--form", "mistake", *given)
    assert done.code == 0, done.err
    assert "Unvetted: nobody has looked at the candidates" in done.err


def test_a_key_beside_a_guess_is_refused(dialeval, asked):
    done = dialeval("select", "label", asked, "--guess", "--key", "key.jsonl", "-o", "labelled")
    assert done.code == 2
    assert "--key" in done.err
