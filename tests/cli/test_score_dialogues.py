"""``dialeval score`` on files of dialogues: whole ones for the metrics that judge them, last turns for the others."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sys
from pathlib import Path

import pytest

from dialeval.encoder.files import Weights
from dialeval.selfeval.metric import SHIPPED


def message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


TALKS = [
    {
        "id": "d1",
        "system": "a",
        "messages": [
            message("system", "Be brief."),
            message("user", "Do you like tea?"),
            message("assistant", "Yes, green tea most of all."),
            message("user", "I prefer black tea."),
            message("assistant", "The train is late again."),
        ],
    },
    {
        "id": "d2",
        "system": "a",
        "messages": [message("user", "Hello?"), message("assistant", "Hello to you.")],
    },
    {"id": "d3", "system": "a", "messages": [message("assistant", "Anyone there?")]},
]


@pytest.fixture
def talks(tmp_path: Path, minilm: Weights) -> Path:
    path = tmp_path / "talks.jsonl"
    path.write_text("".join(json.dumps(talk) + "\n" for talk in TALKS))
    return path


def test_whole_dialogues_and_last_turns_side_by_side(dialeval, talks):
    done = dialeval("score", talks, "-m", "selfeval", "-m", "length", "--per-item", "items.jsonl", "--json")
    assert done.code == 0
    rows = {row["metric"]: row for row in json.loads(done.out)["results"]}
    assert (rows["selfeval"]["n"], rows["selfeval"]["unscored"]) == (2, 1)
    assert rows["length"]["n"] == 3
    assert "length: judged by the last turn of each dialogue" in done.err
    items = [json.loads(line) for line in Path("items.jsonl").read_text().splitlines()]
    own = {line["item"]: line for line in items if line["rater"].startswith("selfeval")}
    assert own["d3"]["value"] is None
    assert own["d3"]["reason"] == "no response to an earlier turn"


def test_contradictions_are_looked_for_in_whole_dialogues(dialeval, tmp_path, minilm):
    said = ["Any pets?", "I have two dogs.", "Oh.", "I have never had a dog.", "What?", "Never mind.", "Bye."]
    messages = [message(("user", "assistant")[place % 2], text) for place, text in enumerate(said)]
    path = tmp_path / "talks.jsonl"
    path.write_text(json.dumps({"id": "d1", "system": "a", "messages": messages}) + "\n")
    done = dialeval("score", path, "-m", "contradiction_rate", "-m", "contradiction_free", "--json")
    assert done.code == 0, done.err
    assert [row["score"] for row in json.loads(done.out)["results"]] == [1.0, 0.0]
    (detected,) = json.loads(dialeval("consistency", "detect", path, "--json").out)["dialogues"]
    assert (detected["pair"], detected["verdict"]) == ([2, 4], "contradiction")


def test_standard_input_is_scored_as_the_file_is(dialeval, talks, monkeypatch):
    expected = json.loads(dialeval("score", talks, "-m", "selfeval", "--json").out)["results"][0]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(talks.read_bytes())))
    piped = json.loads(dialeval("score", "-", "-m", "selfeval", "--json").out)["results"][0]
    assert piped == expected


def test_the_turn_that_hurts_is_found(dialeval, talks):
    done = dialeval("score", talks, "-m", "selfeval", "--per-turn", "turns.jsonl")
    assert done.code == 0
    lines = [json.loads(line) for line in Path("turns.jsonl").read_text().splitlines()]
    first = [line for line in lines if line["dialogue"] == "d1"]
    assert [(line["turn"], line["role"]) for line in first] == [
        (2, "user"),
        (3, "assistant"),
        (4, "user"),
        (5, "assistant"),
    ]
    # The instruction has no line and is counted, as in the file and in 'consistency detect'.
    [worst] = [line for line in first if line["worst"]]
    assert (worst["item"], worst["text"]) == ("d1/5", "The train is late again.")
    assert [line["value"] for line in lines if line["dialogue"] == "d2"] == [None, None]
    assert "d1 (a): worst is turn 5, +" in done.out


def test_turns_are_shown_below_their_dialogue_within_80_columns(dialeval, talks):
    said = (
        "I have a dog.",
        "What is your dog called?",
        "Max, he is a big dog. " * 9,
        "The train leaves at nine.",
    )
    messages = [message(("user", "assistant")[n % 2], text) for n, text in enumerate(said)]
    talks.write_text(json.dumps({"id": "d", "system": "a", "messages": messages}) + "\n")
    done = dialeval("score", talks, "-m", "selfeval", "--per-turn", "turns.jsonl")
    shown = done.out[done.out.index("d (a): worst is turn 4") :].splitlines()[1:]
    assert [line[:3] for line in shown] == ["  1", "  2", "  3", "> 4"]
    assert shown[3].endswith("The train leaves at nine.")
    assert all(len(line) <= 80 for line in done.out.splitlines())


def test_a_user_never_has_the_worst_turn(dialeval, talks):
    said = (
        "Do you like tea?",
        "Yes, green tea.",
        "The engine needs new oil by Tuesday.",
        "Green tea is my favourite tea.",
    )
    messages = [message(("user", "assistant")[n % 2], text) for n, text in enumerate(said)]
    talks.write_text(json.dumps({"id": "d", "system": "a", "messages": messages}) + "\n")
    dialeval("score", talks, "-m", "selfeval", "--per-turn", "turns.jsonl")
    lines = [json.loads(line) for line in Path("turns.jsonl").read_text().splitlines()]
    assert max(lines, key=lambda line: line["value"])["role"] == "user"
    assert all(line["role"] == "assistant" for line in lines if line["worst"])


def test_turns_are_the_same_rows_in_every_format_and_are_judgements(dialeval, talks):
    pq = pytest.importorskip("pyarrow.parquet")
    for ending in ("jsonl", "csv", "parquet"):
        assert dialeval("score", talks, "-m", "selfeval", "--per-turn", f"turns.{ending}").code == 0
        checked = dialeval("data", "validate", f"turns.{ending}")
        assert checked.out.startswith("7 judgement records"), checked.out + checked.err
        assert "unknown field" not in checked.out
    lines = [json.loads(line) for line in Path("turns.jsonl").read_text().splitlines()]
    assert pq.read_table("turns.parquet").to_pylist() == lines
    with open("turns.csv", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert [row["text"] for row in rows] == [line["text"] for line in lines]
    assert [row["worst"] == "true" for row in rows] == [line["worst"] for line in lines]


def test_turns_of_detect_and_of_per_turn_have_the_same_numbers(dialeval, tmp_path, minilm):
    said = ["Be nice.", "Any pets?", "I have two dogs.", "Oh.", "I have never had a dog."]
    roles = ["system", "user", "assistant", "user", "assistant"]
    messages = [message(role, text) for role, text in zip(roles, said, strict=True)]
    path = tmp_path / "talks.jsonl"
    path.write_text(json.dumps({"id": "d", "system": "a", "messages": messages}) + "\n")
    (detected,) = json.loads(dialeval("consistency", "detect", path, "--json").out)["dialogues"]
    dialeval("score", path, "-m", "selfeval", "--per-turn", "turns.jsonl")
    texts = {
        row["turn"]: row["text"] for row in map(json.loads, Path("turns.jsonl").read_text().splitlines())
    }
    assert detected["pair"] == [3, 5]
    assert [(quote["turn"], quote["text"]) for quote in detected["quotes"]] == [
        (3, texts[3]),
        (5, texts[5]),
    ]


def test_two_models_of_a_metric_have_turns_of_their_own(dialeval, talks, tmp_path):
    copy = tmp_path / "copy"
    copy.mkdir()
    shutil.copyfile(SHIPPED / "selfeval.safetensors", copy / "adapter.safetensors")
    other = f"selfeval(model={str(copy)!r})"
    done = dialeval("score", talks, "-m", "selfeval", "-m", other, "--per-turn", "turns.jsonl")
    assert done.out.count("d1 (a): worst is turn 5") == 2


def test_turns_need_a_metric_that_weighs_them(dialeval, talks):
    done = dialeval("score", talks, "-m", "length", "--per-turn", "turns.jsonl")
    assert done.code == 2
    assert "a metric that weighs" in " ".join(done.err.split())


def test_a_scorer_tuned_on_ratings_says_what_it_is_and_learns_as_long_as_told(dialeval, tmp_path, minilm):
    pytest.importorskip("torch")
    talk = TALKS[0]["messages"]
    subjects = [{"id": f"t{n}", "system": "a", "messages": talk} for n in range(20)]
    ratings = [
        {"item": f"t{n}", "system": "a", "rater": "r", "criterion": "overall", "value": 1 + n % 5}
        for n in range(20)
    ]
    for name, rows in (("talks", subjects), ("ratings", ratings)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ("train", "selfeval", tmp_path / "talks.jsonl", "--labels", tmp_path / "ratings.jsonl")
    done = dialeval(*command, "-o", tmp_path / "tuned", "--epochs", "2")
    assert done.code == 0, done.err
    card = (tmp_path / "tuned" / "README.md").read_text()
    assert "ratings of 20 subjects of `talks.jsonl`" in card
    assert [line.split("|")[1].strip() for line in card.splitlines()[-2:]] == ["1", "2"]
    other = dialeval(*command, "-o", tmp_path / "other", "--epochs", "2", "--learning-rate", "0.01")
    assert other.code == 0, other.err
    weights = [(tmp_path / name / "adapter.safetensors").read_bytes() for name in ("tuned", "other")]
    assert weights[0] != weights[1]
