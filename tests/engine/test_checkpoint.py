from __future__ import annotations

import json

import pytest
import torch

from dialeval.engine.checkpoint import forget_checkpoint, learnt, read_checkpoint, take_up, write_checkpoint
from dialeval.errors import BadInput, Unsuitable


def trained(seed: int):
    torch.manual_seed(seed)
    model = torch.nn.Linear(3, 1)
    optimiser = torch.optim.Adam(model.parameters())
    model(torch.ones(2, 3)).sum().backward()
    optimiser.step()
    return model, optimiser


def test_weights_moments_and_place_come_back_as_they_were(tmp_path):
    model, optimiser = trained(1)
    write_checkpoint(tmp_path, '{"seed": 1}', json.dumps([3]), learnt("model", model, optimiser))
    other, fresh = trained(2)
    saved = read_checkpoint(tmp_path, '{"seed": 1}')
    assert json.loads(saved.place) == [3]
    take_up("model", other, fresh, saved)
    for weight, same in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(weight, same)
        for moment, value in optimiser.state[weight].items():
            assert torch.equal(value, fresh.state[same][moment])


def test_another_run_is_refused_with_what_differs(tmp_path):
    write_checkpoint(tmp_path, '{"seed": 1}', "[]", learnt("model", *trained(1)))
    with pytest.raises(Unsuitable, match="seed was 1 and is 2"):
        read_checkpoint(tmp_path, '{"seed": 2}')


def test_none_without_a_checkpoint_and_a_damaged_one_is_named(tmp_path):
    assert read_checkpoint(tmp_path, "{}") is None
    (tmp_path / "checkpoint.safetensors").write_bytes(b"torn")
    with pytest.raises(BadInput, match="no checkpoint"):
        read_checkpoint(tmp_path, "{}")
    forget_checkpoint(tmp_path)
    assert read_checkpoint(tmp_path, "{}") is None
