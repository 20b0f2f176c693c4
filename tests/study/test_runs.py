"""Several transcripts of one system in a study: one system whose runs vary."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dialeval.errors import BadStudy
from dialeval.evaluation.compare import compare_all
from dialeval.stats import Jackknifed, rank_jackknifed
from dialeval.study import load_run, load_study, read_summary, render, run_study, write_page, write_run
from dialeval.study.ranks import with_runs
from dialeval.study.summary import summarise

WORDS = ["one", "two", "three", "four", "five", "six"]
MEASURES = "rouge_l, bleu(order=2), distinct(n=1)"


def study(folder: Path, runs: dict[str, list[list[int]]], more: str = "") -> Path:
    """A study of systems whose runs share so many words with the references."""
    items = len(next(iter(runs.values()))[0])
    prompts = [{"id": f"i{n}", "context": [], "references": [" ".join(WORDS)]} for n in range(items)]
    (folder / "prompts.jsonl").write_text("".join(json.dumps(prompt) + "\n" for prompt in prompts))
    lines = []
    for system, rights in runs.items():
        names = [f"{system}{number}.jsonl" for number in range(len(rights))]
        for name, run in zip(names, rights, strict=True):
            said = [" ".join([*WORDS[:right], *["no"] * (6 - right)]) for right in run]
            answers = [{"id": f"i{n}", "response": text} for n, text in enumerate(said)]
            (folder / name).write_text("".join(json.dumps(answer) + "\n" for answer in answers))
        where = f"paths: [{', '.join(names)}]" if len(names) > 1 else f"path: {names[0]}"
        lines.append(f"  - {{name: {system}, kind: transcript, {where}}}\n")
    text = f"data: prompts.jsonl\ntrials: 200\nmeasures: [{MEASURES}]\nsystems:\n{''.join(lines)}{more}"
    (folder / "study.yaml").write_text(text)
    return folder / "study.yaml"


def lucky(seed: int = 0) -> dict[str, list[list[int]]]:
    """A system that is better than the other in its first run, and worse in the others."""
    rng = np.random.default_rng(seed)
    a = [rng.integers(low, low + 3, size=40).tolist() for low in (4, 1, 2)]
    return {"a": a, "b": [rng.integers(3, 5, size=40).tolist()]}


def test_a_system_that_was_lucky_once_does_not_win(tmp_path):
    runs = lucky()
    once = run_study(load_study(study(tmp_path, {"a": runs["a"][:1], "b": runs["b"]})))
    assert {pair.better for pair in once.compared if pair.measure == "rouge_l"} == {"a"}
    often = run_study(load_study(study(tmp_path, runs)))
    assert often.compared
    assert often.ranks
    for pair in often.compared:
        assert pair.verdict == "undecided"
    for ranking in often.ranks:
        assert [(rank.best, rank.worst) for rank in ranking.systems] == [(1, 2), (1, 2)]
        assert ranking.units == 40


def test_a_run_folder_gives_back_the_runs(tmp_path):
    run = run_study(load_study(study(tmp_path, lucky())))
    content = write_run(run, tmp_path / "run")
    page = write_page(content, tmp_path / "run").read_bytes()
    assert render(tmp_path / "run").read_bytes() == page
    assert [system.runs for system in read_summary(tmp_path / "run").systems] == [3, 1]
    assert sorted(path.name for path in (tmp_path / "run").glob("examples*")) == [
        "examples.2.jsonl",
        "examples.3.jsonl",
        "examples.jsonl",
    ]
    loaded = load_run(tmp_path / "run")
    for now, before in zip(loaded.scored, run.scored, strict=True):
        assert now.result.score == pytest.approx(before.result.score)
    for measure in MEASURES.split(", "):
        results = [scored.result for scored in loaded.scored if scored.measure.label == measure]
        (pair,) = compare_all(results, loaded.resampling)
        (said,) = (p for p in run.compared if p.measure == measure)
        assert pair.difference[:3] == pytest.approx(said.difference[:3])


def test_the_page_says_that_scores_are_means_over_runs(tmp_path):
    content = write_run(run_study(load_study(study(tmp_path, lucky()))), tmp_path / "run")
    page = write_page(content, tmp_path / "run").read_text()
    assert "means over runs (a 3 runs)" in page
    assert "1: one two" in content.items[0].responses[0]


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("paths: [a0.jsonl", "path: b0.jsonl, paths: [a0.jsonl", "both 'path' and 'paths'"),
        ("a1.jsonl", "a0.jsonl", "one file twice"),
        ("a1.jsonl", "no.jsonl", "systems[0].paths: no such file or folder"),
        ("path: b0.jsonl", "system: b", "path: required"),
        ("trials: 200", "human: b0.jsonl", "people rated single answers, and a has 3 runs"),
    ],
)
def test_what_runs_cannot_be_is_refused(tmp_path, before, after, problem):
    file = study(tmp_path, lucky())
    file.write_text(file.read_text().replace(before, after, 1))
    with pytest.raises(BadStudy) as caught:
        load_study(file)
    assert problem in str(caught.value)


def test_units_for_runs_leave_the_variances_of_items_and_runs_as_they_are():
    rng = np.random.default_rng(5)
    values, runs = rng.normal(size=(50, 2)), np.array([0.1, 0.6, 0.5, 0.2] * 8)
    without = (values.sum(axis=0) - values) / 49
    table = Jackknifed(values.mean(axis=0), without, True, tuple(map(str, range(50))))
    more = with_runs(table, ["a", "b"], {"a": runs}, 0.95)
    n = len(more.without)
    error = (n - 1) / n * ((more.without - more.without.mean(axis=0)) ** 2).sum(axis=0)
    of_items = values.var(axis=0, ddof=1) / 50
    farther = 2.0395 / 1.9600  # Student's t of 31 degrees of freedom beside the normal distribution
    assert error == pytest.approx(of_items + np.array([farther**2 * runs.var(ddof=1) / 32, 0]), rel=1e-3)
    assert n == 82
    ranks = rank_jackknifed([more], resamples=100).overall
    assert ranks.rank.tolist() == (1 + (-more.scores).argsort().argsort()).tolist()


def test_a_missing_answer_of_one_run_may_count_as_the_worst_one(tmp_path):
    path = study(tmp_path, {"a": [[6] * 8, [6] * 8], "b": [[3] * 8]}, "missing: worst\n")
    path.write_text(path.read_text().replace(", distinct(n=1)", ""))
    lines = (tmp_path / "a1.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "a1.jsonl").write_text("".join(lines[1:]))
    (tmp_path / "b0.jsonl").write_text("".join((tmp_path / "b0.jsonl").read_text().splitlines(True)[:-1]))
    summary = summarise(run_study(load_study(path)))
    a, b = (summary.score(name, "rouge_l") for name in "ab")
    assert (a.estimate.value, a.estimate.n, a.own.n, a.filled) == (pytest.approx(1 - 1 / 16), 8, 8, 1)
    assert (b.estimate.value, b.estimate.n, b.filled) == (pytest.approx(0.5 * 7 / 8), 8, 1)
    assert 0 < summary.score("a", "bleu(order=2)").estimate.value < 1
