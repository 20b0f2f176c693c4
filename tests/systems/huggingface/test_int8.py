from __future__ import annotations

import torch
from torch import nn
from transformers.pytorch_utils import Conv1D

from dialeval.systems.huggingface.models import Int8Linear, quantise


def test_rows_are_stored_by_their_largest_value():
    layer = Int8Linear(torch.tensor([[1.27, -0.5, 0.004], [0.0, 0.0, 0.0]]), torch.tensor([0.0, 2.0]))
    assert layer.weight.tolist() == [[127, -50, 0], [0, 0, 0]]
    assert layer(torch.tensor([[1.0, 2.0, 100.0]])).allclose(torch.tensor([[0.27, 2.0]]), atol=1e-6)


def test_no_weight_moves_by_more_than_half_a_step():
    torch.manual_seed(1)
    weight = torch.randn(40, 30)
    layer = Int8Linear(weight, None)
    steps = weight.abs().amax(1, keepdim=True) / 127
    assert ((layer(torch.eye(30)).T - weight).abs() <= steps * 0.5001).all()


def test_every_linear_layer_but_the_head_is_replaced():
    class Small(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), Conv1D(5, 4))
            self.head = nn.Linear(5, 7)

        def get_output_embeddings(self):
            return self.head

    torch.manual_seed(1)
    small = Small()
    given = torch.randn(6, 3)
    expected = small.inner(given)
    quantise(small)
    assert [type(layer).__name__ for layer in small.inner] == ["Int8Linear", "ReLU", "Int8Linear"]
    assert type(small.head) is nn.Linear
    assert small.inner(given).allclose(expected, atol=0.05)


def test_a_row_does_not_depend_on_its_company():
    torch.manual_seed(1)
    layer = Int8Linear(torch.randn(8, 8), torch.randn(8))
    rows = torch.cat([torch.randn(1, 8), 1000 * torch.randn(3, 8)])
    assert layer(rows)[:1].allclose(layer(rows[:1]), atol=1e-5)
