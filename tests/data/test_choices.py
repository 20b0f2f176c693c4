"""What systems chose, read as judgements of the measure that asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.data import Judgement, read
from dialeval.errors import BadInput

CANDIDATES = [{"text": "a", "score": -1.0, "correct": True}, {"text": "b", "score": -2.0, "correct": False}]
CHOSEN = {"id": "q", "system": "s", "chosen": 0, "correct": True, "rank": 1, "candidates": CANDIDATES}


def written(folder: Path, *rows: dict[str, object]) -> Path:
    path = folder / "choices.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_choice_is_a_judgement_of_1_or_0_by_the_measure_that_asked(tmp_path):
    measure = "selection_consistency(normalise='mean')"
    rows = [CHOSEN, {**CHOSEN, "id": "r", "correct": False, "chosen": 1, "measure": measure}]
    assert list(read(written(tmp_path, *rows), "judgement")) == [
        Judgement("q", "s", "selection_accuracy", "selection_accuracy", 1.0),
        Judgement("r", "s", measure, "selection_consistency", 0.0),
    ]


def test_a_question_without_a_choice_has_no_value_but_a_reason(tmp_path):
    path = written(tmp_path, {"id": "q", "system": "s", "reason": "too long"})
    assert list(read(path, "judgement")) == [
        Judgement("q", "s", "selection_accuracy", "selection_accuracy", None, "too long")
    ]


def test_a_judgement_that_lacks_its_value_is_no_choice(tmp_path):
    broken = {"id": "q", "system": "s", "rater": "ann", "criterion": "overall", "reason": "asleep"}
    with pytest.raises(BadInput, match="field 'value'"):
        list(read(written(tmp_path, broken), "judgement"))


def test_a_choice_that_does_not_say_whether_it_was_right_is_refused(tmp_path):
    with pytest.raises(BadInput, match="line 1, field 'correct': found the text 'yes'"):
        list(read(written(tmp_path, {**CHOSEN, "correct": "yes"}), "judgement"))


def test_an_object_over_several_lines_is_not_taken_for_a_file_cut_short(tmp_path):
    path = tmp_path / "asked.json"
    path.write_text(json.dumps(CHOSEN, indent=1), encoding="utf-8")
    with pytest.raises(BadInput, match="an object that goes on in the next line"):
        list(read(path, "judgement"))
