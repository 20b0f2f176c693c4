"""``dialeval select ask``: which candidates systems choose, and what is said of it."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest

from support.asked_questions import SKILL, N, read, write

BOTH = ("--system", "good.jsonl", "--system", "poor.jsonl")


def test_asking_prints_accuracies_and_who_is_better(dialeval, asked):
    done = dialeval("select", "ask", asked, *BOTH, "--system", "tfidf")
    assert done.code == 0, done.err
    assert "3 systems on 16 items" in done.out
    assert "0.875" in done.out
    assert "unvetted: nobody has looked at the candidates" in " ".join(done.out.split())
    assert "wrong_subject" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def scores(content, measure):
    """Scores of one measure, by system."""
    return {one["system"]: one for one in content["results"] if one["measure"] == measure}


def values(content, measure="selection_accuracy"):
    return {system: one["estimate"]["value"] for system, one in scores(content, measure).items()}


def test_json_is_the_summary_of_a_run(dialeval, asked):
    done = dialeval("select", "ask", asked, *BOTH, "--json", "--hits", "2", "--hits", "3")
    content = json.loads(done.out)
    good = scores(content, "selection_accuracy")["good"]
    estimate = good["estimate"]
    assert (estimate["value"], estimate["n"], good["unscored"]) == (0.875, 16, 0)
    assert estimate["low"] < estimate["value"] < estimate["high"]
    others = ("selection_mrr", "selection_hits(k=2)", "selection_hits(k=3)")
    assert [values(content, name)["good"] for name in others] == [0.9375, 1.0, 1.0]
    assert good["signature"].startswith("selection_accuracy(normalise='sum')|ties=against_the_system")
    pair = next(one for one in content["comparisons"] if one["measure"] == "selection_accuracy")
    assert (pair["a"], pair["b"], pair["better"]) == ("good", "poor", "good")
    assert pair["p_mcnemar"] == pytest.approx(2 / 2**10)
    section, idle = content["selection"]
    assert (idle["measure"], idle["systems"]) == ("selection_hits(k=3)", [])
    assert idle["warnings"] == ["the score is 1 whatever is chosen: no question has more than 3 candidates"]
    assert section["chance"] == pytest.approx(1 / 3)
    assert (section["status"].partition(":")[0], section["trials"]) == ("unvetted", None)
    assert [one["ties"] for one in section["systems"]] == [0, 0]
    assert (content["primary"], content["failures"]) == ("selection_accuracy", [])


def test_it_prints_what_run_prints(dialeval, asked, tmp_path):
    """The numbers of a study with the same measures are the same."""
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    ran = json.loads(dialeval("run", "study.yaml", "-o", "run", "--json").out)
    done = json.loads(dialeval("select", "ask", asked, *BOTH, "--json").out)
    kept = [one for one in done["results"] if one["measure"] == "selection_accuracy"]
    assert kept == ran["results"]
    assert done["selection"] == ran["selection"]
    assert done["breakdowns"] == ran["breakdowns"]


def test_every_choice_can_be_written_a_line_each(dialeval, asked, tmp_path):
    dialeval("select", "ask", asked, *BOTH, "--per-item", "choices.jsonl")
    rows = [row for row in read(tmp_path / "choices.jsonl") if row["measure"] == "selection_accuracy"]
    assert len(rows) == 2 * N
    last = rows[-1]
    assert (last["id"], last["system"], last["chosen"], last["correct"], last["rank"]) == (
        "q15", "poor", 1, False, 2,
    )  # fmt: skip
    assert [one["score"] for one in last["candidates"]] == [-2.0, -1.0, -3.0]
    assert [one["correct"] for one in last["candidates"]] == [True, False, False]
    assert (last["status"], last["measure"]) == ("unvetted", "selection_accuracy")


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
    assert (rows["item"]["criterion"], rows["item"]["estimate"]["n"]) == ("selection_accuracy", 2 * N)
    assert rows["item"]["pearson"] == pytest.approx(1)


def test_a_run_folder_holds_numbers_choices_and_a_page(dialeval, asked, tmp_path):
    done = dialeval("select", "ask", asked, *BOTH, "-o", "asked")
    assert done.out.splitlines()[-1] == "Report: asked/report.html"
    assert len(read(tmp_path / "asked/choices.jsonl")) == 2 * N
    page = (tmp_path / "asked/report.html").read_text(encoding="utf-8")
    assert "unvetted: nobody has looked" in page
    assert "trains are red, number 15" in page  # a wrong choice, quoted
    assert "The hardest questions" in page
    assert dialeval("report", "asked").code == 0
    assert dialeval("compare", "asked:good", "asked:poor").code == 0
    other = dialeval("select", "ask", asked, *BOTH, "-o", tmp_path)
    assert other.code == 1
    assert "a folder with other files" in other.err


def test_shards_merge_to_the_numbers_of_one_run(dialeval, asked):
    whole = json.loads(dialeval("select", "ask", asked, *BOTH, "--json").out)
    for part in (1, 2):
        done = dialeval("select", "ask", asked, *BOTH, "--shard", f"{part}/2", "-o", f"parts/{part}")
        assert done.code == 0, done.err
    merged = dialeval("merge", "parts/1", "parts/2", "-o", "merged", "--json")
    assert json.loads(merged.out)["results"] == whole["results"]


def test_a_gate_fails_by_accuracy(dialeval, asked):
    gate = ("--fail-under", "selection_accuracy=0.9")
    assert dialeval("select", "ask", asked, "--system", "good.jsonl", *gate).code == 100


def test_a_system_that_cannot_choose_exits_with_1_after_the_others(dialeval, asked):
    done = dialeval("select", "ask", asked, "--system", "echo", "--system", "tfidf", "--json")
    assert done.code == 1
    content = json.loads(done.out)
    assert list(values(content)) == ["tfidf"]
    assert {one["system"] for one in content["failures"]} == {"echo"}
    assert "echo has no log-probabilities" in " ".join(done.err.split())
    none = dialeval("select", "ask", asked, "--system", "echo", "--random-trials", "3", "--json")
    assert none.code == 1
    assert json.loads(none.out)["selection"] == []
    assert "echo has no log-probabilities" in " ".join(none.err.split())


def test_candidates_of_one_error_can_be_asked_about_alone(dialeval, asked):
    done = dialeval("select", "ask", asked, *BOTH, "--error", "irrelevant", "--json")
    label = "selection_accuracy(errors='irrelevant')"
    assert values(json.loads(done.out), label) == {"good": 1.0, "poor": 1.0}
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
    first, second = (content["results"][0]["estimate"] for content in (whole, apart))
    assert (first["value"], first["n"]) == (1.0, 1)
    assert (second["value"], second["n"]) == (0.5, 2)


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
    content = json.loads(done.out)
    trials = content["selection"][1]["trials"]
    assert (trials["trials"], trials["pool"], trials["questions"]) == (10, 7, 16)
    assert np.shape(trials["accuracies"]) == (10, 2)
    # Two systems that are the same tie in every trial, so no ranking can be correlated.
    assert trials["human"]["undefined"] == 10
    assert trials["human"]["five"] is None
    means = np.mean(trials["accuracies"], axis=0)
    (label,) = {one["measure"] for one in content["results"] if one["measure"].startswith("selection_random")}
    assert list(values(content, label).values()) == pytest.approx(means.tolist())
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert "Rankings and people" in page
    assert "Accuracy, RANDOM and CHOSEN" in page


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
    assert list(values(content)) == ["tfidf", "good", "poor"]
    tried = content["selection"][1]["trials"]
    assert [one["system"] for one in tried["systems"]] == ["tfidf"]
    assert "30 utterances of lines.txt" in tried["source"]
    refused = {(one["system"], one["measure"]) for one in content["failures"]}
    assert refused == {("good", "selection_random(trials=3)"), ("poor", "selection_random(trials=3)")}
    alone = dialeval("select", "ask", asked, "--system", "good.jsonl", *trials, "--per-item", "rows.jsonl")
    assert alone.code == 1
    assert "0.875" in alone.out
    assert "selection_random(trials=3)" in " ".join(alone.err.split())
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
    assert "There are encoder, tfidf, echo, filtered, gold, huggingface" in said


def test_choosers_with_other_keys_are_told_apart_by_what_was_written(dialeval, asked):
    written = "tfidf( )"
    done = dialeval("select", "ask", asked, "--system", "tfidf", "--system", written, "--json")
    assert list(values(json.loads(done.out))) == ["tfidf", written]
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
    assert "selection_accuracy: unvetted: nobody has looked" in " ".join(done.out.split())
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
    (section,) = content["selection"]
    assert (section["sharing_a_context"], section["most_candidates"]) == (1, 3)
    assert section["warnings"][0].endswith("(first: 'q2')")
    found = scores(content, "selection_accuracy")
    # Two questions are not those that the file answers.
    assert (found["tfidf"]["unanswered"], found["good"]["unanswered"]) == (0, 2)
    assert [one["chance"] for one in section["systems"][1]["errors"]] == [0.5, 0.5]
    stats = json.loads(dialeval("select", "stats", "odd.jsonl", "--json").out)
    assert stats["warnings"][0] == section["warnings"][0]


def test_questions_of_one_context_can_be_resampled_together(dialeval, asked, tmp_path):
    """With every question on one context there is one cluster, which says as little as one question."""
    rows = [row | {"context": [{"role": "user", "content": "when does it leave"}]} for row in read(asked)]
    write(tmp_path / "one.jsonl", rows)
    apart = json.loads(dialeval("select", "ask", "one.jsonl", "--system", "tfidf", "--json").out)
    done = dialeval("select", "ask", "one.jsonl", "--system", "tfidf", "--cluster", "dialogue", "--json")
    estimates = [content["results"][0]["estimate"] for content in (json.loads(done.out), apart)]
    assert estimates[0]["value"] == estimates[1]["value"]
    wide, narrow = (one["high"] - one["low"] for one in estimates)
    assert wide > 2 * narrow


def test_a_run_resamples_questions_of_one_context_together_whatever_their_ids(dialeval, asked, tmp_path):
    """Each context has two questions, under ids that do not show it: there are half as many units as questions."""
    rows = read(asked)
    for at, row in enumerate(rows):
        row["context"] = rows[at - at % 2]["context"]
    write(tmp_path / "questions.jsonl", rows)
    done = dialeval("select", "ask", "questions.jsonl", "--system", "tfidf", "-o", "run", "--json")
    score = scores(json.loads(done.out), "selection_accuracy")["tfidf"]
    assert (score["estimate"]["n"], score["units"]) == (N, N // 2)
    dialeval("select", "ask", "questions.jsonl", "--system", "tfidf(name='other')", "-o", "second")
    compared = json.loads(dialeval("compare", "run", "second", "-m", "selection_accuracy", "--json").out)
    assert compared["comparisons"][0]["units"] == N // 2


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


def test_questions_that_a_recorded_file_lacks_are_unanswered(dialeval, asked, tmp_path):
    """It would have the best accuracy otherwise, and pass the gate by silence."""
    rows = read(tmp_path / "poor.jsonl")
    write(tmp_path / "poor.jsonl", rows[: SKILL["poor"]])
    gate = ("--fail-under", "point(selection_accuracy)=0.2")
    done = dialeval("select", "ask", asked, *BOTH, *gate)
    assert done.code == 100
    assert "poor left 12 of 16 items unanswered." in " ".join(done.out.split())
    poor = scores(json.loads(dialeval("select", "ask", asked, *BOTH, "--json").out), "selection_accuracy")[
        "poor"
    ]
    assert (poor["estimate"]["value"], poor["unanswered"], poor["filled"]) == (0.25, 12, 12)
    assert dialeval("select", "ask", asked, *BOTH, *gate, "--allow-unanswered", "0.75").code == 0


def test_identical_choices_of_two_runs_are_equivalent(dialeval, asked):
    for folder in ("first", "second"):
        assert dialeval("select", "ask", asked, "--system", "poor.jsonl", "-o", folder).code == 0
    told = json.loads(dialeval("compare", "first", "second", "--json").out)
    ends = {(pair["verdict"], *list(pair["difference"].values())[:3]) for pair in told["comparisons"]}
    assert ends == {("equivalent", 0.0, 0.0, 0.0)}


def test_other_choices_with_the_same_score_are_not_identical(dialeval, asked, tmp_path):
    rows = read(tmp_path / "poor.jsonl")
    for row in rows:
        row["responses"][0]["logprob"] -= 0.25
    write(tmp_path / "other.jsonl", [{**row, "system": "poor"} for row in rows])
    for folder, file in (("first", "poor.jsonl"), ("second", "other.jsonl")):
        assert dialeval("select", "ask", asked, "--system", file, "-o", folder).code == 0
    told = json.loads(dialeval("compare", "first", "second", "--json").out)
    assert "equivalent" not in {pair["verdict"] for pair in told["comparisons"]}


def test_a_label_may_have_a_comma(dialeval, asked, tmp_path):
    rows = read(asked)
    for row in rows:
        row["candidates"][1]["error"] = "wrong, subject"
    write(asked, rows)
    done = dialeval("select", "ask", asked, *BOTH, "--error", "wrong, subject", "-o", "asked", "--json")
    assert done.code == 0, done.err
    assert {"wrong, subject"} == {row["part"]["error"] for row in json.loads(done.out)["breakdowns"]}


def test_a_folder_keeps_what_stood_on_standard_input_and_can_be_run_again(
    dialeval, asked, tmp_path, monkeypatch
):
    text = asked.read_bytes()
    for _ in range(2):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
        done = dialeval("select", "ask", "-", "--system", "poor.jsonl", "-o", "asked")
        assert done.code == 0, done.err
    assert (tmp_path / "asked" / "stdin.jsonl").read_bytes() == text
    (tmp_path / "study.yaml").write_bytes(
        (tmp_path / "asked" / "study.yaml").read_bytes()
    )  # paths are from here
    again = dialeval("run", "study.yaml", "-o", "again")
    assert again.code == 0, again.err
    first, second = (
        json.loads((tmp_path / name / "summary.json").read_text()) for name in ("asked", "again")
    )
    assert first["results"] == second["results"]


def test_a_strangers_folder_gets_nothing_from_standard_input(dialeval, asked, tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").touch()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(asked.read_bytes())))
    assert dialeval("select", "ask", "-", "--system", "poor.jsonl", "-o", "mine").code == 1
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]
