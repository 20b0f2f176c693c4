"""Systems that say nothing: they lose, the verdict says so, and no gate lets them pass unless the study does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.errors import BadStudy
from dialeval.study import load_study, read_summary, run_study, write_run
from dialeval.study.loading import load_run
from dialeval.study.report.tables import leaderboard
from dialeval.study.report.verdict import verdict
from dialeval.study.summary import summarise

ITEMS = 48
MEASURES = "rouge_l, bleu(order=2), distinct(n=1), length"


def write_lines(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """``hush`` says more than ``main``, to every second of 48 items; ``mute`` and ``blank`` say nothing."""
    prompts, main, hush = [], [], []
    for n in range(ITEMS):
        context = [{"role": "user", "content": f"Where is platform {n}?"}]
        prompts.append({"id": f"i{n}", "context": context, "references": [f"Platform {n} is on the left."]})
        main.append({"id": f"i{n}", "response": f"Platform {n} is there." if n % 3 else "I do not know."})
        said = f"Platform {n} is on the left." if n % 2 else (None, "", " \u200b")[n % 3]
        hush.append({"id": f"i{n}", "response": said})
    write_lines(tmp_path / "prompts.jsonl", prompts)
    write_lines(tmp_path / "main.jsonl", main)
    write_lines(tmp_path / "hush.jsonl", hush)
    write_lines(
        tmp_path / "gaps.jsonl", [row for row in hush if row["response"] and row["response"].strip(" \u200b")]
    )
    write_lines(tmp_path / "mute.jsonl", [{"id": f"i{n}", "response": None} for n in range(ITEMS)])
    write_lines(tmp_path / "blank.jsonl", [{"id": f"i{n}", "response": "  "} for n in range(ITEMS)])
    return tmp_path


def written(folder: Path, systems: str, more: str = "", measures: str = MEASURES) -> Path:
    listed = "".join(
        f"  - {{name: {name}, kind: transcript, path: {name}.jsonl}}\n" for name in systems.split()
    )
    path = folder / "study.yaml"
    path.write_text(f"data: prompts.jsonl\ntrials: 200\nmeasures: [{measures}]\nsystems:\n{listed}{more}")
    return path


def summary_of(folder: Path, systems: str, more: str = "", measures: str = MEASURES):
    return summarise(run_study(load_study(written(folder, systems, more, measures))))


@pytest.mark.parametrize("silent", ["hush", "gaps"])
def test_half_silence_counts_as_the_worst_value_and_is_told(folder, silent):
    summary = summary_of(folder, f"main {silent}")
    score = summary.score(silent, "rouge_l")
    assert (score.n, score.unanswered, score.filled, score.unscored) == (48, 24, 24, 0)
    assert score.score == pytest.approx(0.5)
    assert score.coverage == 0.5
    assert {s.name: s.unanswered for s in summary.systems} == {"main": 0, silent: 24}
    assert f"{silent} left 24 of 48 items unanswered." in verdict(summary).headline
    board = leaderboard(summary)
    assert board.columns[-1].title == "coverage"
    assert {row[0].text: row[-1].text for row in board.rows} == {"main": "100 %", silent: "50 %"}
    assert (
        f"{silent}: 24 of 48 items unanswered: counted as the worst value and left out under distinct(n=1)"
        in (board.notes)
    )


def test_null_blank_and_no_line_are_one_and_the_same(folder):
    summary = summary_of(folder, "hush gaps")
    for measure in summary.measures:
        one, other = (summary.score(name, measure.measure) for name in ("hush", "gaps"))
        assert (one.score, one.low, one.n) == (other.score, other.low, other.n)


def test_measures_of_all_responses_leave_unanswered_items_out_for_everybody(folder):
    summary = summary_of(folder, "main hush")
    assert [summary.score(name, "distinct(n=1)").n for name in ("main", "hush")] == [24, 24]


@pytest.mark.parametrize("mute", ["mute", "blank"])
def test_total_silence_is_last_under_every_bounded_measure(folder, mute):
    summary = summary_of(folder, f"{mute} main")
    for measure in ("rouge_l", "bleu(order=2)"):
        assert summary.score(mute, measure).score == 0
        assert summary.relation(measure, mute, "main") == "worse"
    overall = summary.ranking(None)
    assert overall.of(mute).rank == 2


def test_a_gate_on_a_silent_system_fails_unless_the_study_allows_it(folder):
    gates = 'gates: ["hush: rouge_l >= 0.01", "main: rouge_l >= 0.01"]\n'
    outcomes = {gate.system: gate for gate in summary_of(folder, "main hush", gates).gates}
    assert outcomes["main"].passed
    assert not outcomes["hush"].passed
    assert outcomes["hush"].code == "unanswered"
    assert outcomes["hush"].finding == "hush left 24 of 48 items unanswered, and none may be"
    allowed = summary_of(folder, "main hush", gates + "allow_unanswered: 0.5\n").gates
    assert [(gate.passed, gate.code) for gate in allowed] == [(True, None)] * 2
    short = summary_of(folder, "main hush", gates + "allow_unanswered: 0.49\n").gates
    assert short[0].finding.endswith("and at most 0.49 of them may be")


def test_a_difference_is_gated_by_its_first_system_and_equivalence_by_both(folder):
    each = ["hush - main: rouge_l >= -0.9", "main - hush: rouge_l >= -0.9", "main = hush: rouge_l"]
    gates = f"margin: {{rouge_l: 0.9}}\ngates: {json.dumps(each)}\n"
    codes = [gate.code for gate in summary_of(folder, "main hush", gates, "rouge_l").gates]
    assert codes == ["unanswered", None, "unanswered"]


def test_chosen_rules_keep_their_meaning_and_gates_still_fail(folder):
    gates = 'gates: ["hush: rouge_l >= 0.01"]\n'
    shared = summary_of(folder, "main gaps", "missing: shared\n")
    assert shared.score("gaps", "rouge_l").n == 24
    for rule in ("shared", "own", "worst"):
        summary = summary_of(folder, "main hush", f"missing: {rule}\n{gates}", "rouge_l")
        assert summary.gates[0].code == "unanswered"
        assert "left 24 of 48" in verdict(summary).headline


@pytest.mark.parametrize("share", ["-0.1", "1.5", "some"])
def test_a_share_is_between_0_and_1(folder, share):
    with pytest.raises(BadStudy, match="allow_unanswered"):
        load_study(written(folder, "main hush", f"allow_unanswered: {share}\n"))


def test_the_run_folder_keeps_what_was_left_unanswered(folder):
    write_run(run_study(load_study(written(folder, "main hush"))), folder / "out")
    assert read_summary(folder / "out").systems[1].unanswered == 24
    lines = [json.loads(line) for line in (folder / "out/examples.jsonl").read_text().splitlines()]
    assert len(lines) == 2 * ITEMS
    loaded = {(s.measure.label, s.system): s.result for s in load_run(folder / "out").scored}
    assert loaded["rouge_l", "hush"].unanswered == 24
    assert loaded["rouge_l", "hush"].scored == ITEMS
    assert loaded["distinct(n=1)", "hush"].scored == 24
