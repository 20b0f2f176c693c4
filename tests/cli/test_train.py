"""``dialeval train`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

pytest.importorskip("torch")


def write_dialogues(path: Path, count: int = 6) -> Path:
    rows = [
        {
            "id": str(at),
            "messages": [
                {"role": "user", "content": f"do you like number {at} ?"},
                {"role": "assistant", "content": f"yes , {at} is fine"},
                {"role": "user", "content": "good to hear"},
            ],
        }
        for at in range(count)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_training_then_scoring(dialeval, tmp_path):
    corpus = write_dialogues(tmp_path / "talk.jsonl")
    done = dialeval(
        "train", "skip-thought", corpus, "-o", "model", "--scale", "tiny", "--epochs", 2, "--json"
    )
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["turns"] == 18
    assert len(told["losses"]) == 2
    assert "18 turns with neighbours" in done.err
    again = dialeval("train", "skip-thought", corpus, "-o", "model", "--scale", "tiny", "--epochs", 2)
    assert f"epoch 2: {told['losses'][1]:.4f} nats per word" in again.out
    assert "skip_thought(model='model')" in again.out
    (tmp_path / "hyp.txt").write_text("yes , 3 is fine\n")
    scored = dialeval(
        "score", "--hyp", "hyp.txt", "--ref", "hyp.txt", "-m", "skip_thought(model='model')", "--json"
    )
    assert json.loads(scored.out)["results"][0]["score"] == pytest.approx(1)


def test_what_cannot_be_learnt_from_is_refused(dialeval, tmp_path):
    questions = tmp_path / "q.jsonl"
    questions.write_text('{"id": "1", "context": [], "candidates": [{"text": "a", "correct": true}]}\n')
    done = dialeval("train", "skip-thought", questions, "-o", "model")
    assert done.code == 1
    assert "holds question records; needed are dialogues, or prompts with references" in done.err


def test_a_folder_with_other_things_is_never_written_into(dialeval, tmp_path):
    corpus = write_dialogues(tmp_path / "talk.jsonl")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    done = dialeval("train", "skip-thought", corpus, "-o", "mine")
    assert done.code == 1
    assert "found a folder with other files" in done.err


def test_the_scales_of_the_command_are_those_of_the_library():
    from dialeval.cli.train import Scale
    from dialeval.metrics.skip_thought.config import SCALES

    assert get_args(Scale) == tuple(SCALES)
