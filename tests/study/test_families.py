"""Near-copies of a measure count once; people come before measures; copies of references are pointed out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dialeval.catalogue import EVERY, build_any
from dialeval.errors import BadStudy
from dialeval.files.documents import as_json
from dialeval.stats import Jackknifed, rank_jackknifed
from dialeval.study import load_study, read_summary, run_study, write_run
from dialeval.study.report.ranks import rank_table
from dialeval.study.report.verdict import verdict
from dialeval.study.summary import summarise

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def write_lines(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """``near`` shares long stretches with the reference, ``varied`` few words, but says no word twice."""
    prompts, near, varied, logged = [], [], [], []
    for n in range(40):
        words = [f"{word}{n}" for word in WORDS]
        prompts.append({"id": f"i{n}", "context": [], "references": [" ".join(words)]})
        near.append({"id": f"i{n}", "response": " ".join(words[: 6 + n % 3] + ["the"] * 6)})
        varied.append(
            {"id": f"i{n}", "response": " ".join([words[0], *(f"other{n}x{k}" for k in range(9 + n % 3))])}
        )
        logged.append({"id": f"i{n}", "response": " ".join(words) + "."})
    for name, rows in {"prompts": prompts, "near": near, "varied": varied, "logged": logged}.items():
        write_lines(tmp_path / f"{name}.jsonl", rows)
    return tmp_path


def summary_of(folder: Path, measures: str, more: str = "", systems: str = "near varied"):
    listed = "".join(
        f"  - {{name: {name}, kind: transcript, path: {name}.jsonl}}\n" for name in systems.split()
    )
    text = f"data: prompts.jsonl\ntrials: 200\nmeasures: [{measures}]\nsystems:\n{listed}{more}"
    (folder / "study.yaml").write_text(text)
    return summarise(run_study(load_study(folder / "study.yaml")))


def test_every_measure_has_a_family_and_near_copies_share_one():
    # Names alone, since some measures need weights to be built.
    assert build_any("bleu(order=1)").family == build_any("bleu(order=4)").family == "bleu"
    assert build_any("distinct(n=1)").family == build_any("distinct(n=2)").family == "distinct"
    assert build_any("contradiction_rate").family == build_any("contradiction_free").family == "contradiction"
    alike = {build_any(name).family for name in ("embedding_average", "vector_extrema", "greedy_matching")}
    assert len(alike) == 1
    assert build_any("rouge_l").family == "rouge_l"
    assert "bleu" in EVERY


def test_more_orders_of_bleu_do_not_outvote_another_family(folder):
    one = summary_of(folder, "bleu(order=2), distinct(n=1)").ranking(None)
    many = summary_of(folder, "bleu(order=1), bleu(order=2), bleu(order=3), distinct(n=1)").ranking(None)
    assert [(f.name, f.measures) for f in many.families] == [
        ("bleu", ("bleu(order=1)", "bleu(order=2)", "bleu(order=3)")),
        ("distinct", ("distinct(n=1)",)),
    ]
    assert [(f.name, len(f.measures)) for f in one.families] == [("bleu", 1), ("distinct", 1)]


def test_weights_make_copies_of_a_table_count_once():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(2, 30)) + np.array([[0.3], [0.0]])
    other = rng.normal(size=(2, 30)) + np.array([[0.0], [0.5]])

    def table(values: np.ndarray, weight: float) -> Jackknifed:
        n = values.shape[1]
        without = ((values.sum(axis=1, keepdims=True) - values) / (n - 1)).T
        return Jackknifed(values.mean(axis=1), without, higher_is_better=True, weight=weight)

    alone = rank_jackknifed([table(rows, 1.0), table(other, 1.0)], resamples=400).overall
    copied = rank_jackknifed([*[table(rows, 0.25)] * 4, table(other, 1.0)], resamples=400).overall
    voted = rank_jackknifed([*[table(rows, 1.0)] * 4, table(other, 1.0)], resamples=400).overall
    assert copied.p_best == pytest.approx(alone.p_best)
    assert copied.rank.tolist() == alone.rank.tolist()
    assert voted.p_best[0] > alone.p_best[0]


def test_the_verdict_and_the_ranks_count_families(folder):
    summary = summary_of(folder, "bleu(order=1), bleu(order=2), bleu(order=3), rouge_l")
    assert verdict(summary).headline.startswith(
        "near is best: all 2 families of measures show it to be better"
    )
    told = "2 families of measures (bleu (3 measures) and rouge_l)"
    assert any(f"Over {told} together" in detail for detail in verdict(summary).details)
    assert any(f"overall: {told}, each counting the same" in note for note in rank_table(summary).notes)


def test_measures_of_one_family_are_not_many_opinions(folder):
    summary = summary_of(folder, "bleu(order=1), bleu(order=2)")
    assert verdict(summary).headline.startswith("near is best: all measures, near-copies of one, show it")


def test_people_come_first_then_the_measures_that_agree_with_them(folder):
    ratings = [
        {"item": f"i{n}", "system": system, "rater": "ann", "criterion": "overall", "value": value}
        for n in range(40)
        for system, value in (("near", 3 + n % 3 - (n % 7 == 0)), ("varied", 4 - (n % 3) / 2 - (n % 5 == 0)))
    ]
    write_lines(folder / "ratings.jsonl", ratings)
    headline = verdict(summary_of(folder, "rouge_l, distinct(n=1)", "human: ratings.jsonl\n")).headline
    first, second, third = headline.split(". ", 2)
    assert first == "People's mean 'overall': near 3.83 and varied 3.31"
    assert second == "Of the measures, rouge_l is shown to agree with people: near is best on rouge_l"
    assert third.startswith("By all measures: ")


def rated(folder: Path, values: dict[str, list[float]], more: str = "") -> str:
    """The headline where people gave these values, over and over, and rouge_l shows near to be best."""
    ratings = [
        {
            "item": f"i{n}",
            "system": system,
            "rater": "ann",
            "criterion": "overall",
            "value": cycle[n % len(cycle)],
        }
        for system, cycle in values.items()
        for n in range(40)
    ]
    write_lines(folder / "ratings.jsonl", ratings)
    return verdict(summary_of(folder, "rouge_l, length", f"human: ratings.jsonl\n{more}")).headline


def test_measures_that_put_another_first_than_people_are_reconciled_with_them(folder):
    """Two orders without a word between them are two verdicts."""
    alike = rated(folder, {"near": [4, 3, 5, 4], "varied": [4, 4, 3, 5, 5]})
    assert alike.startswith("People's mean 'overall': varied 4.20 and near 4.00. ")
    assert (
        "near is best on rouge_l: shown to be better than varied. This does not contradict people, whose"
        in alike
    )
    assert "whose ratings of varied and near do not differ significantly (p = 0." in alike
    opposed = rated(folder, {"near": [1, 2, 1, 3], "varied": [4, 4, 3, 5, 5]})
    assert opposed.endswith(
        "This contradicts people, who rate varied higher than near (p < 0.001): go by people."
    )
    agreed = rated(folder, {"near": [4, 4, 3, 5, 5], "varied": [1, 2, 1, 3]})
    assert "contradict" not in agreed
    assert rated(folder, {"varied": [4, 4, 3, 5, 5]}).endswith("People did not rate near.")


def test_how_people_rate_systems_is_tested_and_kept(folder):
    rated(folder, {"near": [1, 2, 1, 3], "varied": [4, 4, 3, 5, 5]})
    write_run(run_study(load_study(folder / "study.yaml")), folder / "out")
    summary = read_summary(folder / "out")
    pair = summary.rating("near", "varied")
    assert (pair.measure, pair.better, pair.n) == ("overall", "varied", 40)
    assert pair.difference.value == pytest.approx(4.2 - 1.75)
    assert pair.difference.low < 4.2 - 1.75 < pair.difference.high
    assert "people" not in json.loads((folder / "out/summary.json").read_text())["human"]
    plain = summarise(run_study(load_study(folder / "study.yaml")))
    assert "people" not in as_json(replace(plain, people=()))


def test_systems_with_the_same_answers_are_named_together(folder):
    for copy in "abc":
        (folder / f"{copy}.jsonl").write_bytes((folder / "near.jsonl").read_bytes())
    headline = verdict(summary_of(folder, "rouge_l", systems="near a varied b c")).headline
    assert headline.endswith("near, a, b and c gave identical answers to all 40 items.")
    assert headline.count("identical") == 1


def test_a_log_of_itself_is_not_best_without_a_remark(folder):
    summary = summary_of(folder, "rouge_l", systems="near logged")
    remark = "logged: 40 of 40 responses equal their reference: is the data its own log?"
    assert verdict(summary).headline.endswith(remark)
    assert verdict(summary).headline.startswith("logged is best on rouge_l")
    assert [(leak.system, leak.copied, leak.code) for leak in summary.leaks] == [
        ("logged", 40, "responses_equal_references")
    ]
    meant = summary_of(folder, "rouge_l", "gold: logged\n", systems="near logged")
    assert meant.leaks == ()
    assert remark not in str(verdict(meant))


def test_gold_names_a_system_of_the_study(folder):
    with pytest.raises(BadStudy, match="gold: There is no system in this study called 'nobody'"):
        summary_of(folder, "rouge_l", "gold: [nobody]\n")


def test_a_system_of_references_is_no_leak(folder):
    systems = "[{name: people, kind: gold}, {name: me, kind: echo}]"
    text = f"data: prompts.jsonl\ntrials: 200\nmeasures: [rouge_l]\nsystems: {systems}\n"
    (folder / "study.yaml").write_text(text)
    assert summarise(run_study(load_study(folder / "study.yaml"))).leaks == ()
