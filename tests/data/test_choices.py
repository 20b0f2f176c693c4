"""Choices written and read back."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from dialeval.data import Candidate, Judgement, Question, Turn, read
from dialeval.data.choices import Choice, ChoiceRow, NoChoice, read_choices, status_line, write_choices
from dialeval.errors import BadInput

QUESTION = Question(
    "q1",
    (Turn("user", "When?", name="Ann"),),
    (Candidate("At noon.", True), Candidate("It is red.", False, "irrelevant")),
    "vetted",
)
ROWS = [
    ChoiceRow("selection_accuracy", Choice(QUESTION, "fair", (-1.5, -math.inf))),
    ChoiceRow("selection_accuracy", Choice(QUESTION, "poor", (-3.0, -2.0))),
    ChoiceRow("selection_accuracy", NoChoice("q1", "mute", "vetted", "it is too long")),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_choices(tmp_path / "choices.jsonl", ROWS)
    return tmp_path / "choices.jsonl"


def test_rows_are_read_back_as_they_were_written(file: Path) -> None:
    assert list(read_choices(file)) == ROWS
    assert [row.status for row in ROWS] == ["vetted"] * 3


def test_a_line_says_what_was_chosen_among_what(file: Path) -> None:
    first, second, last = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    assert list(first) == [
        *("measure", "id", "system", "status", "chosen", "correct", "rank", "context", "candidates")
    ]
    assert (first["chosen"], first["correct"], first["rank"]) == (0, True, 1)
    assert first["candidates"][1] == {
        "text": "It is red.",
        "score": None,
        "correct": False,
        "error": "irrelevant",
    }
    assert (second["chosen"], second["correct"], second["rank"]) == (1, False, 2)
    assert last == {
        "measure": "selection_accuracy",
        "id": "q1",
        "system": "mute",
        "status": "vetted",
        "reason": "it is too long",
    }


def test_choices_are_judgements_of_the_measure_that_asked(file: Path) -> None:
    name = "selection_accuracy"
    assert list(read(file, "judgement")) == [
        Judgement("q1", "fair", name, name, 1.0),
        Judgement("q1", "poor", name, name, 0.0),
        Judgement("q1", "mute", name, name, None, "it is too long"),
    ]


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "choices.jsonl"
    file.write_text('{"id": \n')
    with pytest.raises(BadInput) as error:
        list(read_choices(file))
    assert error.value.line == 1
    file.write_text('{"measure": "m", "id": "q", "system": "s", "status": "maybe", "reason": "none"}\n')
    with pytest.raises(BadInput) as error:
        list(read_choices(file))
    assert (error.value.line, error.value.field) == (1, "status")


@pytest.mark.parametrize(
    ("statuses", "line"),
    [
        (["vetted"], "vetted: raters have looked at every candidate"),
        (
            ["unvetted"] * 2,
            "unvetted: nobody has looked at the candidates, so some false ones may be acceptable",
        ),
        ([None], "vetting unknown: nothing says whether raters have looked at the candidates"),
        (["vetted", "unvetted", None], "1 questions vetted by raters, 1 unvetted, 1 of unknown status"),
    ],
)
def test_the_status_is_said_in_words(statuses, line):
    assert status_line([Question("q", (), (), status) for status in statuses]) == line
