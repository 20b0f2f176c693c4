"""Tasks are blind, in an order of their own, and come back to where they came from."""

from __future__ import annotations

import csv
import json
from collections import Counter

import pytest

from dialeval.annotation.blind_items import numbered
from dialeval.annotation.forms import ACCEPTABILITY, candidate_ids
from dialeval.annotation.items import utterances_of
from dialeval.annotation.project import read_key, read_project
from dialeval.annotation.tasks import check_key, export_tasks
from dialeval.data import Candidate, Question, Turn
from dialeval.errors import BadInput, Unsuitable
from dialeval.selection.labelling.labelling import ERROR_CLASSES
from dialeval.selection.labelling.mistakes import mistake_form
from support.drafts import CONTEXT, question


def test_every_candidate_is_asked_about_once_and_the_order_hides_the_truth():
    drafts = [question(f"q{number}", 3) for number in range(200)]
    made = numbered(utterances_of(drafts), seed=3)
    assert len(made) == len({one.item.id for one in made}) == 800
    assert {(one.source.item, one.source.system) for one in made} == {
        (draft.item, name) for draft in drafts for name in candidate_ids(draft)
    }
    truths = Counter(one.item.id.partition("c")[2] for one in made if one.source.system == "ground_truth")
    assert set(truths) == {"1", "2", "3", "4"}
    assert all(30 <= count <= 70 for count in truths.values())  # 50 each by chance, within 3.3 sigma
    assert numbered(utterances_of(drafts), seed=3) == made
    assert numbered(utterances_of(drafts), seed=4) != made


def test_raters_see_neither_ids_nor_what_is_right(tmp_path):
    draft = question("dialogue-17", 3)
    where = export_tasks(utterances_of([draft]), tmp_path / "out", seed=1)
    assert where.tasks == 4
    assert [path.name for path in sorted((tmp_path / "out" / "for_raters").iterdir())] == [
        "tasks.csv",
        "tasks.jsonl",
    ]
    assert where.key.parent == tmp_path / "out"
    seen = "".join(path.read_text() for path in (where.csv, where.jsonl, tmp_path / "out" / "items.jsonl"))
    for secret in ("dialogue-17", "ground_truth", "false_", "correct"):
        assert secret not in seen.replace(", dialogue-17.", "")  # the candidates' own texts


def test_the_table_has_a_column_for_each_turn_and_room_for_the_answer(tmp_path):
    short = Question("s", CONTEXT[:1], (Candidate("=1+1\nis two", correct=True),))
    where = export_tasks(utterances_of([question("q", 1), short]), tmp_path)
    rows = list(csv.DictReader(where.csv.read_text().splitlines()))
    assert list(rows[0]) == [
        *("task", "turn_1", "turn_2", "turn_3", "candidate", "ask", "scale", "rater", "score")
    ]
    assert rows[0]["turn_2"] == "B: On the bus."
    assert rows[0]["candidate"].startswith("B: ")
    assert rows[0]["scale"].startswith("5 = ")
    assert rows[2]["turn_2"] == rows[2]["turn_3"] == ""
    # A formula to a spreadsheet, were it not for the speaker; and no line break in any cell.
    assert rows[2]["candidate"] == "B: =1+1 is two"
    assert len(where.csv.read_text().splitlines()) == 4
    line = json.loads(where.jsonl.read_text().splitlines()[0])
    assert line["context"] == ["A: Where are you?", "B: On the bus.", "A: When are you here?"]
    assert set(line["scale"]) == set("012345")


def test_speakers_are_letters_and_the_candidate_is_the_others(tmp_path):
    names = (Turn("user", "one", "m"), Turn("user", "two", "f"), Turn("user", "three", "m"))
    where = export_tasks(utterances_of([Question("q", names, (Candidate("four", correct=True),))]), tmp_path)
    line = json.loads(where.jsonl.read_text())
    assert [*line["context"], line["candidate"]] == ["A: one", "B: two", "A: three", "B: four"]
    bare = utterances_of([Question("q", (), (Candidate("four", correct=True),))])
    where = export_tasks(bare, tmp_path / "bare")
    assert json.loads(where.jsonl.read_text())["candidate"] == "A: four"


def test_false_candidates_may_be_asked_about_alone():
    asked = utterances_of([question("q", 3)], false_only=True)
    assert {one.system for one in asked} == {"false_1", "false_2", "false_3"}


@pytest.mark.parametrize("form", [ACCEPTABILITY, ERROR_CLASSES, mistake_form()])
def test_tasks_are_a_study_that_asks_the_form(tmp_path, form):
    export_tasks(utterances_of([question("q", 2)]), tmp_path / "out", form=form)
    project = read_project(tmp_path / "out")
    (ask,) = project.settings.asks
    assert (ask.criterion, ask.text, project.settings.overlap) == (form.criterion, form.ask, form.raters)
    assert sorted(ask.options, key=str) == sorted(form.options, key=str)
    assert {(one.item, one.system) for one in project.sources.values()} == {
        ("q", name) for name in ("ground_truth", "false_1", "false_2")
    }
    with pytest.raises(BadInput, match="a rating study"):
        export_tasks(utterances_of([question("q", 2)]), tmp_path / "out", form=form)


