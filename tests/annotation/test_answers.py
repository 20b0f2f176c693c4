"""Answers from tables and judgements; whatever cannot be used is named."""

from __future__ import annotations

import csv
import json

import pytest

from dialeval.annotation.answers import fault_counts, read_answers, usable
from dialeval.annotation.blind_items import numbered
from dialeval.annotation.items import utterances_of
from dialeval.annotation.project import read_key
from dialeval.annotation.tasks import export_tasks
from dialeval.data import Candidate, Judgement, Question, Turn, write
from dialeval.errors import BadInput, Unsuitable
from dialeval.selection.labelling.labelling import ERROR_CLASSES
from dialeval.selection.labelling.mistakes import mistake_form
from support.drafts import question

DRAFT = question("q", 2)
ASKED = utterances_of([DRAFT])


@pytest.fixture
def exported(tmp_path):
    return export_tasks(ASKED, tmp_path / "out")


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
    assert found.unusable == ()
    assert [(one.item, one.rater, one.criterion, one.value) for one in found.judgements] == [
        ("q", "ana", "acceptability", 5.0),
        ("q", "ana", "acceptability", 1.0),
        ("q", "ana", "acceptability", 0.0),
    ]
    assert [one.system for one in found.judgements] == [key[f"q1c{n}"].system for n in (1, 2, 3)]


