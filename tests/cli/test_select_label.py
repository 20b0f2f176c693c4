"""``dialeval select label``: answers are read as what was asked, and the record says what became of them."""

from __future__ import annotations

import json
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


def fill(folder: Path, answers: str, *, raters: str = "abc") -> Path:
    """Answers to the tasks of a folder, one letter for each rater, the same about every task."""
    tasks = [one["task"] for one in rows(folder / "key.jsonl")]
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
