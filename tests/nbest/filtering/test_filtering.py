"""Filters: what they drop, what they fall back to, and how far they are from an ideal one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.catalogue import build_system
from dialeval.core import Generator, PartlyAnswered, Replayer, Signature
from dialeval.data.types import NBest, Prompt, Response, Turn, Usage
from dialeval.errors import BadStudy, DialevalError
from dialeval.evaluation.runner import evaluate
from dialeval.nbest.filtering.metric import OWN_JUDGE, UNFILTERED, FilterAccuracy
from dialeval.nbest.filtering.rule import FilterRule
from dialeval.nbest.filtering.system import Filtered
from dialeval.nbest.measuring.judged import JudgedList
from dialeval.nbest.measuring.metrics import AMBIGUOUS, NONE_CONSISTENT
from dialeval.study import load_run, load_study, run_study, write_run

CONTEXT = (Turn("assistant", "I have a dog."), Turn("user", "Tell me more."))
NUMBERS = '''
import numpy as np
from dialeval.core import Signature

class Numbers:
    """Takes the number at a response's end for the probability that it contradicts."""

    signature = Signature("numbers")
    threshold = 0.6

    def contradiction(self, contexts, responses):
        return np.array([float(response.split()[-1]) for response in responses])
'''


@pytest.fixture
def numbers(tmp_path, monkeypatch) -> str:
    (tmp_path / "numbers.py").write_text(NUMBERS)
    monkeypatch.chdir(tmp_path)
    return "numbers.py:Numbers"


class Lists:
    """Gives the same candidates in every context."""

    name = "lists"
    signature = Signature("lists")

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def generate(self, contexts, *, n=1, seed=0):
        return [tuple(map(Response, self.texts[:n])) for _ in contexts]


def said(system: Filtered, n: int = 1) -> list[str]:
    return [response.text for response in system.generate([CONTEXT], n=n)[0]]


def test_contradictory_candidates_are_dropped_and_the_order_is_kept(numbers):
    lists = Lists("a 0.9", "b 0.5", "c 0.1", "d 0.6")
    assert said(Filtered("f", lists, detector=numbers), n=4) == ["b 0.5", "c 0.1"]
    assert said(Filtered("f", lists, detector=numbers, method="rerank"), n=4) == ["c 0.1", "b 0.5"]
    assert said(Filtered("f", lists, detector=numbers, threshold=0.3), n=4) == ["c 0.1"]
    assert said(Filtered("f", lists, detector=numbers, n=2)) == ["b 0.5"]


@pytest.mark.parametrize(("otherwise", "texts"), [("first", ["a 0.9"]), ("least", ["b 0.7"]), ("none", [""])])
def test_an_emptied_list_has_a_stated_fallback_and_is_marked(numbers, otherwise, texts):
    system = Filtered("f", Lists("a 0.9", "b 0.7", "c 0.8"), detector=numbers, otherwise=otherwise)
    (given,) = system.generate([CONTEXT])
    assert [response.text for response in given] == texts
    assert given[0].usage == Usage(emptied=True)
    assert (given[0].missing is None) == (otherwise != "none")
    (kept,) = Filtered("f", Lists("c 0.1"), detector=numbers).generate([CONTEXT])
    assert kept[0].usage is None


def test_tokens_are_those_of_all_candidates_since_all_had_to_be_asked_for(numbers):
    class Metered(Lists):
        def generate(self, contexts, *, n=1, seed=0):
            usages = (Usage(1.0, 10, 3, asked=7.0), Usage(2.0, 10, 4, asked=5.0))
            return [
                (Response("a 0.9", usage=usages[0]), Response("b 0.1", usage=usages[1])) for _ in contexts
            ]

    (given,) = Filtered("f", Metered(), detector=numbers).generate([CONTEXT])
    assert given[0].usage == Usage(3.0, 20, 7, asked=5.0)


def test_a_system_that_fails_in_the_middle_keeps_what_it_answered(numbers):
    class Failing(Lists):
        def generate(self, contexts, *, n=1, seed=0):
            raise PartlyAnswered(
                "stopped", [(Response("a 0.9"), Response("b 0.1")), None], "the budget is used up"
            )

    with pytest.raises(PartlyAnswered) as failed:
        Filtered("f", Failing(), detector=numbers).generate([CONTEXT, CONTEXT])
    first, second = failed.value.answers
    assert (first[0].text, second, failed.value.why) == ("b 0.1", None, "the budget is used up")


def recorded(path: Path, rows: dict[str, list[str]]) -> Path:
    context = [{"role": turn.speaker, "content": turn.text} for turn in CONTEXT]
    lines = [
        json.dumps(
            {"id": item, "system": "bot", "context": context, "responses": [{"text": t} for t in texts]}
        )
        for item, texts in rows.items()
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_filter_around_a_recording_replays_and_one_around_a_bot_answers(numbers, tmp_path):
    recorded(tmp_path / "lists.jsonl", {"x": ["a 0.9", "b 0.2"]})
    (tmp_path / "bot.py").write_text("def reply(messages):\n    return 'yes 0.1'\n")
    replayed = build_system(f"filtered(system='lists.jsonl', detector='{numbers}')")
    assert isinstance(replayed, Replayer)
    assert not isinstance(replayed, Generator)
    assert replayed.replay([Prompt("x", CONTEXT)])[0][0].text == "b 0.2"
    live = build_system(f"filtered(system='bot.py:reply', detector='{numbers}')")
    assert isinstance(live, Generator)
    assert live.signature.name == "filtered"
    before = replayed.signature
    recorded(tmp_path / "lists.jsonl", {"x": ["a 0.9", "b 0.3"]})
    assert replayed.signature != before


def study(tmp_path: Path, systems: str, measures: str = "[length]") -> Path:
    context = [{"role": turn.speaker, "content": turn.text} for turn in CONTEXT]
    prompts = [json.dumps({"id": item, "context": context}) for item in ("x", "y", "z")]
    (tmp_path / "prompts.jsonl").write_text("\n".join(prompts) + "\n")
    path = tmp_path / "study.yaml"
    path.write_text(f"data: prompts.jsonl\nsystems:\n{systems}measures: {measures}\n")
    return path


def test_a_study_names_its_own_systems_and_counts_what_was_emptied(numbers, tmp_path):
    recorded(tmp_path / "lists.jsonl", {"x": ["a 0.9", "b 0.2"], "y": ["a 0.7", "b 0.8"], "z": ["a 0.1"]})
    systems = (
        "  - {name: bot, kind: transcript, path: lists.jsonl}\n"
        f"  - {{name: careful, kind: filtered, system: bot, detector: '{numbers}'}}\n"
    )
    run = run_study(load_study(study(tmp_path, systems)))
    answers = {
        each.system.name: [example.response.text for example in each.examples] for each in run.respondents
    }
    assert answers == {"bot": ["a 0.9", "a 0.7", "a 0.1"], "careful": ["b 0.2", "a 0.7", "a 0.1"]}
    assert [(source.system, source.emptied, source.answers) for source in run.answers] == [("careful", 1, 3)]
    folder = tmp_path / "run"
    write_run(run, folder)
    assert json.loads((folder / "manifest.json").read_text())["answers"][0]["emptied"] == 1
    assert len(load_run(folder).scored) == 2


@pytest.mark.parametrize(
    ("system", "found"),
    [
        ("nobody", "'nobody'"),
        ("{kind: echoes}", "echoes"),
        ("{path: a.jsonl}", "expected the name of another system"),
        ("\"filtered(system='echo')\"", "expected a system without a filter"),
        ("{kind: transcript, path: absent.jsonl}", "systems[0].system.path: no such file"),
    ],
)
def test_a_filter_around_nothing_is_refused_with_the_place(tmp_path, system, found):
    path = study(tmp_path, f"  - {{name: careful, kind: filtered, system: {system}}}\n")
    with pytest.raises(BadStudy, match=r"systems\[0\]\.system") as refused:
        load_study(path)
    assert found in str(refused.value)


def test_a_filter_around_a_greedy_server_is_refused_before_anything_is_asked(tmp_path):
    served = "{kind: openai, name: served, base_url: 'http://127.0.0.1:9/v1', model: m}"
    path = study(tmp_path, f"  - {{name: careful, kind: filtered, system: {served}}}\n")
    with pytest.raises(BadStudy, match=r"systems\[0\]\.system: .* 1 candidate of 10\. Let it sample"):
        load_study(path)
    assert len(
        load_study(study(tmp_path, f"  - {{name: c, kind: filtered, n: 1, system: {served}}}\n")).systems
    )


@pytest.mark.parametrize("wrong", [{"n": 0}, {"threshold": 1.5}])
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(DialevalError, match="expected"):
        Filtered("f", Lists("a 0.1"), **wrong)


def judged(item: str, verdicts: str, *texts: str, reader: str = "people") -> JudgedList:
    names = {"+": "consistent", "-": "contradictory", "?": "ambiguous"}
    given = NBest(item, "bot", CONTEXT, tuple(map(Response, texts)), "yes")
    return JudgedList(given, tuple(names[sign] for sign in verdicts), (1.0,) * len(texts), reader)


def test_the_gap_to_an_ideal_filter_is_over_lists_with_a_consistent_response(numbers):
    lists = [
        judged("right", "-+", "a 0.9", "b 0.1"),  # drops the wrong one
        judged("fooled", "-+", "a 0.1", "b 0.9"),  # keeps the wrong one
        judged("emptied", "+-", "a 0.9", "b 0.9"),  # falls back to the first, which is right
        judged("hopeless", "--", "a 0.1", "b 0.1"),
        judged("unclear", "+?", "a 0.1", "b 0.1"),
        judged("own", "+", "a 0.1", reader="numbers|version=1"),
    ]
    found = evaluate(FilterAccuracy("people", None, numbers), lists)
    assert found.score == pytest.approx(2 / 3)
    assert dict(found.reasons) == {3: NONE_CONSISTENT, 4: AMBIGUOUS, 5: OWN_JUDGE}
    assert evaluate(FilterAccuracy("people", None, UNFILTERED), lists[:3]).score == pytest.approx(1 / 3)
    silent = FilterAccuracy("people", None, numbers, otherwise="none")
    assert evaluate(silent, lists[:3]).score == pytest.approx(1 / 3)
    low, high = found.estimate.low, found.estimate.high
    assert low is not None
    assert high is not None
    assert low < 2 / 3 < high


def test_blank_candidates_are_no_candidates(numbers):
    chosen = FilterRule(numbers).choose(
        [CONTEXT, CONTEXT], [[Response(" "), Response("b 0.1")], [Response("")]]
    )
    assert [(each.places, each.emptied) for each in chosen] == [((1,), False), ((), False)]


def test_the_commands_take_a_filter_and_count_what_it_emptied(numbers, tmp_path, dialeval):
    (tmp_path / "bot.py").write_text("def reply(messages):\n    return f'dog 0.{len(messages)}'\n")
    probe = {
        "id": "p",
        "context": [{"role": t.speaker, "content": t.text} for t in CONTEXT],
        "referent": 0,
        "distance": 1,
        "question": "Tell me more.",
    }
    (tmp_path / "probes.jsonl").write_text(json.dumps(probe) + "\n")
    careful = f"filtered(system='bot.py:reply', detector='{numbers}', threshold=0.1)"
    done = dialeval(
        "consistency", "collect", "probes.jsonl", "--system", careful, "-o", "answers.jsonl", "--json"
    )
    assert done.code == 0, done.err
    assert json.loads(done.out)["emptied"] == {"filtered bot.py:reply": 1}
    (tmp_path / "script.txt").write_text("Tell me more.\n")
    talked = dialeval("chat", careful, "--script", "script.txt")
    assert "dog 0.1" in talked.out


LENGTHS = """
import numpy as np
from dialeval.core import Signature

class Lengths:
    signature = Signature("lengths")

    def contradiction(self, contexts, responses):
        return np.array([float(len(response) % 2) for response in responses])
"""


@pytest.mark.parametrize("rule", ["keep", "none"])
def test_a_server_behind_a_filter_keeps_its_cache_and_its_rule(tmp_path, dialeval, monkeypatch, rule):
    pytest.importorskip("httpx2")
    from support.documented_server import documented_server
    from support.faulty_proxy import faulty_proxy

    monkeypatch.chdir(tmp_path)
    (tmp_path / "lengths.py").write_text(LENGTHS)
    with documented_server() as server, faulty_proxy(server.url) as proxy:
        served = (
            f"  - {{name: served, kind: openai, base_url: '{proxy.url}', model: bigrams, cache: {rule}, "
            "decoding: {method: sample, max_tokens: 6}}\n"
        )
        careful = (
            "  - {name: careful, kind: filtered, system: served, n: 4, detector: 'lengths.py:Lengths', "
            "otherwise: none}\n"
        )
        path = study(tmp_path, served + careful)
        assert load_study(path).caches == {"served": rule, "careful": rule}
        costs = json.loads(dialeval("run", path, "--dry-run", "--cache", "kept", "--json").out)["costs"]
        prompts = costs[0]["requests"]
        assert [(each["what"], each["requests"], each["completion_tokens"]) for each in costs] == [
            ("served", prompts, prompts * 6),
            ("careful", prompts * 4, prompts * 4 * 6),
        ]
        assert proxy.received == 0
        done = dialeval("run", path, "-o", "out", "--cache", "kept")
        assert done.code == 0, done.err
        asked = proxy.received
        assert asked >= 4  # the three prompts have one context, and each candidate is a request
        again = dialeval("run", path, "-o", "again", "--cache", "kept", "--json")
        assert again.code == 0, again.err
        assert (proxy.received == asked) == (rule == "keep")
        left = json.loads(dialeval("run", path, "--dry-run", "--cache", "kept", "--json").out)["costs"]
        assert [each["requests"] for each in left] == ([0, 0] if rule == "keep" else [prompts, prompts * 4])
    rows = [json.loads(line) for line in (tmp_path / "out/examples.jsonl").read_text().splitlines()]
    chosen = [row["response"] for row in rows if row["system"] == "careful"]
    assert all(response is None or len(response) % 2 == 0 for response in chosen)
    assert any(chosen)
    usage = json.loads((tmp_path / "out/manifest.json").read_text())["usage"]
    tokens = {each["system"]: each["completion_tokens"] for each in usage}
    assert tokens["careful"] > tokens["served"]  # all candidates had to be paid for


def test_a_filter_around_several_recorded_runs_is_refused_as_it_would_take_the_first_alone(tmp_path):
    for name in "ab":
        recorded(tmp_path / f"{name}.jsonl", {"x": ["a 0.9", "b 0.2"]})
    systems = (
        "  - {name: bot, kind: transcript, paths: [a.jsonl, b.jsonl]}\n"
        "  - {name: careful, kind: filtered, system: bot}\n"
    )
    with pytest.raises(BadStudy, match=r"systems\[1\]\.system: found several runs"):
        load_study(study(tmp_path, systems))
