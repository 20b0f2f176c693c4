"""Losses on a device that computes nothing: a tensor that is left on the CPU raises there as it does on a GPU."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")
import torch
from torch import nn

from dialeval.selfeval.corruption import Cluster
from dialeval.selfeval.replacement import Sample
from dialeval.selfeval.trained.trainer import QuantidceObjective, RivalConfig
from dialeval.selfeval.trainer import PROFILES, Relevance, relevance_loss
from dialeval.selfeval.turnwise_trainer import (
    EncodedDialogues,
    TurnwiseConfig,
    TurnwiseNetwork,
    dialogue_logits,
    next_turn_logits,
)
from dialeval.training.checkpoint import Checkpoints
from dialeval.training.loop import Session, fit
from dialeval.training.schedule import Schedule
from dialeval.training.task import Loss, Sum, Task

CLUSTER = Cluster(tuple(Sample(("a",), level, 1 - level / 2) for level in (0, 1, 1, 2)), None)


@pytest.mark.parametrize("loss", ["mlr", "bce", "graded_bce"])
@pytest.mark.parametrize("profile", ["paper", "released"])
def test_losses_of_levels_stay_on_their_device(loss: Relevance, profile: str) -> None:
    from dataclasses import replace

    config = replace(PROFILES[profile], loss=loss)  # type: ignore[index]
    logits = torch.zeros(len(CLUSTER.samples), device="meta", requires_grad=True)
    value = relevance_loss(CLUSTER, logits, config)
    assert value.device.type == "meta"
    torch.autograd.backward(value)


def test_networks_on_vectors_stay_on_their_device() -> None:
    units = torch.nn.functional.normalize(torch.rand(9, 4), dim=1)
    data = EncodedDialogues(units, ((0, 1, 2, 3), (4, 5, 6, 7)), ((0, 1, 2, 3, 4, 5, 6, 7),), (0, 0))
    config = TurnwiseConfig(size=3, strangers=2)
    network = TurnwiseNetwork(4, config).to("meta")
    assert next_turn_logits(network, data, [0, 1], config, np.random.default_rng(0)).device.type == "meta"
    assert dialogue_logits(network, data, [(0, 1, 2, 3), (4, 5, 6, 7)]).device.type == "meta"
    rival = QuantidceObjective(4, RivalConfig("quantidce", size=3))
    rival.network.to("meta")
    assert rival.loss(data, [0, 1], np.random.default_rng(0)).device.type == "meta"


def test_decay_pulls_weights_towards_nothing_but_not_biases(tmp_path) -> None:  # type: ignore[no-untyped-def]
    def trained(decay: float) -> nn.Linear:
        torch.manual_seed(0)
        model = nn.Linear(3, 2)
        nn.init.ones_(model.bias)

        def losses(rows: object) -> list[Loss]:
            return [Loss((model(torch.zeros(1, 3)) * 0).sum(), {"loss": Sum(0.0, 1)})]

        task = Task(model, lambda epoch: [[0]] * 5, losses)
        schedule = Schedule(epochs=1, learning_rate=0.1, weight_decay=decay)
        fit(task, schedule, Checkpoints(tmp_path / str(decay), {}), Session(device="cpu"))
        return model

    plain, decayed = trained(0.0), trained(0.5)
    assert torch.allclose(decayed.weight, plain.weight * 0.95**5)
    assert torch.equal(decayed.bias, plain.bias)


def test_the_second_half_of_the_epochs_may_have_a_rate_of_its_own() -> None:
    schedule = Schedule(epochs=3, learning_rate=5.0, second_learning_rate=2.0)
    assert [schedule.rate(9, epoch) for epoch in range(3)] == [5.0, 5.0, 2.0]
    assert "second_learning_rate" in schedule.identity()
    assert (
        not {"second_learning_rate", "weight_decay", "precision", "constant"} & Schedule().identity().keys()
    )
    assert Schedule(constant=True).falling(10).decay == 0
    assert (Schedule().falling(10).decay, Schedule(decay=4).falling(10).decay) == (10, 4)
