"""``dialeval train yesno``: a classifier from a file of exchanges, to be used by ``dialeval nbest answers``."""

from __future__ import annotations

import json

import pytest

ANSWERS = {"yes": "Yes, I do.", "no": "No way.", "ambiguous": "Perhaps."}


@pytest.fixture
def corpus(tmp_path):
    labels = list(ANSWERS)
    rows = [
        {
            "id": str(number),
            "question": f"Do you like number {number}?",
            "answer": ANSWERS[labels[number % 3]],
            "label": labels[number % 3],
            "scenario": f"s{number % 6}",
        }
        for number in range(60)
    ]
    (tmp_path / "exchanges.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "exchanges.jsonl"


def test_a_classifier_is_trained_and_used(dialeval, corpus, tmp_path):
    done = dialeval("train", "yesno", corpus, "-o", "mine", "--epochs", "1", "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert (told["folder"], told["split"], told["test"]["accuracy"]["n"]) == ("mine", "scenario", 10)
    assert told["first_word"]["accuracy"]["value"] == 1
    assert "Scenarios that are only held out" in (tmp_path / "mine" / "README.md").read_text()
    (tmp_path / "asked.jsonl").write_text(
        json.dumps({"id": "a", "question": "Do you smoke?", "answer": "No."}) + "\n"
    )
    used = dialeval("nbest", "answers", "asked.jsonl", "--model", "mine", "--json")
    assert used.code == 0, used.err
    again = dialeval("train", "yesno", corpus, "-o", "mine", "--epochs", "1")
    assert "Use it: dialeval nbest answers FILE --model mine" in again.out


def test_all_weights_of_a_classifier_can_be_trained(dialeval, corpus, roberta, tmp_path):
    done = dialeval(
        "train", "yesno", corpus, "-o", "whole", "--epochs", 1, "--encoder", roberta, "--rank", 0, "--tokens", 32,
        "--weight-decay", 0.01, "--device", "cpu", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "all weights of" in (tmp_path / "whole" / "README.md").read_text()
