"""How far the training of a generator has come, and its checkpoint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final

import torch
from torch import Tensor, nn

from dialeval.engine.checkpoint import forget_checkpoint, learnt, read_checkpoint, take_up, write_checkpoint
from dialeval.systems.trained.learning import Sums

_MODEL: Final = "model"
_BEST: Final = "best."

Weights = Mapping[str, Tensor]


@dataclass(frozen=True, slots=True)
class Look:
    """How well a run did between two looks at the held-out data."""

    epoch: float
    """Epochs done, a fraction where the look came within one."""
    updates: int
    train: Sums
    """Of the lessons learnt since the look before, as they were met, with dropout."""
    held_out: Sums | None
    seconds: float
    """Of training, all sittings together."""


@dataclass(frozen=True, slots=True)
class Place:
    """How far training has come."""

    epoch: int = 0
    batch: int = 0
    """Of the epoch, the next one to do."""
    done: float = 0.0
    """Epochs, the one under way by its share of batches."""
    updates: int = 0
    since: Sums = field(default_factory=Sums)
    """What was learnt since the last look."""
    looks: tuple[Look, ...] = ()
    stale: int = 0
    """Looks since the best one."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """The checkpoint of one run in its folder."""

    folder: Path
    identity: str
    """JSON of what must be equal for a run to be gone on with."""

    def write(
        self, place: Place, model: nn.Module, optimiser: torch.optim.Optimizer, best: Weights | None
    ) -> None:
        """Put weights, the best weights so far, moments and place into the file in one step."""
        tensors = {f"{_BEST}{name}": weight for name, weight in (best or {}).items()}
        tensors |= learnt(_MODEL, model, optimiser)
        write_checkpoint(self.folder, self.identity, json.dumps(asdict(place)), tensors)

    def read(self, model: nn.Module, optimiser: torch.optim.Optimizer) -> tuple[Place, Weights | None] | None:
        """Take up weights and moments; where the run stands and its best weights, or None without a checkpoint."""
        saved = read_checkpoint(self.folder, self.identity)
        if saved is None:
            return None
        take_up(_MODEL, model, optimiser, saved)
        best = {
            name.removeprefix(_BEST): each for name, each in saved.tensors.items() if name.startswith(_BEST)
        }
        return _place(json.loads(saved.place)), best or None

    def forget(self) -> None:
        """Remove the file, if it is there, so that training begins anew."""
        forget_checkpoint(self.folder)


def take_weights(model: nn.Module) -> Weights:
    """A copy of the weights as they are."""
    return {name: weight.detach().cpu().clone() for name, weight in model.named_parameters()}


def put_weights(model: nn.Module, weights: Weights) -> None:
    """Give the model these weights."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.copy_(weights[name])


def _place(found: Mapping[str, object]) -> Place:
    place = Place(**found)  # type: ignore[arg-type]
    return replace(place, since=Sums(*place.since), looks=tuple(_look(look) for look in place.looks))


def _look(found: object) -> Look:
    assert isinstance(found, dict)
    held = found["held_out"]
    return Look(**{**found, "train": Sums(*found["train"]), "held_out": held and Sums(*held)})
