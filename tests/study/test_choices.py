"""Selection in a study: questions beside prompts, systems that cannot choose, run folders read back."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from dialeval.core import Resampling
from dialeval.data import read
from dialeval.errors import BadStudy
from dialeval.evaluation.runner import evaluate
from dialeval.selection.asking.choices import choose
from dialeval.selection.asking.choosers import TfIdfChooser
from dialeval.selection.asking.metrics import SelectionAccuracy
from dialeval.study import (
    Workshop,
    build_measure,
    compare_sides,
    load_run,
    load_study,
    open_sides,
    read_summary,
    run_study,
    shared_statuses,
    write_run,
)
from dialeval.study.report.tables import leaderboard

N = 12
STUDY = """\
data: prompts.jsonl
seed: 1
trials: 200
systems:
  - {name: good, kind: transcript, path: good.jsonl}
  - {name: poor, kind: transcript, path: poor.jsonl}
  - {name: floor, kind: echo}
measures:
  - length
  - {name: selection_accuracy, questions: questions.jsonl}
gates: ["good: point(selection_accuracy) >= 0.9"]
"""


def turn(text: str) -> list[dict]:
    return [{"role": "user", "content": text}]


def write(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def folder(tmp_path) -> Path:
    """Twelve questions beside four prompts: ``good`` errs in q0 alone, ``poor`` is right in q1 alone."""
    write(tmp_path / "prompts.jsonl", [{"id": f"p{at}", "context": turn(f"hello {at}")} for at in range(4)])
    questions, known = [], {"good": [], "poor": []}
    for at in range(N):
        texts = [f"right {at}", f"off {at}", f"odd {at}"]
        errors = [None, "wrong_tense", "wrong_subject"]
        candidates = [
            {"text": text, "correct": not error} | ({"error": error} if error else {})
            for text, error in zip(texts, errors, strict=True)
        ]
        context = turn(f"what about {at}?")
        questions.append({"id": f"q{at}", "context": context, "candidates": candidates, "status": "unvetted"})
        for name in known:
            right = (at != 0) if name == "good" else (at == 1)
            likely = [-1.0, -2.0, -3.0] if right else [-2.0, -1.0, -3.0]
            responses = [
                {"text": text, "logprob": logprob} for text, logprob in zip(texts, likely, strict=True)
            ]
            known[name].append({"id": f"q{at}", "system": name, "context": context, "responses": responses})
    for name, rows in known.items():
        said = [
            {
                "id": f"p{at}",
                "system": name,
                "context": turn(f"hello {at}"),
                "responses": [{"text": "hi there"}],
            }
            for at in range(4)
        ]
        write(tmp_path / f"{name}.jsonl", rows + said)
    write(tmp_path / "questions.jsonl", questions)
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    return tmp_path


def run(folder: Path, text: str | None = None, **options):
    if text is not None:
        (folder / "study.yaml").write_text(text, encoding="utf-8")
    return run_study(load_study(folder / "study.yaml"), Workshop(**options))


def test_systems_choose_and_are_compared_by_mcnemar(folder):
    done = run(folder)
    scores = {(one.system, one.measure.label): one.result for one in done.scored}
    assert scores["good", "selection_accuracy"].estimate.value == pytest.approx(11 / 12)
    assert scores["poor", "selection_accuracy"].estimate.value == pytest.approx(1 / 12)
    assert scores["good", "selection_accuracy"].items[:2] == ("q0", "q1")
    assert scores["good", "length"].items == ("p0", "p1", "p2", "p3")
    (pair,) = [one for one in done.compared if one.measure == "selection_accuracy"]
    assert (pair.a, pair.b, pair.n, pair.better) == ("good", "poor", 12, "good")
    assert pair.p_mcnemar == pytest.approx(2 / 2**10)
    assert [(gate.system, gate.passed) for gate in done.gates] == [("good", True)]


def test_a_system_without_likelihood_fails_for_that_measure_only(folder):
    done = run(folder)
    (failure,) = done.failures
    assert (failure.system, failure.measure) == ("floor", "selection_accuracy")
    assert "floor has no log-probabilities" in failure.message
    assert ("floor", "length") in {(one.system, one.measure.label) for one in done.scored}


def test_the_run_folder_holds_choices_and_reads_back(folder):
    done = run(folder)
    write_run(done, folder / "run")
    rows = [json.loads(line) for line in (folder / "run/choices.jsonl").read_text().splitlines()]
    assert len(rows) == 2 * N
    assert rows[0]["measure"] == "selection_accuracy"
    assert (rows[0]["id"], rows[0]["system"], rows[0]["chosen"], rows[0]["correct"]) == (
        "q0",
        "good",
        1,
        False,
    )
    assert rows[0]["candidates"][1] == {
        "text": "off 0", "score": -1.0, "correct": False, "error": "wrong_tense"
    }  # fmt: skip
    values = pq.read_table(folder / "run/results.parquet").to_pylist()
    assert {row["item"] for row in values if row["criterion"] == "selection_accuracy"} == {
        f"q{at}" for at in range(N)
    }
    again = load_run(folder / "run")
    assert [(one.system, one.measure.label, one.result.score) for one in again.scored] == [
        (one.system, one.measure.label, one.result.score) for one in done.scored
    ]


def test_the_summary_says_whether_people_looked_and_what_went_wrong(folder):
    write_run(run(folder), folder / "run")
    summary = json.loads((folder / "run/summary.json").read_text())
    (found,) = summary["selection"]
    assert found["status"].startswith("unvetted: nobody has looked")
    assert (found["questions"], found["chance"]) == (N, pytest.approx(1 / 3))
    poor = found["systems"][1]
    assert (poor["system"], poor["ties"]) == ("poor", 0)
    tense = poor["errors"][0]
    assert (tense["label"], tense["chosen"], tense["candidates"]) == ("wrong_tense", 11, 12)
    alone = [one for one in summary["breakdowns"] if one["system"] == "poor"]
    assert [(one["part"]["error"], one["estimate"]["value"]) for one in alone] == [
        ("wrong_subject", 1.0),
        ("wrong_tense", pytest.approx(1 / 12)),
    ]
    first = found["hardest"][0]
    assert (first["id"], first["right"], first["systems"], found["wrong"]) == ("q0", 0, 2, N - 1)
    assert [one["chosen_by"] for one in first["candidates"]] == [[], ["good", "poor"], []]
    assert tense["examples"][0] == {
        "id": "q0", "context": ["what about 0?"], "correct": "right 0", "chosen": "off 0"
    }  # fmt: skip
    (measure,) = [one for one in summary["measures"] if one["name"] == "selection_accuracy"]
    assert measure["summary"] == "Share of questions in which the system chooses a correct candidate"
    manifest = json.loads((folder / "run/manifest.json").read_text())
    assert any(file["path"].endswith("questions.jsonl") for file in manifest["files"])


def test_a_run_without_choices_leaves_no_old_ones_behind(folder):
    write_run(run(folder), folder / "run")
    write_run(run(folder, STUDY.split("  - {name: selection")[0]), folder / "run")
    assert not (folder / "run/choices.jsonl").exists()
    assert json.loads((folder / "run/summary.json").read_text())["selection"] == []


def test_two_runs_are_compared_over_the_same_questions_only(folder):
    write_run(run(folder), folder / "monday")
    write_run(run(folder), folder / "tuesday")
    sides = open_sides(f"{folder}/monday:good", f"{folder}/tuesday:poor", ["selection_accuracy"])
    (pair,) = compare_sides(*sides, Resampling(resamples=100))
    assert (pair.measure, pair.better) == ("selection_accuracy", "good")
    assert shared_statuses(*sides)["selection"]["selection_accuracy"].startswith(
        "unvetted: nobody has looked"
    )
    lengths = open_sides(f"{folder}/monday:good", f"{folder}/tuesday:poor", ["length"])
    assert shared_statuses(*lengths) == {"selection": {}, "consistency": {}, "nbest": {}}
    lines = (folder / "tuesday/choices.jsonl").read_text()
    (folder / "tuesday/choices.jsonl").write_text(lines.replace("odd 3", "very odd 3"))
    sides = open_sides(f"{folder}/monday:good", f"{folder}/tuesday:poor", ["selection_accuracy"])
    with pytest.raises(Exception, match=r"'selection q3'"):
        compare_sides(*sides, Resampling(resamples=100))


def test_a_limit_concerns_the_questions_too(folder):
    done = run(folder, STUDY + "limit: 2\n")
    assert {len(one.result) for one in done.scored} == {2}


def test_one_measure_over_two_files_has_the_file_in_its_label(folder):
    (folder / "more.jsonl").write_text((folder / "questions.jsonl").read_text())
    text = STUDY.replace(
        "questions: questions.jsonl}",
        "questions: questions.jsonl}\n  - {name: selection_accuracy, questions: more.jsonl}",
    ).partition("gates:")[0]
    done = run(folder, text)
    labels = list(dict.fromkeys(one.measure.label for one in done.scored))
    assert labels == [
        "length",
        "selection_accuracy(questions='questions.jsonl')",
        "selection_accuracy(questions='more.jsonl')",
    ]
    write_run(done, folder / "run")
    assert len(load_run(folder / "run").scored) == len(done.scored)


def test_normalisation_is_an_option_and_in_the_signature(folder):
    measure = build_measure("selection_accuracy", {"questions": "q.jsonl", "normalise": "mean"})
    assert measure.label == "selection_accuracy(normalise='mean')"
    assert str(measure.metric.signature).startswith("selection_accuracy(normalise='mean')|ties=")
    # A transcript knows no numbers of tokens.
    done = run(
        folder, STUDY.replace("questions.jsonl}", "questions.jsonl, normalise: mean}").partition("gates:")[0]
    )
    assert {f.system for f in done.failures} == {"good", "poor", "floor"}
    assert "Normalise by 'sum'" in done.failures[0].message


def test_consistency_is_measured_over_contradictions(folder):
    text = (folder / "questions.jsonl").read_text().replace("wrong_tense", "contradictory")
    (folder / "pairs.jsonl").write_text(
        "".join(
            json.dumps({**row, "candidates": row["candidates"][:2]}) + "\n"
            for row in map(json.loads, text.splitlines())
        )
    )
    asked = STUDY.replace(
        "selection_accuracy, questions: questions", "selection_consistency, questions: pairs"
    )
    done = run(folder, asked.partition("gates:")[0])
    scores = {one.system: one.result.score for one in done.scored if one.measure.capability}
    assert scores == {"good": pytest.approx(11 / 12), "poor": pytest.approx(1 / 12)}


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("selection_accuracy", "measures[1].questions: required"),
        ("{name: selection_accuracy, questions: nowhere.jsonl}", "measures[1].questions: no such file"),
        ("{name: selection_accuracy, question: questions.jsonl}", "Did you mean 'questions'?"),
        (
            "{name: selection_accuracy, questions: questions.jsonl, normalise: max}",
            "expected 'sum' or 'mean'",
        ),
        ("{name: selection_acuracy, questions: questions.jsonl}", "Did you mean 'selection_accuracy'"),
    ],
)
def test_mistakes_in_the_study_are_named(folder, entry, problem):
    text = STUDY.replace("{name: selection_accuracy, questions: questions.jsonl}", entry)
    (folder / "study.yaml").write_text(text.partition("gates:")[0])
    with pytest.raises(BadStudy) as caught:
        load_study(folder / "study.yaml")
    assert problem in str(caught.value)


def test_a_question_with_the_id_of_another_prompt_is_refused(folder):
    text = (folder / "questions.jsonl").read_text()
    (folder / "questions.jsonl").write_text(text.replace('"q3"', '"p3"'))
    done = run(folder)
    messages = {f.message for f in done.failures if f.measure and f.system == "good"}
    assert "(first: 'p3')" in messages.pop()


def test_choosers_stand_beside_systems_under_measures_over_choices_alone(folder):
    text = STUDY.replace("measures:", "  - {name: likeness, kind: tfidf}\nmeasures:")
    done = run(folder, text)
    assert [(one.system, one.measure) for one in done.failures] == [("floor", "selection_accuracy")]
    found = {(one.system, one.measure.label): one.result for one in done.scored}
    asked = list(read(folder / "questions.jsonl", "question"))
    alone = evaluate(SelectionAccuracy(), choose(TfIdfChooser("likeness").fit(asked), asked))
    assert found["likeness", "selection_accuracy"].estimate.value == alone.score
    assert found["likeness", "selection_accuracy"].scored == N
    assert ("likeness", "length") not in found
    write_run(done, folder / "run")
    summary = json.loads((folder / "run/summary.json").read_text())
    cells = {row[0].text: row[1].text for row in leaderboard(read_summary(folder / "run")).rows}
    assert (cells["likeness"], cells["floor"]) == ("—", "2.000")
    assert summary["systems"][-1]["kind"] == "tfidf"
    assert {one["system"] for one in summary["selection"][0]["systems"]} == {"good", "poor", "likeness"}


def test_a_chooser_that_nothing_asks_is_a_problem_of_the_study(folder):
    text = STUDY.split("  - {name: selection")[0].replace(
        "measures:", "  - {name: like, kind: tfidf}\nmeasures:"
    )
    with pytest.raises(BadStudy, match="systems: like answers no prompts, and no measure asks anything else"):
        run(folder, text)


def test_a_run_in_which_nobody_answers_is_read_back(folder):
    text = STUDY.split("systems:")[0] + (
        "systems:\n  - {name: one, kind: tfidf}\n  - {name: two, kind: tfidf}\n"
        "measures:\n  - {name: selection_accuracy, questions: questions.jsonl}\n"
    )
    write_run(run(folder, text), folder / "run")
    assert load_run(folder / "run").examples == ()
    (pair,) = compare_sides(
        *open_sides(f"{folder / 'run'}:one", f"{folder / 'run'}:two"), Resampling(resamples=50)
    )
    assert (pair.measure, pair.n, pair.difference.value) == ("selection_accuracy", N, 0)


def share_contexts(folder: Path) -> None:
    """Give every two questions one context, under ids that do not show it."""
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]
    for at, row in enumerate(rows):
        row["context"] = rows[at - at % 2]["context"]
    write(folder / "questions.jsonl", rows)


CHOOSERS = (
    STUDY.split("systems:")[0] + "systems:\n  - {name: one, kind: tfidf}\n  - {name: two, kind: tfidf}\n"
)


@pytest.mark.parametrize(
    "measures",
    [
        "[{name: selection_accuracy, questions: questions.jsonl}, "
        "{name: selection_accuracy, questions: questions.jsonl, errors: wrong_tense}]",
        "[{name: selection_random, questions: questions.jsonl, trials: 3}]",
    ],
)
def test_questions_on_one_context_are_one_unit_in_the_run_and_in_its_folder(folder, measures):
    share_contexts(folder)
    done = run(folder, f"{CHOOSERS}measures: {measures}\n")
    assert not done.failures
    assert {one.result.units for one in done.scored} == {N // 2}
    write_run(done, folder / "run")
    resampling = load_run(folder / "run").resampling
    pairs = compare_sides(*open_sides(f"{folder / 'run'}:one", f"{folder / 'run'}:two"), resampling)
    assert {pair.units for pair in pairs} == {N // 2}


def test_runs_that_offered_other_candidates_are_not_compared_whatever_measure_comes_first(folder):
    entry = "{{name: selection_{}, questions: questions.jsonl}}"
    order = [entry.format(name) for name in ("accuracy", "mrr")]
    write_run(run(folder, f"{CHOOSERS}measures: [{', '.join(order)}]\n"), folder / "monday")
    text = (folder / "questions.jsonl").read_text()
    (folder / "questions.jsonl").write_text(text.replace("odd 3", "very odd 3"))
    write_run(run(folder, f"{CHOOSERS}measures: [{', '.join(order[::-1])}]\n"), folder / "tuesday")
    sides = open_sides(f"{folder}/monday:one", f"{folder}/tuesday:two", ["selection_mrr"])
    with pytest.raises(Exception, match=r"'selection q3'"):
        compare_sides(*sides, Resampling(resamples=100))


def test_ratings_that_cannot_be_used_cost_the_trials_alone(folder):
    rows = [
        {"item": "all", "system": "one", "rater": "ann", "criterion": name, "value": 1} for name in ("a", "b")
    ]
    write(folder / "people.jsonl", rows)
    measures = (
        "[{name: selection_accuracy, questions: questions.jsonl}, "
        "{name: selection_random, questions: questions.jsonl, trials: 2, human: people.jsonl}]"
    )
    done = run(folder, f"{CHOOSERS}measures: {measures}\n")
    assert {failure.measure for failure in done.failures} == {"selection_random(trials=2)"}
    assert "found several criteria" in done.failures[0].message
    write_run(done, folder / "run")
