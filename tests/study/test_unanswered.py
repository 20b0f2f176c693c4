"""Systems that say nothing: they lose, the verdict says so, and no gate lets them pass unless the study does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.errors import BadStudy
from dialeval.evaluation.compare import compare
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
    assert (score.estimate.n, score.unanswered, score.filled, score.unscored) == (48, 24, 24, 0)
    assert score.estimate.value == pytest.approx(0.5)
    assert score.coverage == 0.5
    assert {s.name: s.unanswered for s in summary.systems} == {"main": 0, silent: 24}
    assert f"{silent} left 24 of 48 items unanswered." in verdict(summary).headline
    board = leaderboard(summary)
    assert board.columns[-1].title == "coverage"
    assert {row[0].text: row[-1].text for row in board.rows} == {"main": "100 %", silent: "50 %"}
    assert (
        f"{silent}: 24 of 48 items unanswered: counted as the worst value, but left out under distinct(n=1), "
        "so it cannot be best on that measure" in board.notes
    )


def test_null_blank_and_no_line_are_one_and_the_same(folder):
    summary = summary_of(folder, "hush gaps")
    for measure in summary.measures:
        one, other = (summary.score(name, measure.measure) for name in ("hush", "gaps"))
        assert one.estimate == other.estimate


def test_measures_of_all_responses_leave_unanswered_items_out_for_everybody(folder):
    summary = summary_of(folder, "main hush")
    assert [summary.score(name, "distinct(n=1)").estimate.n for name in ("main", "hush")] == [24, 24]


@pytest.mark.parametrize("mute", ["mute", "blank"])
def test_total_silence_is_last_under_every_bounded_measure(folder, mute):
    summary = summary_of(folder, f"{mute} main")
    for measure in ("rouge_l", "bleu(order=2)"):
        assert summary.score(mute, measure).estimate.value == 0
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
    assert shared.score("gaps", "rouge_l").estimate.n == 24
    for rule in ("shared", "own", "worst"):
        summary = summary_of(folder, "main hush", f"missing: {rule}\n{gates}", "rouge_l")
        assert summary.gates[0].code == "unanswered"
        assert "left 24 of 48" in verdict(summary).headline


@pytest.mark.parametrize("system", ["mute", "blank"])
def test_worst_counts_silence_as_auto_does_and_says_so(folder, system):
    worst = summary_of(folder, f"main hush {system}", "missing: worst\n", "rouge_l")
    assert [worst.score(name, "rouge_l").estimate.value for name in ("hush", system)] == [
        pytest.approx(0.5),
        0.0,
    ]
    assert worst.relation("rouge_l", "main", system) == "better"
    notes = leaderboard(worst).notes
    assert "hush: 24 of 48 items unanswered: counted as the worst value" in notes
    assert not [note for note in notes if "left out" in note or "unscored" in note]


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


@pytest.fixture
def varied(folder: Path) -> Path:
    """``hush`` answers half of the items, each in words of its own; ``main`` and ``other`` repeat themselves."""
    rows = [{"id": f"i{n}", "response": f"one{n} two{n} three{n}" if n % 2 else None} for n in range(ITEMS)]
    write_lines(folder / "hush.jsonl", rows)
    for name, every in (("main", 3), ("other", 7)):
        said = [{"id": f"i{n}", "response": f"Platform {n % every} is there."} for n in range(ITEMS)]
        write_lines(folder / f"{name}.jsonl", said)
    return folder


def marks(summary, measure: str) -> dict[str, str]:
    board = leaderboard(summary)
    place = next(at for at, column in enumerate(board.columns) if column.title.startswith(measure))
    return {row[0].text: row[place].mark for row in board.rows}


def test_a_measure_that_cannot_count_silence_gives_a_silent_system_no_star(varied):
    """Half-silent hush was best on distinct, and won over all measures together."""
    summary = summary_of(varied, "main hush other", measures="distinct(n=1), distinct(n=2)")
    assert summary.score("hush", "distinct(n=1)").estimate.value == 1
    assert summary.relation("distinct(n=1)", "hush", "main") == "better"
    found = marks(summary, "distinct(n=1)")
    assert (found["other"], found["hush"]) == ("★", "–")
    told = str(verdict(summary))
    assert "hush is best" not in told
    assert "hush ranks first" not in told
    assert "hush left 24 of 48 items unanswered." in told
    assert [summary.ranking("distinct(n=1)").of(name).rank for name in ("other", "hush", "main")] == [1, 2, 3]
    legend = leaderboard(summary).notes[0]
    assert "– cannot be best: left items unanswered, which the measure cannot count" in legend


def test_its_rank_counts_the_worst_score_for_the_share_it_left_unanswered(varied):
    """Half of 1 is .5: less than a system has that says more than half of its words once."""
    for name, said in (("main", "a{n} b{n} c{n} there"), ("other", "there is there")):
        rows = [{"id": f"i{n}", "response": said.format(n=n)} for n in range(ITEMS)]
        write_lines(varied / f"{name}.jsonl", rows)
    summary = summary_of(varied, "main hush other", measures="distinct(n=1), distinct(n=2)")
    assert summary.score("hush", "distinct(n=1)").estimate.value == 1
    assert 0.5 < summary.score("main", "distinct(n=1)").estimate.value < 1
    ranking = summary.ranking("distinct(n=1)")
    assert [ranking.of(name).rank for name in ("main", "hush", "other")] == [1, 2, 3]
    assert (ranking.of("hush").p_best, ranking.of("main").best) == (0, 1)
    assert "main ranks first" in str(verdict(summary))
    assert marks(summary, "distinct(n=1)") == {"main": "★", "hush": "–", "other": ""}


def test_a_silent_system_that_is_worse_on_what_it_answered_has_no_mark_as_any_other(varied):
    rows = [{"id": f"i{n}", "response": "there is there there" if n % 2 else None} for n in range(ITEMS)]
    write_lines(varied / "hush.jsonl", rows)
    summary = summary_of(varied, "main hush other", measures="distinct(n=1)")
    assert summary.relation("distinct(n=1)", "hush", "other") == "worse"
    assert marks(summary, "distinct(n=1)")["hush"] == ""


def test_a_measure_without_a_worst_score_does_not_rank_a_silent_system(varied):
    for name in ("main", "other"):
        rows = [{"id": f"i{n}", "response": f"{name} zqx qqv vvz {n}"} for n in range(ITEMS)]
        write_lines(varied / f"{name}.jsonl", rows)
    rows = [{"id": f"i{n}", "response": "It is on the left." if n % 2 else None} for n in range(ITEMS)]
    write_lines(varied / "hush.jsonl", rows)
    summary = summary_of(varied, "main hush other", measures="lm_likelihood")
    assert summary.relation("lm_likelihood", "hush", "main") == "better"
    assert summary.score("hush", "lm_likelihood").estimate.n == 24
    assert summary.ranking("lm_likelihood").of("hush") is None
    assert marks(summary, "lm_likelihood")["hush"] == "–"


def test_beside_a_measure_that_counts_silence_the_others_do_not_vote_for_it(varied):
    summary = summary_of(varied, "main hush", measures="rouge_l, distinct(n=1)")
    assert marks(summary, "distinct(n=1)")["hush"] == "–"
    assert summary.relation("rouge_l", "main", "hush") == "better"
    assert verdict(summary).headline.startswith("main is best on rouge_l")
    alone = summary_of(varied, "main hush", measures="distinct(n=1)")
    headline = verdict(alone).headline
    assert headline.startswith(
        "No system is ranked: no measure that can count unanswered items gives two systems scores."
    )


OWN = """\
import numpy as np


