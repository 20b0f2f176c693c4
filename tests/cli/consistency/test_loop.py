"""From contradictions that raters found to a generator that learnt from them, each command reading the one before."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from dialeval.data import Question, read as read_records
from dialeval.errors import Unsuitable

pytest.importorskip("torch")
pytestmark = pytest.mark.usefixtures("minilm")

PETS = (
    "dogs",
    "cats",
    "birds",
    "fish",
    "snakes",
    "mice",
    "frogs",
    "bees",
    "goats",
    "hens",
    "geese",
    "ponies",
)
DENIED, KEPT = "No, I never had any.", "Yes, as I told you."


def put(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run(dialeval, line):
    done = dialeval(*line.split())
    assert done.code == 0, (line, done.err)
    return done


def talk(n, *more):
    turns = [f"Hi! What is new at number {n}?", f"I have {n + 2} {PETS[n]}. They are fun.", *more]
    return [{"role": ("user", "assistant")[k % 2], "content": text} for k, text in enumerate(turns)]


@pytest.fixture
def answers(dialeval, tmp_path):
    """Answers of a generator that has learnt to deny what it said, and of a careful recording."""
    put(
        tmp_path / "dialogues.jsonl",
        [{"id": f"d{n}", "messages": talk(n, "Nice.", "Yes.")} for n in range(12)],
    )
    run(dialeval, "consistency probe dialogues.jsonl -o probes.jsonl --kind entity --per-dialogue 2")
    probes = read(tmp_path / "probes.jsonl")
    denials = [
        {"id": f"c{n}", "messages": [*probe["context"], {"role": "assistant", "content": DENIED}]}
        for n, probe in enumerate(probes)
    ]
    put(tmp_path / "corpus.jsonl", denials)
    run(dialeval, "train generator corpus.jsonl -o bot --held-out 0 --epochs 100 --learning-rate 0.005")
    kept = [
        {"id": probe["id"], "system": "careful", "context": probe["context"], "response": KEPT}
        for probe in probes
    ]
    put(tmp_path / "careful.jsonl", kept)
    run(dialeval, "consistency collect probes.jsonl --system bot --system careful.jsonl -o answers.jsonl")
    return read(tmp_path / "answers.jsonl")


def rate(tmp_path):
    """Three raters who agree, but for one vote on every seventh denial."""
    with (tmp_path / "tasks/for_raters/tasks.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with (tmp_path / "filled.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for place, row in enumerate(rows):
            consistent = row["candidate"].partition(": ")[2] == KEPT
            for number, rater in enumerate("abc"):
                lenient = place % 7 == 0 and number == 0
                writer.writerow({**row, "rater": rater, "score": str(int(not (consistent or lenient)))})


def margins(dialeval, folder, questions):
    """How much more probable the consistent answer is than the contradictory one, per question."""
    from dialeval.systems.trained import Trained

    system = Trained(folder.name, folder, device="cpu")
    true = [next(c.text for c in q.candidates if c.correct) for q in questions]
    false = [next(c.text for c in q.candidates if not c.correct) for q in questions]
    contexts = [question.context for question in questions]
    return system.logprob(contexts, true) - system.logprob(contexts, false)


def test_a_generator_learns_from_its_contradictions_and_is_compared_with_itself(dialeval, answers, tmp_path):
    run(dialeval, "consistency tasks answers.jsonl -o tasks")
    rate(tmp_path)
    run(
        dialeval,
        "consistency label answers.jsonl --scores filled.csv --key tasks/key.jsonl -o labelled.jsonl",
    )
    told = json.loads(
        run(
            dialeval,
            "consistency questions labelled.jsonl -o questions.jsonl --probes probes.jsonl --test test.jsonl --json",
        ).out
    )
    learnt, tested = (
        list(read_records(tmp_path / "questions.jsonl", "question")),
        read(tmp_path / "test.jsonl"),
    )
    assert (told["questions"], told["test_probes"]) == (len(learnt), len(tested))
    assert told["by_detector"] == 0
    # No test probe comes from a dialogue that is learnt from.
    openings = {question.context[0].text for question in learnt}
    assert openings.isdisjoint(probe["context"][0]["content"] for probe in tested)
    for question in learnt:
        assert [c.text for c in question.candidates if c.correct] == [KEPT]
        assert all(c.error == "contradictory" for c in question.candidates if not c.correct)

    run(
        dialeval,
        "train generator --unlikelihood questions.jsonl --alpha 1 --start-from bot --held-out 0 --epochs 40 "
        "--learning-rate 0.002 -o after",
    )
    before = margins(dialeval, tmp_path / "bot", learnt)
    after = margins(dialeval, tmp_path / "after", learnt)
    assert np.all(before < 0)  # it has learnt to deny
    assert after.mean() > before.mean() + 1

    study = (
        "data: test.jsonl\n"
        "systems: [{name: before, kind: trained, path: bot}, {name: after, kind: trained, path: after}]\n"
        "measures: [{name: consistency, probes: test.jsonl}]\n"
    )
    (tmp_path / "before-after.yaml").write_text(study)
    run(dialeval, "run before-after.yaml -o compared")
    summary = json.loads((tmp_path / "compared/summary.json").read_text())
    (pair,) = summary["comparisons"]
    assert {pair["a"], pair["b"]} == {"before", "after"}
    assert pair["difference"]["n"] == len(tested)
    assert None not in (pair["difference"]["low"], pair["difference"]["high"])
    assert {each["system"] for each in summary["consistency"][0]["relevance"]} == {"before", "after"}


LABELLED = {
    "earlier": "I have two dogs.",
    "between": "What are they called?",
    "referent": 1,
    "votes": 3,
    "raters": 3,
    "context": [
        {"role": "A", "content": "Hi!"},
        {"role": "B", "content": "I have two dogs."},
        {"role": "A", "content": "What are they called?"},
    ],
}


def labelled(item, response, label, system="bot", **more):
    return {**LABELLED, "id": item, "response": response, "label": label, "system": system, **more}


def test_what_makes_no_question_is_counted(dialeval, tmp_path):
    rows = [
        labelled("good", "I have none.", "contradiction"),
        labelled("good", "Rex and Bo.", "consistent", "other"),
        labelled("good", "Hm.", "ambiguous", "third"),
        labelled("contested", "Rex.", "contradiction"),
        labelled("contested", "Rex.", "consistent", "other"),
        labelled("only", "None.", "contradiction"),
        labelled("fine", "Rex.", "consistent"),
        labelled("bare", "None.", "contradiction", context=[]),
    ]
    put(tmp_path / "labelled.jsonl", rows)
    told = json.loads(run(dialeval, "consistency questions labelled.jsonl -o q.jsonl --json").out)
    (question,) = read_records(tmp_path / "q.jsonl", "question")
    assert isinstance(question, Question)
    assert [turn.speaker for turn in question.context] == ["user", "assistant", "user"]
    assert [(c.text, c.correct) for c in question.candidates] == [
        ("Rex and Bo.", True),
        ("I have none.", False),
    ]
    assert sorted(told["left_out"].values()) == [1, 1, 1, 2]


def test_nothing_to_learn_is_an_error_that_says_why(dialeval, tmp_path):
    put(tmp_path / "labelled.jsonl", [labelled("only", "None.", "contradiction")])
    done = dialeval("consistency", "questions", "labelled.jsonl", "-o", "q.jsonl")
    assert done.code == 1
    assert "no answer is consistent" in done.err
    assert not (tmp_path / "q.jsonl").exists()
    done = dialeval("consistency", "questions", "labelled.jsonl", "-o", "q.jsonl", "--test", "t.jsonl")
    assert done.code == 2
    assert "--probes and --test go together" in done.err


def test_too_few_dialogues_cannot_be_divided():
    from dialeval.consistency.labelling.lessons import hold_out

    with pytest.raises(Unsuitable, match="0 dialogues, too few"):
        hold_out([], [], 0.5, 0)