def test_a_platforms_table_is_read_and_rejected_work_is_not_counted(tmp_path):
    path = tmp_path / "batch.csv"
    path.write_text(
        "HITId,WorkerId,AssignmentStatus,Input.task,Answer.score\n"
        "h1,W1,Approved,q1c1,4\nh1,W2,Rejected,q1c1,5\nh2,W1,Submitted,q1c2,9\nh3,W1,Approved,q9c9,1\nh4,W3,Approved,q1c3,\n"
    )
    key = {source.id: source for _, source in numbered(ASKED)}
    found = read_answers(path, key=key)
    assert [(one.rater, one.value) for one in found.judgements] == [("W1", 4.0)]
    assert [tuple(one) for one in found.unusable] == [
        ("rejected", "q1c1", "W2", "5", str(path), 3),
        ("not an answer of the form", "q1c2", "W1", "9", str(path), 4),
        ("unknown task", "q9c9", "W1", "1", str(path), 5),
        ("no answer", "q1c3", "W3", "an empty cell", str(path), 6),
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
    assert [(one.fault, one.rater) for one in found.unusable] == [("no answer", "ben")]


def test_columns_of_raters_count_where_the_exported_score_is_left_blank(exported, tmp_path):
    columns = ["task", "turn_1", "candidate", "ask", "scale", "rater", "score", "ana", "ben"]
    cells = [{"ana": "5", "ben": "4"}, {"ana": "1", "ben": "2"}, {"ana": "0", "ben": "1"}]
    path = fill(exported, tmp_path / "both.csv", cells, columns=columns)
    found = read_answers(path, key=read_key(exported.key))
    assert [(one.rater, one.value) for one in found.judgements[:3]] == [
        *(("ana", 5.0), ("ben", 4.0), ("ana", 1.0))
    ]
    assert (len(found.judgements), found.unusable) == (6, ())
    # One score in that column, and what else there is are remarks.
    cells[0]["score"] = "3"
    found = read_answers(
        fill(exported, tmp_path / "own.csv", cells, columns=columns), key=read_key(exported.key)
    )
    assert [(one.rater, one.value) for one in found.judgements] == [("own", 3.0)]
    assert [one.fault for one in found.unusable] == ["no answer"] * 2


@pytest.mark.parametrize(
    ("more", "raters"),
    [
        (
            [{"rater": "ana", "score": 5}, {"rater": "ana", "score": "no"}, {"rater": "ana", "score": None}],
            "ana",
        ),
        ([{"score": 5}, {"score": 1.0}, {}], "filled"),
        ([{"ben": 5}, {"ben": 1}, {"ben": ""}], "ben"),
    ],
)
def test_tasks_of_json_lines_are_filled_in_as_those_of_the_table(exported, tmp_path, more, raters):
    tasks = [json.loads(line) for line in exported.jsonl.read_text().splitlines()]
    path = tmp_path / "filled.jsonl"
    path.write_text("".join(json.dumps({**a, **b}) + "\n" for a, b in zip(tasks, more, strict=True)))
    found = read_answers(path, key=read_key(exported.key), utterances=ASKED)
    assert [(one.rater, one.value) for one in found.judgements] == [(raters, 5.0), (raters, 1.0)]
    assert [(one.fault, one.item, one.line) for one in found.unusable] == [("no answer", "q1c3", 3)]


class TestWhatWasShown:
    def test_answers_about_other_texts_are_set_aside_and_named(self, exported, tmp_path):
        cells = [{"score": "5"}, {"score": "1", "candidate": "B: Something else."}, {"score": "1"}]
        path = fill(exported, tmp_path / "ana.csv", cells)
        found = read_answers(path, key=read_key(exported.key))
        assert [one.value for one in found.judgements] == [5.0, 1.0]
        assert [tuple(one) for one in found.unusable] == [
            ("another text", "q1c2", "ana", "B: Something else.", str(path), 3)
        ]

    def test_a_file_that_mostly_shows_other_texts_is_refused_whole(self, exported, tmp_path):
        other = export_tasks(utterances_of([question("r", 2)]), tmp_path / "other")
        path = fill(other, tmp_path / "ana.csv", [{"score": "5"}] * 3)
        with pytest.raises(
            Unsuitable,
            match=r"ana\.csv answers other tasks: 3 of 3 answers are about another text than was "
            r"exported \(first: line 2, task q1c1: 'B: In ten minutes\.'\)\. Give the key\.jsonl",
        ):
            read_answers(path, key=read_key(exported.key))

    def test_the_same_candidate_after_another_context_is_another_text(self, exported, tmp_path):
        cells = [{"score": "5", "turn_2": "B: In the car."}] * 3
        path = fill(exported, tmp_path / "ana.csv", cells)
        assert len(read_answers(path, key=read_key(exported.key)).judgements) == 3
        with pytest.raises(Unsuitable, match=r"3 of 3 answers.*'B: In the car\.'"):
            read_answers(path, key=read_key(exported.key), utterances=ASKED)

    def test_a_platforms_columns_are_compared_too(self, exported, tmp_path):
        key = read_key(exported.key)
        line = f"h,W1,q1c1,{key['q1c1'].text!r},5\n".replace("'", '"')
        head = "HITId,WorkerId,Input.task,Input.candidate,Answer.score\n"
        (tmp_path / "same.csv").write_text(head + line)
        assert len(read_answers(tmp_path / "same.csv", key=key).judgements) == 1
        (tmp_path / "other.csv").write_text(head + "h,W1,q1c1,B: Else.,5\n")
        with pytest.raises(Unsuitable, match="1 of 1 answers"):
            read_answers(tmp_path / "other.csv", key=key)

    def test_what_spreadsheets_do_to_a_text_is_no_other_text(self, tmp_path):
        said = "I\u2019m  late \u2026 caf\u00e9?"
        draft = Question("q", (Turn("user", "Où?"),), (Candidate(said, correct=True),))
        exported = export_tasks(utterances_of([draft]), tmp_path / "out")
        spoilt = f"B: {said}".encode().decode("cp1252")
        for cell in (spoilt, f"b: {said}".upper(), said, "B: I'm late ... caf?"):
            path = fill(exported, tmp_path / "ana.csv", [{"score": "5", "candidate": cell}])
            found = read_answers(path, key=read_key(exported.key), utterances=utterances_of([draft]))
            assert (len(found.judgements), found.unusable) == (1, ()), cell

    def test_texts_without_a_latin_letter_are_told_apart(self, tmp_path):
        draft = Question("q", (), (Candidate("はい、そうです。", correct=True),))
        exported = export_tasks(utterances_of([draft]), tmp_path / "out")
        same = fill(exported, tmp_path / "same.csv", [{"score": "5"}])
        assert len(read_answers(same, key=read_key(exported.key)).judgements) == 1
        other = fill(exported, tmp_path / "other.csv", [{"score": "5", "candidate": "A: いいえ。"}])
        with pytest.raises(Unsuitable, match="1 of 1 answers"):
            read_answers(other, key=read_key(exported.key))

    @pytest.mark.parametrize("kind", ["csv", "jsonl"])
    def test_what_was_asked_tells_forms_apart_that_show_the_same(self, tmp_path, kind):
        false = utterances_of([DRAFT], false_only=True)
        mistakes = export_tasks(false, tmp_path / "mistake", form=mistake_form())
        classes = export_tasks(false, tmp_path / "class", form=ERROR_CLASSES)
        if kind == "csv":
            path = fill(mistakes, tmp_path / "ana.csv", [{"score": "2"}] * 2)
        else:
            path = tmp_path / "ana.jsonl"
            tasks = [json.loads(line) for line in mistakes.jsonl.read_text().splitlines()]
            path.write_text("".join(json.dumps({**task, "score": 2}) + "\n" for task in tasks))
        with pytest.raises(Unsuitable, match=r"2 of 2 answers are about another question than the form asks"):
            read_answers(path, key=read_key(classes.key), form=ERROR_CLASSES)
        assert len(read_answers(path, key=read_key(mistakes.key), form=mistake_form()).judgements) == 2


@pytest.mark.parametrize("name", ["scores.jsonl", "scores.csv", "scores.tsv"])
def test_judgements_may_name_tasks_or_candidates(tmp_path, name):
    entry = numbered(ASKED)[0].source
    named = Judgement(entry.item, entry.system, "ana", "acceptability", 3.0)
    write(tmp_path / name, [Judgement(entry.id, "", "ana", "acceptability", 3.0), named])
    found = read_answers(tmp_path / name, key={entry.id: entry})
    assert found.judgements == (named, named)


def test_tables_without_key_or_answers_say_what_is_missing(exported, tmp_path):
    with pytest.raises(Unsuitable, match=r"Give the key\.jsonl"):
        read_answers(exported.csv)
    (tmp_path / "odd.csv").write_text("id,mark\n1,2\n")
    with pytest.raises(BadInput, match=r"found the columns id, mark, expected a column 'task'"):
        read_answers(tmp_path / "odd.csv", key={})
    (tmp_path / "bare.csv").write_text("task,candidate\nq1c1,text\n")
    with pytest.raises(BadInput, match="expected a column 'score', or one for each rater"):
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
    found = usable(ASKED, given)
    assert found.by_candidate() == {("q", "false_1"): {"r1": 1}}
    assert [one.fault for one in found.unusable] == [
        "second answer",
        "other criterion",
        "unknown candidate",
        "no answer",
        "not an answer of the form",
        "not an answer of the form",
    ]
    assert fault_counts(found.unusable)["not an answer of the form"] == 2
    assert found.unusable[3].found == "N/A"
