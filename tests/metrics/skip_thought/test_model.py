"""The network against a GRU written out in numpy, and its loss against log-probabilities computed one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from dialeval.metrics.skip_thought.config import TrainConfig
from dialeval.metrics.skip_thought.model import Batch, SkipThought, run_encoder

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
    loss = model.loss(batch)
    assert loss.words == words == 9
    assert loss.nats.item() == pytest.approx(expected, rel=1e-5)


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
