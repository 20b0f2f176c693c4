from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from dialeval.errors import DialevalError, Unsuitable
from dialeval.nlg.generators.config import LAYOUT, Shape, TrainConfig
from dialeval.nlg.generators.folder import read_network
from dialeval.nlg.generators.system import Nlg
from dialeval.nlg.generators.trainer import train
from dialeval.training.loop import Session
from support.processes import environment
from support.small_nlg import MODELS, by_heart, config, made_items, made_split, write_rnnlg

FILES = ("model.safetensors", "nlg.json", "vocabulary.json", "README.md")


class Stop(Exception):
    """What interrupts a run in these tests."""


class StopAfter:
    def __init__(self, batches: int) -> None:
        self.left = batches

    def advance(self, n: int, /) -> None:
        self.left -= n > 0
        if self.left < 0:
            raise Stop


@pytest.mark.parametrize("model", MODELS)
def test_a_made_corpus_is_learnt_and_a_name_never_met_is_filled_in(tmp_path: Path, model) -> None:
    done = train(made_split(), by_heart(model), tmp_path)
    assert done.perplexity is not None
    assert done.perplexity < 1.2
    items = made_items()
    written = Nlg("mine", tmp_path).write(
        [item.meaning for item in items], n=2, seeds=list(range(len(items)))
    )
    assert [sentences[0].text for sentences in written] == [item.references[0] for item in items]
    assert not any(sentences[0].errors for sentences in written)


def test_the_loss_falls_and_is_what_it_was(tmp_path: Path) -> None:
    done = train(made_split(), config(), tmp_path)
    nats = [each.train["nats"] for each in done.history]
    assert nats == pytest.approx(LOSSES, abs=2e-3)
    assert (done.sentences, done.held_out, done.incomplete) == (29, 9, 0)


LOSSES = (3.23806, 2.76846, 2.42483)


@pytest.mark.parametrize("model", MODELS)
def test_a_run_that_was_stopped_ends_with_the_same_bytes(tmp_path: Path, model) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    train(made_split(), config(model), whole)
    with pytest.raises(Stop):
        train(made_split(), config(model), broken, session=Session(progress=StopAfter(5)))
    assert LAYOUT.missing(broken)
    train(made_split(), config(model), broken)
    for name in FILES:
        assert (broken / name).read_bytes() == (whole / name).read_bytes()


def test_a_run_that_was_killed_ends_with_the_same_bytes(tmp_path: Path) -> None:
    corpus = write_rnnlg(tmp_path / "corpus")
    command = [
        sys.executable,
        "-m",
        "dialeval",
        "train",
        "nlg",
        f"rnnlg:{corpus}",
        "--epochs",
        "400",
        "--hidden",
        "16",
    ]
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment()}
    subprocess.run([*command, "-o", str(tmp_path / "whole")], check=True, **given)
    running = subprocess.Popen([*command, "-o", str(tmp_path / "killed")], **given)
    deadline = time.monotonic() + 120
    while not (tmp_path / "killed" / "checkpoint.safetensors").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(running.pid, signal.SIGKILL)
    running.communicate()
    assert LAYOUT.missing(tmp_path / "killed")
    resumed = subprocess.run([*command, "-o", str(tmp_path / "killed")], check=True, text=True, **given)
    assert "Resuming from update" in resumed.stderr
    for name in FILES:
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    train(made_split(), config(epochs=1), tmp_path)
    with pytest.raises(Unsuitable, match=r"seed was 0 and is 1\. Give another folder.*--no-resume"):
        train(made_split(), config(seed=1), tmp_path)


def test_training_starts_from_word_vectors(tmp_path: Path) -> None:
    words = ["serves", "food", "allows", "thai"]
    matrix = np.random.default_rng(0).normal(size=(4, 7)).astype(np.float32)
    np.save(tmp_path / "vectors.npy", matrix)
    (tmp_path / "vectors.txt").write_text("\n".join(words), encoding="utf-8")
    source = str(tmp_path / "vectors.npy")
    slow = config("hld-sclstm", epochs=1)
    slow = replace(slow, vectors=source, schedule=replace(slow.schedule, learning_rate=1e-9))
    train(made_split(), slow, tmp_path / "model")
    network, vocabulary = read_network(tmp_path / "model")
    assert network.words.embedding_dim == 7
    rows = [vocabulary.words.index(word) for word in words[:3]]
    learnt, given = network.words.weight[rows].detach().numpy(), matrix[:3]
    assert np.allclose(learnt / np.linalg.norm(learnt), given / np.linalg.norm(given), atol=1e-3)
    assert network.encoder is not None
    assert torch.isfinite(network.encoder.words.weight).all()
    about = json.loads((tmp_path / "model" / "nlg.json").read_text())
    assert len(about["data"]["vectors"]) == 64


def test_vectors_of_none_of_the_words_are_refused(tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("zzz 1 2\nyyy 2 1\n", encoding="utf-8")
    with pytest.raises(Unsuitable, match="has a vector in"):
        train(made_split(), replace(config(), vectors=str(tmp_path / "vectors.txt")), tmp_path / "model")


def test_the_random_model_has_no_weights_and_says_a_training_sentence(tmp_path: Path) -> None:
    done = train(made_split(), config("random"), tmp_path)
    assert (done.weights, done.perplexity, done.history) == (0, None, ())
    items = made_items()
    written = Nlg("mine", tmp_path).write([item.meaning for item in items], n=1, seeds=[0] * len(items))
    plain = [item for item in items if "kidsallowed" not in str(item.meaning)]
    said = {item.item: sentences[0].text for item, sentences in zip(items, written, strict=True)}
    assert 0 < len(plain) < len(items)
    assert all(said[item.item] == item.references[0] for item in plain)


def test_the_card_says_data_settings_and_losses(tmp_path: Path) -> None:
    done = train(made_split(), config("d-sclstm"), tmp_path)
    card = (tmp_path / "README.md").read_text()
    assert "(d-sclstm)" in card
    assert "29 sentences with acts" in card
    assert "| hidden | 24 |" in card
    assert f"{done.weights:,} weights" in card
    assert f"{done.perplexity:.4f} |" in card


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(DialevalError, match="hidden is 0; expected 1 or more"):
        Shape(hidden=0)
    with pytest.raises(DialevalError, match="unknown is 1"):
        TrainConfig(unknown=1)
