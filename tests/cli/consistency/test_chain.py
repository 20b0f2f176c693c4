"""From probes to a detector of one's own: each command reads what the one before wrote, with simulated raters."""

from __future__ import annotations

import csv
import json

import pytest

from dialeval.consistency.detecting.detector import PairDetector
from dialeval.consistency.detecting.neighbours import NEAREST
from dialeval.encoder.adapters import ABOUT
from support.encoders import make_small

pytestmark = pytest.mark.usefixtures("minilm")

PETS = (
    *("dogs", "cats", "birds", "fish", "snakes", "mice"),
    *("frogs", "bees", "goats", "hens", "geese", "ponies"),
)
CITIES = (
    *("Leeds", "Paris", "Rome", "Oslo", "Berlin", "Madrid"),
    *("Tokyo", "London", "Dublin", "Athens", "Vienna", "Boston"),
)
DENIED, SAID = (
    ("No, I never had any.", "I have none of those."),
    ("Yes, as I told you.", "Sure, that is right."),
)


@pytest.fixture
def answers(dialeval, tmp_path):
    """Two systems' answers to one set of probes, collected by the commands: half of each deny what they said."""
    rows = []
    for n in range(12):
        pets = PETS[n]
        turns = [
            "Hi! What is new?",
            f"I have {n + 2} {pets}. My sister Anna lives in {CITIES[n]}.",
            f"Nice. Do you like {pets}?",
            f"Yes, I love {pets}. They are fun.",
            f"What are your {pets} called?",
            f"I forgot what the {n + 2} are called.",
        ]
        messages = [{"role": ("user", "assistant")[k % 2], "content": text} for k, text in enumerate(turns)]
        rows.append({"id": f"d{n}", "system": "bot", "messages": messages})
    put(tmp_path / "dialogues.jsonl", rows)
    run(dialeval, "consistency probe dialogues.jsonl -o probes.jsonl --kind entity --per-dialogue 4")
    probes = read(tmp_path / "probes.jsonl")
    for offset, name in enumerate(("old", "new")):
        lines = []
        for n, probe in enumerate(probes):
            texts = DENIED if (n // (1 + offset)) % 2 else SAID
            said = {"id": probe["id"], "system": name, "context": probe["context"], "response": texts[n % 2]}
            lines.append(said)
        put(tmp_path / f"{name}.jsonl", lines)
    run(dialeval, "consistency collect probes.jsonl --system old.jsonl --system new.jsonl -o answers.jsonl")
    return read(tmp_path / "answers.jsonl")


def put(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run(dialeval, line):
    done = dialeval(*line.split())
    assert done.code == 0, (line, done.err)
    return done


def fill(blank, filled, *, raters="abc"):
    """Raters who call denials contradictory; of every seventh answer the first says the opposite."""
    with blank.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with filled.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for place, row in enumerate(rows):
            denied = row["candidate"].partition(": ")[2] in DENIED
            for number, rater in enumerate(raters):
                contradicts = denied != (place % 7 == 0 and number == 0)
                writer.writerow({**row, "rater": rater, "score": str(int(contradicts))})


def judged(dialeval, tmp_path, study="ratings"):
    """The study answered on paper and exported, as the browser's answers are."""
    run(dialeval, f"annotate tasks {study} -o sheet.csv")
    fill(tmp_path / "sheet.csv", tmp_path / "filled.csv")
    run(dialeval, f"annotate import {study} filled.csv")
    run(dialeval, f"annotate export {study} -o judged.jsonl")


def test_labels_of_the_browser_keep_what_was_asked(dialeval, answers, tmp_path):
    made = run(dialeval, "annotate init answers.jsonl -o ratings")
    assert f"{len(answers)} items" in made.out
    study = json.loads((tmp_path / "ratings/study.json").read_text())
    assert [(ask["kind"], ask["criterion"]) for ask in study["asks"]] == [("yes_no", "contradiction")]
    judged(dialeval, tmp_path)
    told = json.loads(
        run(dialeval, "consistency label answers.jsonl --scores judged.jsonl -o labelled.jsonl --json").out
    )
    rows = read(tmp_path / "labelled.jsonl")
    assert len(rows) == len(answers)
    for row, answer in zip(rows, answers, strict=True):
        assert (row["id"], row["system"], row["context"]) == (
            answer["id"],
            answer["system"],
            answer["context"],
        )
        assert row["context"][row["referent"]]["content"] == row["earlier"]
        denied = row["response"] in DENIED
        if denied:
            assert (row["label"], row["votes"]) in (("contradiction", 3), ("contradiction", 2))
        else:
            assert (row["label"], row["votes"]) in (("consistent", 0), ("ambiguous", 1))
    assert {row["label"] for row in rows} == {"contradiction", "consistent", "ambiguous"}
    by_distance = told["by_distance"]
    assert [each["distance"] for each in by_distance] == sorted({row["distance"] for row in rows})
    assert sum(sum(each["labels"].values()) for each in by_distance) == len(rows)
    for each in by_distance:
        own = [row for row in rows if row["distance"] == each["distance"]]
        assert each["contexts"] == len({row["id"] for row in own})
        assert each["contradicted_contexts"] == len(
            {row["id"] for row in own if row["label"] == "contradiction"}
        )
    voted = [row["votes"] for row in rows if row["votes"]]
    assert told["unanimity"] == {
        "any": len(voted),
        "all": voted.count(3),
        "share": voted.count(3) / len(voted),
    }
    strict = run(
        dialeval,
        "consistency label answers.jsonl --scores judged.jsonl -o strict.jsonl --rule 3-of-3 --json",
    )
    assert json.loads(strict.out)["labels"]["contradiction"] == voted.count(3)
    odd = dialeval(
        *[
            "consistency",
            "label",
            "answers.jsonl",
            "--scores",
            "judged.jsonl",
            "-o",
            "odd.jsonl",
            "--rule",
            "most",
        ]
    )
    assert odd.code == 2
    assert "as in 2-of-3" in odd.err


def test_tasks_are_served_and_exported_like_any_study(dialeval, answers, tmp_path):
    run(dialeval, "consistency tasks answers.jsonl -o tasks")
    fill(tmp_path / "tasks/for_raters/tasks.csv", tmp_path / "filled.csv")
    run(
        dialeval,
        "consistency label answers.jsonl --scores filled.csv --key tasks/key.jsonl -o by_table.jsonl",
    )
    run(dialeval, "annotate import tasks filled.csv")
    run(dialeval, "annotate export tasks -o judged.jsonl")
    run(dialeval, "consistency label answers.jsonl --scores judged.jsonl -o by_export.jsonl")
    assert read(tmp_path / "by_table.jsonl") == read(tmp_path / "by_export.jsonl")


def test_judgements_of_something_else_write_no_file(dialeval, answers, tmp_path):
    other = [{"item": "x", "system": "y", "rater": "r", "criterion": "contradiction", "value": 1}]
    put(tmp_path / "other.jsonl", other)
    done = dialeval(
        *["consistency", "label", "answers.jsonl", "--scores", "other.jsonl", "-o", "labelled.jsonl"]
    )
    assert done.code == 1
    assert "No answer gets a label" in done.err
    assert "unknown candidate" in done.err
    assert not (tmp_path / "labelled.jsonl").exists()


def test_a_sample_is_random_and_stated(dialeval, answers, tmp_path):
    made = run(dialeval, "annotate init answers.jsonl -o ratings --sample 5 --seed 3")
    told = f"a random sample of 5 of {len({row['id'] for row in answers})} items, seed 3"
    assert told in made.err
    assert "10 items" in made.out  # of both systems
    assert json.loads((tmp_path / "ratings/study.json").read_text())["provenance"]["sample"] == told
    tasks = run(dialeval, "consistency tasks answers.jsonl -o tasks --sample 5 --seed 3")
    assert told in tasks.err

    def items(study):
        return {row["item"] for row in read(tmp_path / study / "key.jsonl")}

    assert items("tasks") == items("ratings") != {row["id"] for row in answers[:10]}
    assert (
        dialeval(
            *["consistency", "tasks", "answers.jsonl", "-o", "more", "--sample", "5", "--limit", "5"]
        ).code
        == 2
    )


@pytest.mark.slow
def test_a_detector_is_trained_on_the_labels_and_used(dialeval, answers, tmp_path):
    pytest.importorskip("torch")
    run(dialeval, "annotate init answers.jsonl -o ratings")
    judged(dialeval, tmp_path)
    run(dialeval, "consistency label answers.jsonl --scores judged.jsonl -o labelled.jsonl")
    unsettled = [row["label"] for row in read(tmp_path / "labelled.jsonl")].count("ambiguous")
    trained = run(dialeval, "train contradiction labelled.jsonl -o det --epochs 1 --rank 2 --validation 0.3")
    assert f"left out {unsettled} ambiguous pairs" in trained.err
    evaluated = run(
        dialeval,
        "consistency evaluate labelled.jsonl --model det --leave-one-out --epochs 1 --json",
    )
    targets = json.loads(evaluated.out)["leave_one_out"]
    assert [each["system"] for each in targets] == ["old", "new"]
    assert all(each["after"] is not None and each["trained_on"] > 0 for each in targets)
    assert run(dialeval, "consistency detect dialogues.jsonl --model det --json").code == 0


@pytest.mark.slow
def test_a_detector_on_a_slower_base_reads_as_many_passages_as_when_it_was_calibrated(
    dialeval, answers, tmp_path
):
    pytest.importorskip("torch")
    from safetensors import safe_open
    from safetensors.numpy import load_file, save_file

    make_small(tmp_path / "small", "deberta-v2")
    run(dialeval, "annotate init answers.jsonl -o ratings")
    judged(dialeval, tmp_path)
    run(dialeval, "consistency label answers.jsonl --scores judged.jsonl -o labelled.jsonl")
    options = "--encoder small --epochs 1 --rank 2 --validation 0.3"
    run(dialeval, f"train contradiction labelled.jsonl -o det {options}")
    path = tmp_path / "det" / "adapter.safetensors"
    assert PairDetector(str(path)).nearest == NEAREST
    scored = json.loads(run(dialeval, "score dialogues.jsonl -m contradiction_rate(model='det') --json").out)
    assert f"nearest={NEAREST}" in scored["results"][0]["signature"].split("|"), scored["results"][0][
        "signature"
    ]
    with safe_open(path, "np") as file:
        about = json.loads(file.metadata()[ABOUT])
    del about["facts"]["nearest"]
    save_file(load_file(path), tmp_path / "older.safetensors", {ABOUT: json.dumps(about)})
    assert PairDetector(str(tmp_path / "older.safetensors")).nearest is None, "calibrated on all passages"
