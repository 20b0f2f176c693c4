from __future__ import annotations

from pathlib import Path

import pytest
import torch

from dialeval.errors import BadInput, Unsuitable
from dialeval.training.checkpoint import Checkpoints, Evaluation, Place, take_weights
from dialeval.training.task import Sum

PLACE = Place(
    epoch=1,
    batch=2,
    done=1.5,
    updates=5,
    examples=40,
    since={"loss": Sum(0.25, 3)},
    history=(Evaluation(1.0, 4, {"loss": 0.5}, {"loss": 0.75}, 2.0), Evaluation(1.2, 5, {}, None, 2.5)),
    stale=1,
    seconds=2.5,
)


def trained(seed: int) -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(seed)
    model = torch.nn.Linear(3, 1)
    optimiser = torch.optim.Adam(model.parameters())
    model(torch.ones(2, 3)).sum().backward()
    optimiser.step()
    return model, optimiser


def test_weights_best_weights_moments_and_place_come_back_as_they_were(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, {"seed": 1})
    model, optimiser = trained(1)
    best = take_weights(trained(3)[0])
    checkpoints.write(PLACE, model, optimiser, best)
    other, fresh = trained(2)
    saved = checkpoints.read(other, fresh)
    assert saved is not None
    assert saved.place == PLACE
    assert saved.best is not None
    assert all(torch.equal(saved.best[name], best[name]) for name in best)
    for weight, same in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(weight, same)
        for moment, value in optimiser.state[weight].items():
            assert torch.equal(value, fresh.state[same][moment])


def test_frozen_weights_are_not_in_a_checkpoint(tmp_path: Path) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    model[0].requires_grad_(False)
    Checkpoints(tmp_path, {}).write(Place(), model, torch.optim.Adam(model[1].parameters()), None)
    from safetensors.torch import load_file

    assert set(load_file(tmp_path / "checkpoint.safetensors")) == {"model.1.weight", "model.1.bias"}


def test_another_run_is_refused_with_what_differs(tmp_path: Path) -> None:
    Checkpoints(tmp_path, {"seed": 1, "data": "abc"}).write(Place(), *trained(1), None)
    with pytest.raises(Unsuitable, match="seed was 1 and is 2"):
        Checkpoints(tmp_path, {"seed": 2, "data": "abc"}).read(*trained(1))


def test_none_without_a_checkpoint_and_a_damaged_one_is_named(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, {})
    assert checkpoints.read(*trained(1)) is None
    checkpoints.path.write_bytes(b"torn")
    with pytest.raises(BadInput, match="no readable checkpoint"):
        checkpoints.read(*trained(1))
    checkpoints.forget()
    assert checkpoints.read(*trained(1)) is None
