from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, strategies as st

from dialeval.systems.trained.learning import likelihood, unlikelihood


def test_likelihood_by_hand():
    logits = torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]).log()
    found = likelihood(logits, torch.tensor([0, 2]))
    assert float(found.nats) == pytest.approx(-math.log(0.5) - math.log(0.8))
    assert found.loss is found.nats


def test_smoothed_labels_are_those_of_torch():
    torch.manual_seed(0)
    logits, tokens = torch.randn(7, 11), torch.randint(0, 11, (7,))
    found = likelihood(logits, tokens, 0.1)
    theirs = torch.nn.functional.cross_entropy(logits, tokens, label_smoothing=0.1, reduction="sum")
    plain = torch.nn.functional.cross_entropy(logits, tokens, reduction="sum")
    assert float(found.loss) == pytest.approx(float(theirs), rel=1e-6)
    assert float(found.nats) == pytest.approx(float(plain), rel=1e-6)


def test_unlikelihood_by_hand():
    logits = torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]).log()
    found = unlikelihood(logits, torch.tensor([1, 2]))
    assert float(found) == pytest.approx(-math.log(1 - 0.25) - math.log(1 - 0.8), rel=1e-6)


def test_its_gradient_is_what_small_changes_say():
    torch.manual_seed(1)
    logits = torch.randn(4, 6, dtype=torch.float64, requires_grad=True)
    tokens = torch.tensor([0, 5, 2, 2])
    assert torch.autograd.gradcheck(lambda x: unlikelihood(x, tokens), (logits,))
    assert torch.autograd.gradcheck(lambda x: likelihood(x, tokens, 0.1).loss, (logits,))


@given(st.floats(-80, 80))
def test_it_is_finite_and_right_where_the_token_is_all_but_certain(height: float):
    # With two tokens 1 - p is the other's probability, whose logarithm is known exactly.
    logits = torch.tensor([[height, 0.0]], requires_grad=True)
    value = unlikelihood(logits, torch.tensor([0]))
    torch.autograd.backward(value)
    certain = math.log1p(math.exp(-abs(height))) + max(height, 0.0)
    assert float(value.detach()) == pytest.approx(certain, rel=1e-5, abs=1e-6)
    assert logits.grad is not None
    assert float(logits.grad[0, 0]) == pytest.approx(1 / (1 + math.exp(-height)), abs=1e-6)
