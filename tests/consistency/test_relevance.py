"""Relevance beside consistency, and what raters say of the answers of a run."""

from __future__ import annotations

import json

import pytest

from dialeval.consistency.collecting.answers import ProbeAnswer
from dialeval.consistency.document import ConsistencyInfo, SystemRelevance
from dialeval.consistency.relevance import rates_by_people, relevance_of, repeats
from dialeval.consistency.report.section import notes_of
from dialeval.core import Estimate, Resampling
from dialeval.data.types import Example, Response, Turn
from dialeval.study import load_study, render, run_study, write_run

CONTEXT = (
    Turn("assistant", "I have lived in Leeds for seven years with my sister."),
    Turn("user", "How long have you lived in Leeds?"),
)


def answer(item: str, text: str, system: str = "bot") -> ProbeAnswer:
    return ProbeAnswer(Example(item, system, CONTEXT, Response(text)), 0)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("How long have you lived in Leeds?", True),
        ("how long have you lived in leeds, friend", True),  # 7 words of 7 and 8
        ("I have lived in Leeds for seven years with my sister", True),  # a turn of one's own
        ("I have lived here for two years.", False),
        ("Leeds", False),
        ("...", False),
    ],
)
def test_an_answer_repeats_a_turn_if_four_words_in_five_are_the_same(text, same):
    assert repeats(answer("a", text).example) == same


def test_relevance_of_each_system_is_over_the_answers_that_say_something():
    echo = [answer(f"p{n}", "How long have you lived in Leeds?", "echo") for n in range(3)]
    told = [answer("p0", "Seven years."), answer("p1", "Not long."), answer("p2", " ")]
    first, second = relevance_of([*echo, *told], Resampling(resamples=50))
    assert (first.system, first.repeats.value, first.commonest) == ("echo", 1.0, 1.0)
    assert first.cosine.value == pytest.approx(1.0)
    assert (second.repeats.value, second.repeats.n, second.commonest) == (0.0, 2, 0.5)
    assert second.cosine.number < 0.9


def test_different_answers_without_words_are_not_one_and_the_same():
    (found,) = relevance_of(
        [answer(f"p{n}", text) for n, text in enumerate("👍🎉🙂🤔")], Resampling(resamples=0)
    )
    assert found.commonest == 0.25


def info(*relevance: SystemRelevance) -> ConsistencyInfo:
    return ConsistencyInfo("consistency", "3 probes", 0.5, (0.4, 0.6), "d", (), (), relevance)


def shares(system: str, repeated: float, commonest: float, n: int = 10) -> SystemRelevance:
    return SystemRelevance(system, Estimate(0.5, 0.4, 0.6, n), Estimate(repeated, 0, 1, n), commonest)


def test_who_repeats_others_or_itself_is_named():
    notes = list(
        notes_of(
            info(
                shares("echo", 1.0, 0.1),
                shares("dunno", 0.1, 0.9),
                shares("short", 0.0, 1.0, n=2),
                shares("fair", 0.4, 0.1),
            )
        )
    )
    assert any("echo 0.50, 100 %; dunno 0.50, 10 %" in note for note in notes)
    named = [note for note in notes if "repeats what was said" in note or "one and the same" in note]
    assert ["echo merely" in named[0], "dunno gives" in named[1], len(named)] == [True, True, 2]


LABELLED = {
    "earlier": CONTEXT[0].text,
    "between": CONTEXT[1].text,
    "raters": 3,
}


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def labels():
    votes = {"p0": 3, "p1": 1, "p2": 2, "p3": 0}
    rows = [
        {
            **LABELLED,
            "id": item,
            "system": "bot",
            "response": "Two years.",
            "votes": n,
            "label": "contradiction" if n > 1 else "ambiguous" if n else "consistent",
        }
        for item, n in votes.items()
    ]
    return [*rows, {**rows[0], "system": "other"}, {**rows[0], "response": "It was different once."}]


def test_rates_by_raters_are_of_the_answers_that_they_labelled(tmp_path):
    path = lines(tmp_path / "labelled.jsonl", labels())
    (rates,), others = rates_by_people([answer(f"p{n}", "Two years.") for n in range(5)], path)
    assert (rates.all.value, rates.contradictory.value, rates.any.value) == (0.25, 0.5, 0.75)
    assert (rates.answers, others) == (4, 2)


def test_a_study_says_both(tmp_path):
    context = [{"role": turn.speaker, "content": turn.text} for turn in CONTEXT]
    probes = [
        {"id": f"p{n}", "context": context, "question": CONTEXT[1].text, "referent": 0, "distance": 1}
        for n in range(6)
    ]
    lines(tmp_path / "probes.jsonl", probes)
    lines(tmp_path / "labelled.jsonl", labels())
    (tmp_path / "bot.py").write_text("def reply(messages):\n    return 'Two years.'\n")
    (tmp_path / "study.yaml").write_text(
        "data: probes.jsonl\n"
        "systems: [{name: parrot, kind: echo}, {name: bot, kind: 'bot.py:reply'}]\n"
        "measures: [{name: consistency, probes: probes.jsonl, labelled: labelled.jsonl}]\n"
    )
    run = run_study(load_study(tmp_path / "study.yaml"))
    write_run(run, tmp_path / "run")
    render(tmp_path / "run")
    (found,) = json.loads((tmp_path / "run/summary.json").read_text())["consistency"]
    parrot, bot = found["relevance"]
    assert (parrot["repeats"]["value"], bot["repeats"]["value"], bot["commonest"]) == (1.0, 0.0, 1.0)
    assert parrot["cosine"]["value"] > bot["cosine"]["value"]
    assert (found["people"][0]["any"]["value"], found["people"][0]["all"]["value"]) == (0.75, 0.25)
    assert found["others_labelled"] == 2
    page = (tmp_path / "run/report.html").read_text()
    assert "Relevance of the same answers" in page
    assert "by all raters" in page
    assert "parrot merely repeats what was said in 100 %" in page
