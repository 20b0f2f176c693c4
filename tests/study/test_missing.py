"""Which items systems are ranked on, and that nothing on a page contradicts anything else on it."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from dialeval.errors import BadStudy
from dialeval.study import Run, load_study, read_summary, render, run_study, write_run
from dialeval.study.document import Summary, headline_measure, leaders, ranked, ranks, standings
from dialeval.study.report.tables import leaderboard, own_items
from dialeval.study.report.verdict import verdict
from dialeval.study.summary import summarise

WORDS = ["one", "two", "three", "four", "five", "six"]
MEASURES = "rouge_l, bleu(order=2), length, distinct(n=1)"


def said(right: int) -> str:
    """A response that shares so many words with the reference."""
    return " ".join([*WORDS[:right], *("no" for _ in WORDS[right:])])


def study(
    folder: Path, answers: dict[str, Sequence[int | None]], more: str = "", measures: str = MEASURES
) -> Run:
    """A run of systems whose answers share so many words with the reference; None where a system gave none."""
    items = len(next(iter(answers.values())))
    reference = " ".join(WORDS)
    prompts = [{"id": f"i{n}", "context": [], "references": [reference]} for n in range(items)]
    (folder / "prompts.jsonl").write_text("".join(json.dumps(prompt) + "\n" for prompt in prompts))
    for system, rights in answers.items():
        lines = [
            {"id": f"i{n}", "system": system, "context": [], "response": said(right)}
            for n, right in enumerate(rights)
            if right is not None
        ]
        (folder / f"{system}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    systems = "".join(f"  - {{name: {name}, kind: transcript, path: {name}.jsonl}}\n" for name in answers)
    text = f"data: prompts.jsonl\ntrials: 200\nmeasures: [{measures}]\nsystems:\n{systems}{more}"
    (folder / "study.yaml").write_text(text)
    return run_study(load_study(folder / "study.yaml"))


def easy_half(folder: Path, more: str = "", measures: str = "rouge_l") -> Summary:
    """B answers only the 30 easy ones of 60 items, and is worse than A on every one of them."""
    a = [5 + n % 2 for n in range(30)] + [1 + n % 2 for n in range(30)]
    b = [4 + n % 2 for n in range(30)] + [None] * 30
    return summarise(study(folder, {"a": a, "b": b}, more, measures))


def test_a_system_that_answers_only_easy_items_does_not_win(tmp_path: Path) -> None:
    summary = easy_half(tmp_path, "missing: shared\n")
    a, b = (summary.score(name, "rouge_l") for name in "ab")
    assert b.own.value > a.own.value  # which is what put b ahead of a
    assert a.estimate.value > b.estimate.value
    assert (a.estimate.n, b.estimate.n, a.own.n, b.own.n) == (30, 30, 60, 30)
    assert (a.coverage, b.coverage) == (1, 0.5)
    assert standings(summary, summary.measures[0]) == {"a": "best", "b": "behind"}
    assert ranked(summary) == ("a", "b")
    board, own = leaderboard(summary), own_items(summary)
    assert [row[0].text for row in board.rows] == ["a", "b"]
    assert any("30 of 60" in note for note in board.notes)
    assert [row[0].text for row in own.rows] == ["a"]
    assert "60" in own.rows[0][1].detail


def test_a_missing_answer_may_count_as_the_worst_one(tmp_path: Path) -> None:
    summary = easy_half(tmp_path, "missing: worst\n", "rouge_l, bleu(order=2), length")
    a, b = (summary.score(name, "rouge_l") for name in "ab")
    assert (a.estimate.value, a.estimate.n, b.estimate.n) == (a.own.value, 60, 60)
    assert (b.estimate, b.own.n) == (b.own, 60)  # silence is among its own items, too
    answered = easy_half(tmp_path, "missing: own\n", "rouge_l, bleu(order=2), length")
    assert b.estimate.value == pytest.approx(answered.score("b", "rouge_l").own.value / 2)
    assert summary.comparison("rouge_l", "a", "b").n == 60
    bleu = summary.score("b", "bleu(order=2)")
    # Pooled: an empty response costs the length of its reference.
    assert 0 < bleu.estimate.value < answered.score("b", "bleu(order=2)").own.value
    assert summary.score("b", "length").estimate.n == 60  # an empty response has no words
    assert summary.missing == "worst"


def test_scores_on_different_items_rank_nobody(tmp_path: Path) -> None:
    summary = easy_half(tmp_path, "missing: own\n")
    a, b = (summary.score(name, "rouge_l") for name in "ab")
    assert (a.estimate.value, b.estimate.value) == (a.own.value, b.own.value)
    assert not ranks(summary, summary.measures[0])
    assert leaders(summary, summary.measures[0]) == ()
    assert any("not comparable" in note for note in leaderboard(summary).notes)


def test_own_items_rank_where_they_are_the_same(tmp_path: Path) -> None:
    summary = summarise(study(tmp_path, {"a": [6, 5, None] * 8, "b": [2, 1, None] * 8}, "missing: own\n"))
    assert leaders(summary, summary.measures[0]) == ("a",)


def test_systems_without_any_value_take_no_item_from_the_others(tmp_path: Path) -> None:
    done = study(tmp_path, {"a": [6, 5] * 8, "b": [2, 1] * 8, "c": [6] + [None] * 15}, "missing: shared\n")
    (tmp_path / "c.jsonl").write_text("")
    again = run_study(load_study(tmp_path / "study.yaml"))
    assert {scored.ranked.scored for scored in done.scored} == {1}
    assert {scored.ranked.scored for scored in again.scored if scored.system != "c"} == {16}


def test_where_no_item_is_shared_nobody_is_ranked(tmp_path: Path) -> None:
    summary = summarise(study(tmp_path, {"a": [6, None] * 8, "b": [None, 1] * 8}, "missing: shared\n"))
    assert {(r.estimate.value, r.estimate.n, r.own.n) for r in summary.results if r.measure == "rouge_l"} == {
        (None, 0, 8)
    }
    board = leaderboard(summary)
    assert {row[1].text for row in board.rows} == {"no shared item"}
    assert any(note.startswith("no item has a value from every system") for note in board.notes)


def test_worst_is_refused_where_nothing_is_the_worst(tmp_path: Path) -> None:
    with pytest.raises(
        BadStudy, match=r"missing: found 'worst', but distinct\(n=1\) measures all responses together"
    ):
        study(tmp_path, {"a": [1], "b": [2]}, "missing: worst\n")
    with pytest.raises(BadStudy, match="missing"):
        study(tmp_path, {"a": [1], "b": [2]}, "missing: nobody\n")


def test_a_margin_lets_systems_be_equivalent(tmp_path: Path) -> None:
    answers = {"a": [4, 5, 6, 3] * 10, "b": [5, 4, 3, 6] * 10, "c": [1, 0, 2, 1] * 10}
    summary = summarise(study(tmp_path, answers, "margin: {rouge_l: 0.3}\n"))
    assert {c.verdict for c in summary.comparisons if {c.measure, c.a, c.b} == {"rouge_l", "a", "b"}} == {
        "equivalent"
    }
    stands = standings(summary, summary.measures[0])
    assert sorted((stands["a"], stands["b"])) in (["best", "best"], ["best", "equivalent"])
    assert stands["c"] == "behind"
    assert any("the margin of the study: rouge_l 0.3" in note for note in leaderboard(summary).notes)


@st.composite
def coverage_patterns(draw: st.DrawFn) -> dict[str, list[int | None]]:
    """Two to four systems, better and worse ones, that answer all, some or few items, hard or easy."""
    items = draw(st.integers(4, 40))
    hard = draw(st.lists(st.integers(0, 3), min_size=items, max_size=items))
    systems = {}
    for name in "abcd"[: draw(st.integers(2, 4))]:
        skill, answered = draw(st.integers(0, 3)), draw(st.sampled_from([1.0, 0.8, 0.4, 0.1, 0.0]))
        noise = draw(st.randoms(use_true_random=False))
        systems[name] = [
            max(0, min(6, skill + 3 - difficulty + noise.choice([-1, 0, 1])))
            if noise.random() < answered + (difficulty == 0) * (answered > 0) / 4
            else None
            for difficulty in hard
        ]
    return systems


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(answers=coverage_patterns(), rule=st.sampled_from(["auto", "shared", "worst", "own"]))
def test_no_page_contradicts_itself(answers: dict[str, list[int | None]], rule: str) -> None:
    measures = MEASURES if rule != "worst" else "rouge_l, bleu(order=2), length"
    with tempfile.TemporaryDirectory() as folder:
        write_run(study(Path(folder), answers, f"missing: {rule}\n", measures), f"{folder}/out")
        render(f"{folder}/out")
        check(read_summary(Path(folder) / "out"))


def check(summary: Summary) -> None:
    """Order, marks, ranks, tests and sentences agree under every measure that ranks."""
    for measure in (m for m in summary.measures if ranks(summary, m)):
        name, up = measure.measure, measure.higher_is_better
        scores = {
            r.system: r.estimate.value
            for r in summary.results
            if r.measure == name and r.estimate.value is not None
        }
        sizes = {r.estimate.n for r in summary.results if r.measure == name and r.estimate.value is not None}
        assert len(sizes) <= 1
        stands = standings(summary, measure)
        for one, other in combinations(scores, 2):
            test = summary.comparison(name, one, other)
            assert test is not None
            assert {test.n} == sizes
            assert test.difference.value == pytest.approx(scores[test.a] - scores[test.b], abs=1e-9)
            if test.better is not None:
                worse = ({one, other} - {test.better}).pop()
                assert (scores[test.better] > scores[worse]) is up
                assert stands[worse] != "best"
        best = [system for system, standing in stands.items() if standing == "best"]
        for system, standing in stands.items():
            behind = {c.better for b in best if (c := summary.comparison(name, system, b))} - {None}
            assert standing != "behind" or behind <= set(best)
            assert system not in behind
        check_ranks(summary, name, stands)
    check_sentences(summary)
    first = headline_measure(summary)
    if first is not None and leaders(summary, first):
        rows = [row[0].text for row in leaderboard(summary).rows]
        assert set(leaders(summary, first)) == set(rows[: len(leaders(summary, first))])


def check_ranks(summary: Summary, name: str, stands: dict[str, str]) -> None:
    """The best rank first or share it, and whoever is shown to be worse than another does not."""
    ranking = summary.ranking(name)
    if ranking is None:
        assert set(stands.values()) <= {"unranked", "silent"}
        return
    answering = [r.system for r in ranking.systems if not summary.is_silent(r.system, name)]
    for rank in ranking.systems:
        assert rank.best <= rank.rank <= rank.worst
        first = rank.rank == min(r.rank for r in ranking.systems)
        # Beside silent systems only, one ranks first, and no comparison shows that it is best.
        assert (stands[rank.system] == "best") is (first and len(answering) > 1 and rank.system in answering)
        assert stands[rank.system] != "best" or rank.best == 1
        assert stands[rank.system] != "behind" or rank.best > 1


def check_sentences(summary: Summary) -> None:
    """Whoever is called best is shown to be better than all others, and worse than none."""
    found = verdict(summary)
    said = re.match(r"(\w) is best(?: on (\S+))?:", found.headline)
    if said is None:
        return
    best, on = said.groups()
    others = {r.system for r in summary.results if r.estimate.value is not None} - {best}
    measures = [on] if on else [m.measure for m in summary.measures if leaders(summary, m)]
    shown = [{summary.relation(m, best, other) for other in others} for m in measures]
    assert any(relations <= {"better", None} and "better" in relations for relations in shown)
    assert not any("worse" in relations for relations in shown)
    wins = re.search(r"By measure: (\w) is best on", str(found))
    assert wins is None or wins[1] == best
