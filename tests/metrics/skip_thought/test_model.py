"""The network against a GRU written out in numpy, its loss against log-probabilities computed one by one; training."""

from __future__ import annotations

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

from dialeval.errors import BadInput, DialevalError, Unsuitable
from dialeval.metrics.embedding.vectors import table
from dialeval.metrics.skip_thought.folder import SCALES, TrainConfig
from dialeval.metrics.skip_thought.model import Batch, SkipThought, expand, fit_linear_map, run_encoder, train
from dialeval.training.loop import Session
from support.made_dialogues import TINY, made_triples
from support.processes import environment

CONFIG = TrainConfig(word_size=3, sentence_size=4, vocabulary=8)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def numpy_gru(gru: torch.nn.GRU, inputs: np.ndarray, suffix: str = "") -> np.ndarray:
    """All states of a GRU by the equations: reset, update, new; (steps, inputs) to (steps, size)."""
    w, u, b, c = (
        gru.get_parameter(f"{name}_l0{suffix}").detach().double().numpy()
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    size = u.shape[1]
    state, states = np.zeros(size), []
    for x in inputs:
        from_input, from_state = w @ x + b, u @ state + c
        reset = sigmoid(from_input[:size] + from_state[:size])
        update = sigmoid(from_input[size : 2 * size] + from_state[size : 2 * size])
        new = np.tanh(from_input[2 * size :] + reset * from_state[2 * size :])
        state = update * state + (1 - update) * new
        states.append(state)
    return np.array(states)


def build(part: str, seed: int = 5) -> SkipThought:
    model = SkipThought(part, 10, CONFIG)  # type: ignore[arg-type]
    model.initialise(seed)
    with torch.no_grad():  # biases begin at 0, where a mistake in them would not show
        for name, weight in model.named_parameters():
            if weight.dim() == 1:
                weight.uniform_(-0.5, 0.5, generator=torch.Generator().manual_seed(len(name)))
    return model


def embed(model: SkipThought, ids: list[int]) -> np.ndarray:
    return model.words.weight.detach().double().numpy()[ids]


SENTENCES = [[2, 3, 4, 5], [6], [7, 2]]


def test_the_forward_encoder_gives_its_last_state() -> None:
    model = build("uni")
    found = run_encoder(model.encoder, [model.words(torch.tensor(ids)) for ids in SENTENCES])
    expected = [numpy_gru(model.encoder, embed(model, ids))[-1] for ids in SENTENCES]
    np.testing.assert_allclose(found.detach().numpy(), expected, atol=1e-6)


def test_the_encoder_of_both_ways_joins_both_last_states() -> None:
    model = build("bi")
    found = run_encoder(model.encoder, [model.words(torch.tensor(ids)) for ids in SENTENCES])
    assert found.shape == (3, 4)
    for row, ids in zip(found.detach().numpy(), SENTENCES, strict=True):
        words = embed(model, ids)
        np.testing.assert_allclose(row[:2], numpy_gru(model.encoder, words)[-1], atol=1e-6)
        np.testing.assert_allclose(row[2:], numpy_gru(model.encoder, words[::-1], "_reverse")[-1], atol=1e-6)


def test_the_loss_is_the_sum_of_log_probabilities_of_both_neighbours() -> None:
    model = build("uni")
    batch = Batch(here=[[2, 3], [4, 5, 6]], before=[[7, 8, 9], []], after=[[2], [3, 4]])
    weight, bias = (each.detach().double().numpy() for each in (model.output.weight, model.output.bias))
    expected, words = 0.0, 0
    for at, here in enumerate(batch.here):
        sentence = numpy_gru(model.encoder, embed(model, here))[-1]
        for decoder, neighbour in ((model.before, batch.before[at]), (model.after, batch.after[at])):
            if not neighbour:
                continue
            wanted = [*neighbour, 0]
            previous = np.vstack([np.zeros(3), embed(model, wanted[:-1])])
            inputs = np.hstack([previous, np.tile(sentence, (len(wanted), 1))])
            logits = numpy_gru(decoder, inputs) @ weight.T + bias
            logprobs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
            expected -= sum(logprobs[step, word] for step, word in enumerate(wanted))
            words += len(wanted)
    nats, count = model.loss(batch)
    assert count == words == 9
    assert nats.item() == pytest.approx(expected, rel=1e-5)


def test_a_seed_draws_the_same_weights_and_leaves_torch_alone() -> None:
    before = torch.random.get_rng_state()
    one, same, other = (SkipThought("bi", 10, replace(CONFIG)) for _ in range(3))
    drawn = torch.random.get_rng_state()
    for model, seed in ((one, 1), (same, 1), (other, 2)):
        model.initialise(seed)
    assert torch.equal(torch.random.get_rng_state(), drawn)
    torch.random.set_rng_state(before)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), same.parameters(), strict=True))
    assert not torch.equal(one.words.weight, other.words.weight)
    gate = one.before.weight_hh_l0[:4]
    np.testing.assert_allclose((gate @ gate.T).detach().numpy(), np.eye(4), atol=1e-6)


def test_a_known_linear_map_is_found() -> None:
    draw = np.random.default_rng(0)
    source, wanted = draw.normal(size=(50, 4)), draw.normal(size=(4, 6))
    np.testing.assert_allclose(fit_linear_map(source, source @ wanted), wanted, atol=1e-10)


