"""The four networks: what a step gives is what a whole response gives, whoever stands beside it."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from dialeval.systems.decoding import Decoding, StepModel, decode
from dialeval.systems.trained.config import Shape
from dialeval.systems.trained.generator import GeneratorModel, build
from dialeval.systems.trained.networks import Network, fold_norms
from dialeval.systems.trained.subwords import END, START
from dialeval.systems.trained.trainer import Objective, OwnLearner, TokenLesson
from support.small_generators import ARCHITECTURES, shape, two_words

CONTEXTS = [(5, 6, END), (END,), (7, 8, 9, 10, 11, 5, 6, END)]
RESPONSES = [(9, 4, 7, END), (END,), (5, 6, 7, 8, 9, 10, 11, 4, END)]


def network(architecture, **changes) -> Network:
    return build(shape(architecture, **changes), 12, seed=5).eval()


def learner(network: Network) -> OwnLearner:
    return OwnLearner(network, two_words(), turns=3, longest_context=20, longest_response=20)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_step_by_step_is_the_same_as_all_at_once(architecture):
    model: StepModel = GeneratorModel(network(architecture))
    whole = model.logprobs(CONTEXTS, RESPONSES, 64)
    with torch.inference_mode():
        logprobs, state = model.start(CONTEXTS)
        found = [0.0] * 3
        for at in range(max(map(len, RESPONSES))):
            tokens = [response[min(at, len(response) - 1)] for response in RESPONSES]
            for row, response in enumerate(RESPONSES):
                found[row] += float(logprobs[row, tokens[row]]) if at < len(response) else 0.0
            assert logprobs.exp().sum(-1).tolist() == pytest.approx([1.0] * 3, abs=1e-5)
            logprobs, state = model.step(torch.tensor(tokens), state)
    assert found == pytest.approx(whole, abs=1e-4)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_rows_can_be_dropped_repeated_and_reordered(architecture):
    model = GeneratorModel(network(architecture))
    with torch.inference_mode():
        _, state = model.start(CONTEXTS)
        _, state = model.step(torch.tensor([9, 5, 6]), state)
        picked = model.select(state, torch.tensor([2, 0, 2]))
        found, _ = model.step(torch.tensor([4, 4, 5]), picked)
        alone = []
        for context, first, second in ((2, 6, 4), (0, 9, 4), (2, 6, 5)):
            _, own = model.start([CONTEXTS[context]])
            _, own = model.step(torch.tensor([first]), own)
            alone.append(model.step(torch.tensor([second]), own)[0])
    assert torch.allclose(found, torch.cat(alone), atol=1e-5)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_company_and_padding_change_no_score(architecture):
    model = GeneratorModel(network(architecture))
    together = model.logprobs([*CONTEXTS, CONTEXTS[0]], [*RESPONSES, RESPONSES[2]], 64)
    alone = [
        model.logprobs([context], [response], 1)[0]
        for context, response in zip([*CONTEXTS, CONTEXTS[0]], [*RESPONSES, RESPONSES[2]], strict=True)
    ]
    assert together == pytest.approx(alone, abs=1e-4)
    assert together[3] != pytest.approx(together[2], abs=1e-3)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_company_and_padding_change_no_loss(architecture):
    objective = Objective(learner(network(architecture)), smoothing=0.1, alpha=2.0)
    lessons = [
        TokenLesson(context, response, RESPONSES[0])
        for context, response in zip(CONTEXTS, RESPONSES, strict=True)
    ]
    together = objective.loss(lessons).sums
    alone = [objective.loss([lesson]).sums for lesson in lessons]
    for name, number in (("nats", 14), ("unlikelihood", 12)):
        assert together[name].total == pytest.approx(sum(sums[name].total for sums in alone), abs=1e-4)
        assert together[name].number == number


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_losses_are_the_scores(architecture):
    net = network(architecture)
    loss = Objective(learner(net)).loss([TokenLesson(CONTEXTS[2], RESPONSES[2])])
    assert loss.sums["nats"].total == pytest.approx(
        -GeneratorModel(net).logprobs(CONTEXTS[2:], RESPONSES[2:], 1)[0], abs=1e-4
    )


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_no_token_sees_what_comes_after_it(architecture):
    net = network(architecture)
    with torch.inference_mode():
        logits = [learner(net).logits([CONTEXTS[0]], [(9, 4, last, END)])[:3] for last in (7, 10)]
    assert torch.equal(logits[0], logits[1])


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_context_matters(architecture):
    model = GeneratorModel(network(architecture))
    scores = model.logprobs(CONTEXTS, [RESPONSES[0]] * 3, 8)
    assert len({round(score, 4) for score in scores}) == 3


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_two_word_vocabulary_by_hand(architecture):
    # With all weights 0 only the output's bias speaks: P(yes) = 0.5, P(no) = 0.25, P(end) = 0.125.
    net = build(Shape(architecture, layers=1, embedding=4, hidden=4, heads=2), 6, seed=0).eval()
    fold_norms(net)
    with torch.no_grad():
        for weight in net.parameters():
            weight.zero_()
        net.bias.copy_(torch.tensor([0.125 / 3, 0.125 / 3, 0.125, 0.125 / 3, 0.5, 0.25]).log())
    words = two_words()
    scores = GeneratorModel(net).logprobs([(END,)] * 3, [words.response(t) for t in ("yes no", "", "no")], 8)
    half = math.log(0.5)
    assert scores == pytest.approx([half + 2 * half + 3 * half, 3 * half, 2 * half + 3 * half], abs=1e-6)
    ((greedy,),) = decode(GeneratorModel(net), [(END,)], Decoding(max_tokens=3))
    assert greedy == ((4, 4, 4), pytest.approx(3 * half, abs=1e-6), False)


def test_a_gru_and_its_attention_by_hand():
    # One unit each way, written out: encoder, bridge, decoder, Luong's general attention, tied output.
    net = build(Shape("gru", layers=1, embedding=1, hidden=2, dropout=0.0), 6, seed=3).eval()
    w = {name: weight.detach().double().numpy() for name, weight in net.named_parameters()}

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    def gru(x, h, part, suffix=""):
        gates_x = w[f"{part}.weight_ih_l0{suffix}"] @ x + w[f"{part}.bias_ih_l0{suffix}"]
        gates_h = w[f"{part}.weight_hh_l0{suffix}"] @ h + w[f"{part}.bias_hh_l0{suffix}"]
        (rx, zx, nx), (rh, zh, nh) = np.split(gates_x, 3), np.split(gates_h, 3)
        reset, update = sigmoid(rx + rh), sigmoid(zx + zh)
        return (1 - update) * np.tanh(nx + reset * nh) + update * h

    context, response = (4, 5, END), (5, END)
    vectors = w["words.weight"]
    forth, back = [np.zeros(1)], [np.zeros(1)]
    for token in context:
        forth.append(gru(vectors[token], forth[-1], "encoder"))
    for token in context[::-1]:
        back.append(gru(vectors[token], back[-1], "encoder", "_reverse"))
    states = np.array([np.concatenate(pair) for pair in zip(forth[1:], back[:0:-1], strict=True)])
    hidden = np.tanh(w["bridge.weight"] @ np.concatenate([forth[-1], back[-1]]) + w["bridge.bias"])
    expected = 0.0
    for before, token in zip((START, *response), response, strict=False):
        hidden = gru(vectors[before], hidden, "decoder")
        scores = (states @ w["keys.weight"].T) @ hidden
        weights = np.exp(scores) / np.exp(scores).sum()
        joined = np.concatenate([weights @ states, hidden])
        out = np.tanh(w["combine.weight"] @ joined + w["combine.bias"])
        logits = vectors @ out + w["bias"]
        expected += logits[token] - np.log(np.exp(logits).sum())
    assert GeneratorModel(net).logprobs([context], [response], 1)[0] == pytest.approx(expected, abs=1e-5)


def test_folding_norms_changes_no_score():
    net = network("convs2s")
    before = GeneratorModel(net).logprobs(CONTEXTS, RESPONSES, 8)
    fold_norms(net)
    assert GeneratorModel(net).logprobs(CONTEXTS, RESPONSES, 8) == pytest.approx(before, abs=1e-5)
    assert not any("original" in name for name, _ in net.named_parameters())


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_texts_longer_than_any_position_table_are_scored(architecture):
    model = GeneratorModel(network(architecture, positions=4))
    score = model.logprobs([(*[5, 6] * 20, END)], [(*[7, 8] * 30, END)], 1)[0]
    assert math.isfinite(score)
    assert score < 0