class Precision:
    limits = (0, 1)

    def statistics(self, examples):
        words = [(e.response.text.split(), e.references[0].split()) for e in examples]
        return np.array([(sum(w in ref for w in said), len(said)) for said, ref in words], float).reshape(-1, 2)

    def aggregate(self, totals):
        with np.errstate(all="ignore"):
            return totals[..., 0] / totals[..., 1]


def share(response, references):
    said = response.split()
    return sum(word in references[0] for word in said) / len(said) if said else None
"""


@pytest.mark.parametrize("own", ["Precision", "share"])
def test_half_silence_is_not_best_under_a_measure_of_ones_own_without_a_value_for_it(folder, own):
    """Half-silent hush was best on both, and better than main in a comparison of folders."""
    (folder / "own.py").write_text(OWN)
    write_run(run_study(load_study(written(folder, "main hush", measures=f"own.py:{own}"))), folder / "out")
    summary = read_summary(folder / "out")
    assert summary.score("hush", own).estimate.value == 1
    assert marks(summary, own) == {"main": "", "hush": "–"}
    assert "hush is best" not in str(verdict(summary))
    sides = load_run(folder / "out", code=[str(folder / f"own.py:{own}")]).scored
    one, other = (side.result for side in sides)
    compared = compare(one, other)
    assert (compared.verdict, compared.better) == ("different", None)


def test_silence_that_the_study_allows_or_rules_on_itself_is_ranked(varied):
    for more in ("allow_unanswered: 0.5\n", "missing: shared\n"):
        summary = summary_of(varied, "main hush", more, "distinct(n=1)")
        assert marks(summary, "distinct(n=1)")["hush"] == "★"
    little = summary_of(varied, "main hush", "allow_unanswered: 0.49\n", "distinct(n=1)")
    assert marks(little, "distinct(n=1)")["hush"] == "–"


def test_an_unanswered_item_without_references_does_not_make_a_system_silent_under_rouge(varied):
    prompts = [json.loads(line) for line in (varied / "prompts.jsonl").read_text().splitlines()]
    prompts[0]["references"] = []
    write_lines(varied / "prompts.jsonl", prompts)
    rows = [{"id": f"i{n}", "response": f"Platform {n} is on the left." if n else None} for n in range(ITEMS)]
    write_lines(varied / "hush.jsonl", rows)
    summary = summary_of(varied, "main hush", measures="rouge_l")
    assert (summary.score("hush", "rouge_l").unanswered, summary.score("hush", "rouge_l").filled) == (1, 0)
    assert marks(summary, "rouge_l")["hush"] == "★"


def test_a_run_folder_keeps_which_measures_count_silence(varied):
    write_run(run_study(load_study(written(varied, "main hush other"))), varied / "out")
    kept = json.loads((varied / "out/summary.json").read_text())["measures"]
    assert [(one["measure"], one.get("counts_silence", True)) for one in kept] == [
        ("rouge_l", True),
        ("bleu(order=2)", True),
        ("distinct(n=1)", False),
        ("length", True),
    ]
    assert marks(read_summary(varied / "out"), "distinct(n=1)")["hush"] == "–"
