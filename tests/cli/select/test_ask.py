"""``dialeval select ask``: which candidates systems choose, and what is said of it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from support.asked_questions import SKILL, N, read, write

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
    assert "No system could be asked. echo: echo has no log-probabilities" in " ".join(none.err.split())


def test_candidates_of_one_error_can_be_asked_about_alone(dialeval, asked):
    done = dialeval("select", "ask", asked, *BOTH, "--error", "irrelevant", "--json")
    assert [one["accuracy"] for one in json.loads(done.out)["results"]] == [1.0, 1.0]
    wrong = dialeval("select", "ask", asked, *BOTH, "--error", "irelevant")
    assert wrong.code == 2
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


LINES_APART = "".join(f"an utterance of another kind, number {at}\n" for at in range(30))


def test_a_system_that_cannot_score_random_candidates_keeps_what_it_chose(dialeval, asked, tmp_path):
    (tmp_path / "lines.txt").write_text(LINES_APART, encoding="utf-8")
    trials = ("--random-trials", "3", "--repository", "lines.txt")
    done = dialeval("select", "ask", asked, "--system", "tfidf", *BOTH, *trials, "-o", "out", "--json")
    assert done.code == 1
    content = json.loads(done.out)
    assert [one["system"] for one in content["results"]] == ["tfidf", "good", "poor"]
    assert [one["system"] for one in content["trials"]["systems"]] == ["tfidf"]
    assert [one["system"] for one in content["trials"]["failures"]] == ["good", "poor"]
    assert content["trials_reason"] is None
    assert "2 of 3 systems could not be asked about random candidates" in " ".join(done.err.split())
    assert "good, random candidates" in (tmp_path / "out/asked.html").read_text(encoding="utf-8")
    alone = dialeval("select", "ask", asked, "--system", "good.jsonl", *trials, "--per-item", "rows.jsonl")
    assert alone.code == 1
    assert "0.875" in alone.out
    assert "The trials with random candidates failed" in " ".join(alone.err.split())
    assert len(read(tmp_path / "rows.jsonl")) == N


def test_people_who_judged_other_systems_are_told_before_anybody_is_asked(dialeval, asked, tmp_path):
    row = {"item": "all", "system": "neither", "rater": "ann", "criterion": "overall", "value": 3}
    write(tmp_path / "ratings.jsonl", [row])
    done = dialeval("select", "ask", asked, *BOTH, "--random-trials", "3", "--human", "ratings.jsonl")
    assert done.code == 1
    assert done.out == ""
    assert "ratings.jsonl: People judged neither, and two or more of good, poor" in " ".join(done.err.split())


@pytest.mark.parametrize(
    "option", [("--human", "r.jsonl"), ("--repository", "r.txt"), ("--pool", "9"), ("--human-criterion", "x")]
)
def test_an_option_of_trials_without_trials_is_a_usage_error(dialeval, asked, option):
    done = dialeval("select", "ask", asked, "--system", "tfidf", *option)
    assert done.code == 2
    assert "does nothing without --random-trials" in " ".join(done.err.split())


def test_a_name_that_nobody_has_is_compared_with_choosers_too(dialeval, asked):
    done = dialeval("select", "ask", asked, "--system", "tfdif")
    assert done.code == 2
    said = " ".join(done.err.split())
    assert "Did you mean 'tfidf'?" in said
    assert "There are encoder, tfidf, echo, huggingface" in said


def test_choosers_with_other_keys_are_told_apart_by_what_was_written(dialeval, asked):
    written = "tfidf( )"
    done = dialeval("select", "ask", asked, "--system", "tfidf", "--system", written, "--json")
    assert [one["system"] for one in json.loads(done.out)["results"]] == ["tfidf", written]
    twice = dialeval("select", "ask", asked, "--system", "tfidf", "--system", "tfidf")
    assert "--system \"tfidf(name='mine')\"" in " ".join(twice.err.split())


STUDY = """data: questions.jsonl
systems:
  - {name: good, kind: transcript, path: good.jsonl}
  - {name: poor, kind: transcript, path: poor.jsonl}
measures: [{name: selection_accuracy, questions: questions.jsonl}]
"""


def test_comparing_runs_says_whether_people_vetted_the_questions(dialeval, asked, tmp_path):
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    dialeval("run", "study.yaml", "-o", "run")
    done = dialeval("compare", "run:good", "run:poor")
    assert done.code == 0, done.err
    assert "selection_accuracy asks questions. Unvetted: nobody has looked" in " ".join(done.out.split())
    content = json.loads(dialeval("compare", "run:good", "run:poor", "--json").out)
    assert content["selection"][0]["measure"] == "selection_accuracy"
    assert content["selection"][0]["status"].startswith("unvetted")


def test_what_was_asked_is_described_for_whoever_reads_the_numbers(dialeval, asked, tmp_path):
    rows = read(asked)
    rows[1] |= {"context": rows[0]["context"]}
    rows[2]["candidates"][1]["text"] = rows[2]["candidates"][0]["text"].upper()
    write(tmp_path / "odd.jsonl", rows)
    done = dialeval("select", "ask", "odd.jsonl", "--system", "tfidf", "--system", "good.jsonl", "--json")
    content = json.loads(done.out)
    asked_about = content["questions"]
    assert (asked_about["sharing_a_context"], asked_about["most_candidates"]) == (1, 3)
    assert asked_about["warnings"][0].endswith("(first: 'q2')")
    tfidf, good = content["results"]
    assert (tfidf["by_likelihood"], tfidf["reason"]) == (False, None)
    assert (good["by_likelihood"], good["unscored"]) == (True, 2)
    assert "records no log-probability for 3 of 3 responses" in good["reason"]
    assert [one["chance"] for one in good["errors"]] == [0.5, 0.5]
    stats = json.loads(dialeval("select", "stats", "odd.jsonl", "--json").out)
    assert stats["warnings"][0] == asked_about["warnings"][0]


def test_questions_of_one_context_can_be_resampled_together(dialeval, asked, tmp_path):
    """With every question on one context there is one cluster, which says as little as one question."""
    rows = [row | {"context": [{"role": "user", "content": "when does it leave"}]} for row in read(asked)]
    write(tmp_path / "one.jsonl", rows)
    (apart,) = json.loads(dialeval("select", "ask", "one.jsonl", "--system", "tfidf", "--json").out)[
        "results"
    ]
    done = dialeval("select", "ask", "one.jsonl", "--system", "tfidf", "--cluster", "dialogue", "--json")
    (together,) = json.loads(done.out)["results"]
    assert apart["accuracy"] == together["accuracy"]
    assert together["high"] - together["low"] > 2 * (apart["high"] - apart["low"])


@pytest.mark.parametrize(
    ("resume", "kept"), [("--resume", "the same command resumes"), ("--no-resume", "Nothing was kept")]
)
def test_an_interrupted_command_says_how_it_resumes(dialeval, asked, monkeypatch, resume, kept):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("dialeval.selection.asking.choosers.TfIdfChooser.scores", stop)
    done = dialeval("select", "ask", asked, "--system", "tfidf", resume)
    assert done.code == 130
    assert kept in done.err