def test_the_turn_that_a_response_is_held_against_is_marked(tmp_path):
    said = [one._replace(marked=1) for one in utterances_of([question("q", 1)])]
    where = export_tasks(said, tmp_path / "out")
    line = json.loads(where.jsonl.read_text().splitlines()[0])
    assert line["context"] == ["A: Where are you?", "B: >> On the bus. <<", "A: When are you here?"]
    assert {item.marked for item in read_project(tmp_path / "out").items.values()} == {1}


def test_the_key_comes_back_and_is_held_against_the_draft(tmp_path):
    draft = question("q", 2)
    where = export_tasks(utterances_of([draft]), tmp_path / "out")
    key = read_key(where.key)
    check_key(key, utterances_of([draft]))
    other = Question("q", CONTEXT, (*draft.candidates[:-1], Candidate("Changed.", correct=False)))
    with pytest.raises(
        Unsuitable, match=r"1 of 3 tasks show something else \(first: q1c\d, false_2 of 'q'\)"
    ):
        check_key(key, utterances_of([other]))
    with pytest.raises(BadInput, match=r"no such file.*key\.jsonl"):
        read_key(tmp_path / "nowhere.jsonl")
    (tmp_path / "bad.jsonl").write_text('{"task": "q1c1"}\n')
    with pytest.raises(BadInput, match="line 1, field 'id'"):
        read_key(tmp_path / "bad.jsonl")


def test_no_candidate_is_an_error():
    with pytest.raises(Unsuitable, match="No candidates to ask about"):
        numbered([])


def test_candidates_are_called_as_in_the_published_scores():
    assert candidate_ids(question("q", 2)) == ("ground_truth", "false_1", "false_2")
    both = Question("q", (), (Candidate("a", True), Candidate("b", False), Candidate("c", True)))
    assert candidate_ids(both) == ("ground_truth_1", "false_1", "ground_truth_2")


@pytest.mark.parametrize(
    ("written", "value"), [("3", 3), (" 5.0 ", 5), ("Hardly", 2), ("6", None), ("3.5", None)]
)
def test_answers_are_numbers_or_labels(written, value):
    assert ACCEPTABILITY.value_of(written) == value
    assert ACCEPTABILITY.values == (5, 4, 3, 2, 1, 0)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("clearly yes: it fits this conversation", 5),
        ("Clearly yes.", 5),
        ("5 = clearly yes: it fits this conversation", 5),
        ("yes, it  fits", 4),
        ("Not at all.", 1),
        ("it is not a well-formed sentence, so that the question does not arise", 0),
        ("5,0", 5),
        ("3,5", None),
        ("it fits", None),
        ("", None),
    ],
)
def test_what_raters_see_may_be_written_as_they_see_it(written, value):
    assert ACCEPTABILITY.value_of(written) == value


@pytest.mark.parametrize("form", [ACCEPTABILITY, ERROR_CLASSES, mistake_form()])
def test_no_two_answers_of_a_form_can_be_written_alike(form):
    written = [one for option in form.options for one in option.spellings]
    assert len(written) == len(set(written))
    assert [form.value_of(one) for one in form.scale.split("; ")] == list(form.values)


def test_a_key_says_which_form_was_asked_and_answers_are_read_as_no_other(tmp_path):
    draft = question("q", 2)
    where = export_tasks(utterances_of([draft]), tmp_path / "out", form=mistake_form())
    key = read_key(where.key)
    assert {entry.criteria for entry in key.values()} == {("mistake",)}
    check_key(key, utterances_of([draft]), form=mistake_form())
    with pytest.raises(
        Unsuitable,
        match=r"asked 'mistake', and their answers are to be read as 'error_class'\. Read them with "
        r"'dialeval select label --form mistake'",
    ):
        check_key(key, utterances_of([draft]), form=ERROR_CLASSES)
    fit = export_tasks(utterances_of([draft]), tmp_path / "fit")
    with pytest.raises(Unsuitable, match=r"asked 'acceptability'.*'dialeval select vet'"):
        check_key(read_key(fit.key), utterances_of([draft]), form=ERROR_CLASSES)
    mixed = {**{f"{task}x": entry for task, entry in read_key(fit.key).items()}, **key}
    with pytest.raises(Unsuitable, match=r"asked 'acceptability', 'mistake'.*one form at a time"):
        check_key(mixed, utterances_of([draft]), form=mistake_form())


def test_an_empty_key_is_an_error_of_its_own(tmp_path):
    (tmp_path / "key.jsonl").write_text("")
    with pytest.raises(BadInput, match="found no line, expected the key to the tasks"):
        read_key(tmp_path / "key.jsonl")