def test_words_the_model_never_met_are_carried_over() -> None:
    draw = np.random.default_rng(1)
    words = [f"w{at}" for at in range(12)]
    outside = draw.normal(size=(12, 3)).astype(np.float32)
    turn = draw.normal(size=(3, 5)).astype(np.float32)
    vectors = table("made", "0", words, outside)
    # The model knows ten of the twelve words, in another order, and one that the vectors lack.
    known = [*words[9::-1], "elsewhere"]
    own = np.vstack([outside[9::-1] @ turn, np.ones((1, 5), np.float32)])
    found, knows = expand(vectors, known, own)(["w11", "nowhere", "w10"])
    assert knows == [True, False, True]
    np.testing.assert_allclose(found[[0, 2]], (outside @ turn)[[11, 10]], atol=1e-5)


def test_too_few_shared_words_are_refused() -> None:
    vectors = table("made", "0", ["a", "b"], np.eye(2, 3, dtype=np.float32))
    with pytest.raises(Unsuitable, match="share 2 words; at least 3 are needed"):
        expand(vectors, ["a", "b"], np.ones((2, 4), np.float32))


class Stop(Exception):
    """What interrupts a run in these tests."""


class StopAfter:
    def __init__(self, batches: int) -> None:
        self.left = batches

    def advance(self, n: int, /) -> None:
        if n:
            self.left -= 1
        if self.left < 0:
            raise Stop


def test_the_loss_falls_and_is_what_it_was(tmp_path: Path) -> None:
    done = train(made_triples(), TINY, tmp_path)
    assert done.losses[0] > done.losses[1] > done.losses[2]
    assert done.losses == pytest.approx((3.01555, 2.79607, 2.62831), abs=2e-3)
    assert (done.triples, done.vocabulary) == (60, 21)


@pytest.mark.parametrize("batches", [0, 2, 5, 8, 23])
def test_a_run_that_was_stopped_ends_with_the_same_bytes(tmp_path: Path, batches: int) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    train(made_triples(), TINY, whole)
    with pytest.raises(Stop):
        train(made_triples(), TINY, broken, session=Session(progress=StopAfter(batches)))
    train(made_triples(), TINY, broken)
    for name in ("model.safetensors", "config.json", "vocabulary.txt", "README.md"):
        assert (broken / name).read_bytes() == (whole / name).read_bytes()


def test_more_epochs_go_on_from_where_training_ended(tmp_path: Path) -> None:
    train(made_triples(), replace(TINY, epochs=2), tmp_path / "a")
    more = train(made_triples(), TINY, tmp_path / "a")
    whole = train(made_triples(), TINY, tmp_path / "b")
    assert more.losses == whole.losses
    assert (tmp_path / "a" / "model.safetensors").read_bytes() == (
        tmp_path / "b" / "model.safetensors"
    ).read_bytes()


def test_a_checkpoint_of_another_run_is_not_gone_on_from(tmp_path: Path) -> None:
    train(made_triples(), replace(TINY, epochs=1), tmp_path)
    with pytest.raises(Unsuitable, match=r"seed was 0 and is 1\. Give another folder.*--no-resume"):
        train(made_triples(), replace(TINY, seed=1), tmp_path)
    with pytest.raises(Unsuitable, match="data was"):
        train(made_triples()[1:], TINY, tmp_path)
    train(made_triples(), replace(TINY, seed=1, epochs=1), tmp_path, session=Session(resume=False))


def test_a_broken_checkpoint_is_explained(tmp_path: Path) -> None:
    (tmp_path / "checkpoint.safetensors").write_bytes(b"\x00" * 20)
    with pytest.raises(BadInput, match=r"no readable checkpoint .*Train with --no-resume"):
        train(made_triples(), TINY, tmp_path)


def test_the_card_says_data_settings_and_losses(tmp_path: Path) -> None:
    done = train(made_triples(), replace(TINY, kind="uni"), tmp_path)
    card = (tmp_path / "README.md").read_text()
    assert "(uni-skip)" in card
    assert "60 turns" in card
    assert "| sentence_size | 16 |" in card
    assert f"| 3 | {done.losses[2]:.4f} |" in card


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(DialevalError, match="sentence size is 5; expected an even number"):
        TrainConfig(sentence_size=5)
    with pytest.raises(DialevalError, match="epochs is 0; expected 1 or more"):
        TrainConfig(epochs=0)


def test_the_papers_scale_is_the_papers() -> None:
    paper = SCALES["paper"]
    assert (paper.vocabulary, paper.word_size, paper.sentence_size) == (20000, 620, 2400)
    assert (paper.batch_size, paper.clip) == (128, 10.0)


@pytest.mark.slow
def test_a_run_killed_outright_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from dataclasses import replace\nfrom pathlib import Path\n"
        "from support.made_dialogues import TINY, made_triples\n"
        "from dialeval.metrics.skip_thought.model import train\n"
        "train(made_triples(), replace(TINY, epochs=12, save_every=1), Path(sys.argv[1]))\n"
    )
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    subprocess.run([sys.executable, "-c", script, str(whole)], env=environment(), check=True)
    process = subprocess.Popen([sys.executable, "-c", script, str(killed)], env=environment())
    deadline = time.monotonic() + 120
    while not (killed / "checkpoint.safetensors").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (killed / "model.safetensors").exists()
    subprocess.run([sys.executable, "-c", script, str(killed)], env=environment(), check=True)
    assert (killed / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()
