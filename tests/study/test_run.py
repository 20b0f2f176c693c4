"""Carrying out a study: answers, scores, comparisons, gates; failures do not spread."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from dialeval.engine import Cache
from dialeval.errors import BadStudy
from dialeval.study import Workshop, load_run, load_study, render, run_study, write_run


def run(folder, workshop=None, **changes):
    path = folder / "study.yaml"
    text = path.read_text()
    for old, new in changes.items():
        text += f"{old}: {new}\n"
    path.write_text(text)
    return run_study(load_study(path), workshop or Workshop())


def test_every_system_is_scored_by_every_measure(study_folder):
    done = run(study_folder)
    assert [(one.system, one.measure.label) for one in done.scored] == [
        (system, measure)
        for measure in ("bleu(order=2)", "rouge_l", "length")
        for system in ("good", "poor", "floor")
    ]
    scores = {(one.system, one.measure.label): one.result.score for one in done.scored}
    assert scores["good", "length"] == 4
    assert scores["floor", "length"] == 5  # it repeats "where is platform N please"
    assert scores["good", "rouge_l"] > scores["floor", "rouge_l"]


def test_an_item_without_response_or_reference_is_counted_with_its_reason(study_folder):
    done = run(study_folder)
    silent = [e for r in done.respondents for e in r.examples if e.response.missing is not None]
    assert [(each.system, each.item, each.response.missing) for each in silent] == [
        ("poor", "d3/0", "no line with this id in poor.jsonl")
    ]
    (poor,) = [one.result for one in done.scored if (one.system, one.measure.label) == ("poor", "rouge_l")]
    assert len(poor) == 40
    assert {poor.items[at]: reason for at, reason in poor.reasons.items()} == {"d5/1": "no references"}
    # An empty response to every third item; d3/0 would be one of them.
    assert (poor.unanswered, poor.filled) == (14, 14)
    assert poor.values[poor.items.index("d3/0")] == 0


def test_a_system_that_cannot_even_say_what_it_is_takes_nothing_down(study_folder):
    (study_folder / "lost").mkdir()
    study = (study_folder / "study.yaml").read_text()
    kept = study.replace("systems:\n", "systems:\n  - {name: lost, kind: trained, path: lost}\n")
    (study_folder / "study.yaml").write_text(kept)
    done = run(study_folder)
    assert [failure.system for failure in done.failures] == ["lost"]
    write_run(done, study_folder / "out")
    summary = json.loads((study_folder / "out" / "summary.json").read_text())
    signatures = {one["name"]: one["signature"] for one in summary["systems"]}
    assert signatures.pop("lost") is None
    assert all(signatures.values())
    assert "holds no trained generator" in render(study_folder / "out").read_text()


def test_pairs_are_compared_with_correction_within_a_measure(study_folder):
    done = run(study_folder)
    pairs = [one for one in done.compared if one.measure == "rouge_l"]
    assert [(pair.a, pair.b) for pair in pairs] == [("good", "poor"), ("good", "floor"), ("poor", "floor")]
    assert all(pair.p_adjusted is not None and pair.p_adjusted >= pair.p_permutation for pair in pairs)
    assert pairs[0].better == "good"
    assert (pairs[0].n, pairs[0].unpaired) == (39, 1)


def test_a_system_that_fails_is_recorded_and_the_others_go_on(study_folder):
    (study_folder / "poor.jsonl").write_text('{"id": "d0/0", "system": ')
    done = run(study_folder)
    assert [(failure.system, failure.measure) for failure in done.failures] == [("poor", None)]
    assert "poor.jsonl, line 1" in done.failures[0].message
    good, poor, _ = (one.result for one in done.scored if one.measure.label == "length")
    assert good.coverage == 1
    assert poor.coverage == 0
    assert poor.reasons[0].startswith("system failed: ")
    assert {(one.a, one.b) for one in done.compared} == {("good", "floor")}


def test_gates_concern_the_systems_they_name(study_folder):
    gates = '["good: point(rouge_l) >= 0.5", "point(length) <= 4.5"]'
    done = run(study_folder, gates=gates, allow_unanswered=0.5)
    assert [(g.system, str(g.gate), g.passed) for g in done.gates] == [
        ("good", "good: point(rouge_l) >= 0.5", True),
        ("good", "point(length) <= 4.5", True),
        ("poor", "point(length) <= 4.5", True),
        ("floor", "point(length) <= 4.5", False),
    ]


def test_limit_takes_the_first_items_and_cluster_widens_intervals(study_folder):
    alone = run(study_folder)
    limited = run(study_folder, limit=10)
    assert len(limited.prompts) == 10
    assert limited.prompts == alone.prompts[:10]


def test_data_that_is_missing_stops_the_run(study_folder):
    (study_folder / "prompts.jsonl").unlink()
    with pytest.raises(BadStudy, match=r"data: no such file: .*prompts\.jsonl"):
        run(study_folder)


def test_a_cache_holds_the_answers_of_systems_too(study_folder, tmp_path):
    first = run(study_folder, Workshop(cache=Cache(tmp_path / "cache")))
    again = run(study_folder, Workshop(cache=Cache(tmp_path / "cache")))
    assert [r.examples for r in first.respondents] == [r.examples for r in again.respondents]


def test_a_run_folder_reads_back_as_it_was_written(study_folder, dialeval):
    assert dialeval("run", study_folder / "study.yaml", "-o", "out").code == 0
    done = run_study(load_study(study_folder / "study.yaml"), Workshop())
    loaded = load_run(Path("out"))
    for ours, theirs in zip(done.scored, loaded.scored, strict=True):
        assert (ours.system, ours.measure.label) == (theirs.system, theirs.measure.label)
        assert ours.result.judgements == theirs.result.judgements
        assert ours.result.estimate == theirs.result.estimate
        assert ours.result.provenance == theirs.result.provenance


def test_a_corpus_measure_reads_back_with_its_missing_items(study_folder, dialeval):
    path = study_folder / "study.yaml"
    path.write_text(path.read_text().replace("length]", "distinct(n=2)]"))
    assert dialeval("run", path, "-o", "out").code == 0
    done = run_study(load_study(path), Workshop())
    for ours, theirs in zip(done.scored, load_run("out").scored, strict=True):
        assert (len(ours.result), ours.result.scored) == (len(theirs.result), theirs.result.scored)
        assert ours.result.estimate == theirs.result.estimate
        assert ours.result.provenance == theirs.result.provenance
    poor = [one.result for one in done.scored if (one.system, one.measure.label) == ("poor", "distinct(n=2)")]
    assert (len(poor[0]), poor[0].scored) == (40, 26)


def test_the_files_of_a_run_folder_are_those_promised(study_folder, dialeval, tmp_path):
    assert dialeval("run", study_folder / "study.yaml", "-o", "out").code == 0
    folder = tmp_path / "out"
    names = {
        "study.yaml",
        "examples.jsonl",
        "results.parquet",
        "summary.json",
        "manifest.json",
        "report.html",
    }
    assert {path.name for path in folder.iterdir()} == names
    rows = pq.read_table(folder / "results.parquet").to_pylist()
    assert len(rows) == 3 * 3 * 40
    assert list(rows[0]) == [
        "item",
        "system",
        "measure",
        "rater",
        "criterion",
        "value",
        "reason",
        "statistics",
    ]
    assert all(
        (row["value"] is None) == (row["reason"] is not None) == (row["statistics"] == []) for row in rows
    )
    summary = json.loads((folder / "summary.json").read_text())
    assert {"format", "study", "results", "comparisons", "gates", "failures"} <= set(summary)
    unscored = {(row["system"], row["measure"]): row["unscored"] for row in summary["results"]}
    assert unscored["poor", "rouge_l"] == 1
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["study"]["sha256"]
    assert manifest["packages"]["numpy"]
