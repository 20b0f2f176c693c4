"""Measures of all responses together, and metrics fitted to a corpus, through a whole study."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from dialeval import Cider, Distinct
from dialeval.core import Resampling
from dialeval.data import Example
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.study import load_run, load_study, run_study


@pytest.fixture
def varied(study_folder: Path) -> Path:
    path = study_folder / "study.yaml"
    measures = (
        "measures: [distinct(n=2), rouge_l, self_bleu(order=2), cider]\ngates: ['distinct(n=2) >= 0.3']\n"
    )
    text = "".join(line for line in path.read_text().splitlines(True) if not line.startswith("measures:"))
    path.write_text(text + measures)
    return path


def of(examples, system) -> list[Example]:
    return [e for e in examples if e.system == system]


def test_every_system_gets_a_row_and_every_pair_a_comparison(varied):
    done = run_study(load_study(varied))
    assert not done.failures
    scored = {(one.measure.label, one.system): one.result for one in done.scored}
    examples = {r.system.name: list(r.examples) for r in done.respondents}
    for system, own in examples.items():
        found = scored["distinct(n=2)", system]
        assert not found.per_item
        assert found.score == evaluate(Distinct(2), own).score
        assert len(found) == 40
    reasons = scored["distinct(n=2)", "poor"].reasons
    assert reasons[6] == "no line with this id in poor.jsonl"
    assert {why for place, why in reasons.items() if place != 6} == {"blank response"}
    pairs = [one for one in done.compared if one.measure == "distinct(n=2)"]
    assert [(pair.a, pair.b, pair.n) for pair in pairs] == [
        ("good", "poor", 26),
        ("good", "floor", 26),
        ("poor", "floor", 26),
    ]
    assert all(pair.p_adjusted >= pair.p_jackknife for pair in pairs)
    assert {gate.system: gate.passed for gate in done.gates} == {"good": True, "poor": False, "floor": True}


def test_clusters_of_the_study_are_left_out_whole(varied):
    varied.write_text(varied.read_text() + "cluster: dialogue\n")
    done = run_study(load_study(varied))
    (found,) = (one for one in done.scored if (one.measure.label, one.system) == ("distinct(n=2)", "good"))
    again = evaluate(
        Distinct(2), done.respondents[0].examples, Plan(resampling=Resampling(cluster="dialogue"))
    )
    assert found.result.estimate == again.estimate


def test_a_fitted_metric_weighs_all_systems_alike(varied):
    done = run_study(load_study(varied))
    fits = {
        one.system: one.result.provenance.resources for one in done.scored if one.measure.label == "cider"
    }
    assert len(set(fits.values())) == 1
    everything = [e for r in done.respondents for e in r.examples if isinstance(e, Example) and e.references]
    assert dict(fits["poor"]) == dict(Cider().fit(everything).resources)
    assert [one.n for one in done.compared if one.measure == "cider"] == [39, 39, 39]


def test_the_run_folder_tells_all_but_items_values(varied, dialeval):
    assert dialeval("run", varied, "-o", "out").code in (0, 100)
    rows = pq.read_table("out/results.parquet").to_pylist()
    assert {row["measure"] for row in rows} == {"rouge_l", "cider"}
    summary = json.loads(Path("out/summary.json").read_text())
    assert {m["measure"]: m["per_item"] for m in summary["measures"]} == {
        "distinct(n=2)": False,
        "rouge_l": True,
        "self_bleu(order=2)": False,
        "cider": True,
    }
    (poor,) = (r for r in summary["results"] if (r["measure"], r["system"]) == ("distinct(n=2)", "poor"))
    assert (poor["estimate"]["n"], poor["unscored"]) == (26, 14)
    assert poor["estimate"]["low"] <= poor["estimate"]["value"] <= poor["estimate"]["high"]
    pairs = [c for c in summary["comparisons"] if c["measure"] == "distinct(n=2)"]
    assert len(pairs) == 3
    assert all(c["p_jackknife"] is not None and c["p_permutation"] is None for c in pairs)
    report = Path("out/report.html").read_text()
    assert "distinct(n=2) and self_bleu(order=2) measure all responses together" in report
    assert "Histograms of the items&#39; own distinct" not in report


def test_a_run_reads_back_and_compares_with_another(varied, dialeval):
    assert dialeval("run", varied, "-o", "out").code in (0, 100)
    done, loaded = run_study(load_study(varied)), load_run(Path("out"))
    for ours, theirs in zip(done.scored, loaded.scored, strict=True):
        assert (ours.system, ours.measure.label) == (theirs.system, theirs.measure.label)
        assert ours.result.score == pytest.approx(theirs.result.score, nan_ok=True)
        assert ours.result.estimate == theirs.result.estimate
    compared = dialeval("compare", "out:good", "out:poor", "--json")
    assert compared.code == 0, compared.err
    assert "distinct(n=2)" in compared.out


def test_a_study_of_corpus_measures_alone_has_its_report(varied, dialeval):
    text = varied.read_text().replace("[distinct(n=2), rouge_l, self_bleu(order=2), cider]", "[vocabulary]")
    varied.write_text("".join(line for line in text.splitlines(True) if not line.startswith("gates")))
    done = dialeval("run", varied, "-o", "out")
    assert done.code == 0, done.err
    assert "vocabulary measures all responses together" in " ".join(done.out.split())
    assert Path("out/report.html").is_file()


def test_two_items_show_nothing_even_where_they_agree(tmp_path):
    """The difference is the same without either item, so the jackknife has no error: no reason to be certain."""
    prompts = [{"id": item, "context": [], "references": ["x"]} for item in ("i0", "i1")]
    (tmp_path / "prompts.jsonl").write_text("".join(json.dumps(prompt) + "\n" for prompt in prompts))
    for name, text in (("a", "one two three"), ("b", "no no no")):
        lines = [{"id": item, "response": text} for item in ("i0", "i1")]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    systems = "".join(f"  - {{name: {name}, kind: transcript, path: {name}.jsonl}}\n" for name in "ab")
    (tmp_path / "study.yaml").write_text(
        f"data: prompts.jsonl\nmeasures: [distinct(n=1)]\nsystems:\n{systems}"
    )
    (pair,) = run_study(load_study(tmp_path / "study.yaml")).compared
    assert (pair.p_jackknife, pair.verdict) == (0.5, "undecided")
