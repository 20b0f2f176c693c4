"""N-best lists in a study: two recorded systems, their numbers, their section, and the folder read back."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from dialeval.nbest.measure import LISTS, NBestLists, nbest
from dialeval.nbest.measuring.metrics import Certainty, Variety
from dialeval.study import Workshop, load_run, load_study, render, run_study, write_run

DEMO = files("dialeval.study").joinpath("demo", "nbest")


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("nbest")
    for name in ("attentive.jsonl", "hasty.jsonl", "prompts.jsonl", "stimuli.jsonl"):
        (tmp_path / name).write_text(DEMO.joinpath(name).read_text())
    text = DEMO.joinpath("study.yaml").read_text().replace("n: 5", "n: 5, reader: first_word")
    (tmp_path / "study.yaml").write_text(text)
    study = load_study(tmp_path / "study.yaml")
    run = run_study(study, Workshop())
    write_run(run, tmp_path / "run")
    render(tmp_path / "run")
    return run, tmp_path / "run"


def test_certainty_and_variety_of_both_systems(done):
    run, _ = done
    scores = {(each.measure.label, each.system): each.result for each in run.scored}
    hasty = scores["nbest(n=5,reader='first_word')", "hasty"]
    # By hand: 14 lists without an ambiguous answer, of which entq-d9, cntq-d2 and cntq-d6 hold no consistent one.
    assert (hasty.scored, hasty.score) == (14, pytest.approx(11 / 14))
    assert scores["nbest_variety(n=5,reader='first_word')", "hasty"].scored == 11
    assert scores["nbest(n=5,reader='first_word')", "attentive"].score == 1.0


def test_the_summary_has_breakdowns_and_the_page_has_plots(done):
    _, folder = done
    summary = json.loads((folder / "summary.json").read_text())
    assert (summary["nbest"][0]["stimuli"], summary["nbest"][0]["n"]) == (16, 5)
    parts = [each for each in summary["breakdowns"] if each["measure"].startswith("nbest_variety")]
    kinds = {(each["system"], each["part"]["stimuli"]) for each in parts}
    assert kinds == {(system, kind) for system in ("attentive", "hasty") for kind in ("ENTQ", "CNTQ")}
    assert sorted({each["part"]["first"] for each in parts if "first" in each["part"]}) == [1, 2, 5]
    page = (folder / "report.html").read_text()
    assert '<section id="breakdowns">' in page
    assert "nbest_variety(n=5,reader=&#39;first_word&#39;), CNTQ" in page


def test_the_lists_are_written_once_and_read_back(done):
    _, folder = done
    assert len((folder / LISTS).read_text().splitlines()) == 32
    capability = NBestLists()
    assert len(capability.asked(folder)) == 16
    assert next(iter(capability.examples(folder))).response.text == "Yes, she is round the corner."
    again = load_run(folder)
    assert {each.measure.label for each in again.scored} >= {"nbest(n=5,reader='first_word')"}


def test_measures_are_built_from_options():
    assert nbest(n=3).metric == Certainty("yesno", 3)
    assert NBestLists.measures["nbest_variety"](n=3).metric == Variety("yesno", 3)
    assert nbest("s.jsonl").inputs == {"stimuli": "s.jsonl"}
