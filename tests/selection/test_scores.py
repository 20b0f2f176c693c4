"""Answers from tables and judgements; whatever cannot be used is named."""

from __future__ import annotations

import csv

import pytest
from drafts import question

from dialeval.data import Judgement, write
from dialeval.errors import BadInput, Unsuitable
from dialeval.selection.scores import collect, read_answers
from dialeval.selection.tasks import export_tasks, make_tasks, read_key

DRAFT = question("q", 2)


@pytest.fixture
def exported(tmp_path):
    return export_tasks([DRAFT], tmp_path / "out")


def fill(exported, path, answers, *, columns=None):
    """A copy of the exported table, with these cells written over it by row."""
    rows = list(csv.DictReader(exported.csv.read_text().splitlines()))
    header = list(rows[0]) if columns is None else columns
    with path.open("w", newline="") as handle:
        writer = csv.DictWriter(handle, header, extrasaction="ignore")
        writer.writeheader()
        writer.writerows({**row, **more} for row, more in zip(rows, answers, strict=True))
    return path


def test_a_filled_in_copy_gives_judgements_under_the_files_name(exported, tmp_path):
    path = fill(exported, tmp_path / "ana.csv", [{"score": "5"}, {"score": "no"}, {"score": "0"}])
    key = read_key(exported.key)
    found = read_answers(path, key=key)
    assert found.problems == ()
    assert [(one.item, one.rater, one.criterion, one.value) for one in found.judgements] == [
        ("q", "ana", "acceptability", 5.0),
        ("q", "ana", "acceptability", 1.0),
        ("q", "ana", "acceptability", 0.0),
    ]
    assert [one.system for one in found.judgements] == [key[f"q1c{n}"].candidate for n in (1, 2, 3)]


def test_a_platforms_table_is_read_and_rejected_work_is_not_counted(tmp_path):
    path = tmp_path / "batch.csv"
    path.write_text(
        "HITId,WorkerId,AssignmentStatus,Input.task,Answer.score\n"
        "h1,W1,Approved,q1c1,4\nh1,W2,Rejected,q1c1,5\nh2,W1,Submitted,q1c2,9\nh3,W1,Approved,q9c9,1\nh4,W3,Approved,q1c3,\n"
    )
    key = {entry.task: entry for entry in make_tasks([DRAFT]).key}
    found = read_answers(path, key=key)
    assert [(one.rater, one.value) for one in found.judgements] == [("W1", 4.0)]
    assert [tuple(one) for one in found.problems] == [
        ("rejected", "q1c1", "W2", "5"),
        ("not an answer of the form", "q1c2", "W1", "9"),
        ("unknown task", "q9c9", "W1", "1"),
        ("no answer", "q1c3", "W3", "a blank cell"),
    ]


def test_a_column_for_each_rater_is_read_too(exported, tmp_path):
    columns = ["task", "turn_1", "candidate", "ana", "ben"]
    cells = [{"ana": "5", "ben": "4"}, {"ana": "1", "ben": "2"}, {"ana": "0", "ben": ""}]
    found = read_answers(
        fill(exported, tmp_path / "both.csv", cells, columns=columns), key=read_key(exported.key)
    )
    assert [(one.rater, one.value) for one in found.judgements] == [
        *(("ana", 5.0), ("ben", 4.0), ("ana", 1.0), ("ben", 2.0), ("ana", 0.0))
    ]
    assert [(one.fault, one.rater) for one in found.problems] == [("no answer", "ben")]


@pytest.mark.parametrize("name", ["scores.jsonl", "scores.csv", "scores.tsv"])
def test_judgements_may_name_tasks_or_candidates(tmp_path, name):
    entry = make_tasks([DRAFT]).key[0]
    named = Judgement(entry.question, entry.candidate, "ana", "acceptability", 3.0)
    write(tmp_path / name, [Judgement(entry.task, "", "ana", "acceptability", 3.0), named])
    found = read_answers(tmp_path / name, key={entry.task: entry})
    assert found.judgements == (named, named)


def test_tables_without_key_or_answers_say_what_is_missing(exported, tmp_path):
    with pytest.raises(Unsuitable, match=r"Give the key\.jsonl"):
        read_answers(exported.csv)
    (tmp_path / "odd.csv").write_text("id,mark\n1,2\n")
    with pytest.raises(BadInput, match=r"found the columns id, mark, needed a column 'task'"):
        read_answers(tmp_path / "odd.csv", key={})
    (tmp_path / "bare.csv").write_text("task,candidate\nq1c1,text\n")
    with pytest.raises(BadInput, match="needed a column 'score', or one for each rater"):
        read_answers(tmp_path / "bare.csv", key={})
    (tmp_path / "empty.csv").write_text("task,score\n")
    with pytest.raises(BadInput, match="found no row"):
        read_answers(tmp_path / "empty.csv", key={})


def test_every_judgement_is_an_answer_or_a_problem():
    def judged(system="false_1", rater="r1", criterion="acceptability", value=1.0, reason=None):
        return Judgement("q", system, rater, criterion, value, reason)

    given = [
        judged(),
        judged(value=5.0),
        judged(criterion="fluency"),
        judged(system="false_3"),
        judged(rater="r2", value=None, reason="N/A"),
        judged(rater="r3", value=-1.0),
        judged(rater="r4", value=1.5),
    ]
    found = collect([DRAFT], given)
    assert found.votes("q", "false_1").scores == (1,)
    assert found.votes("q", "false_1").absent == 4
    assert found.votes("q", "false_2", raters=3).absent == 3
    assert [one.fault for one in found.problems] == [
        "second answer",
        "other criterion",
        "unknown candidate",
        "no answer",
        "not an answer of the form",
        "not an answer of the form",
    ]
    assert found.faults["not an answer of the form"] == 2
    assert found.problems[3].found == "N/A"
