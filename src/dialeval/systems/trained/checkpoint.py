"""Where a training run stands, in one file that is either whole or not there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from dialeval.data.atomic import atomic_path
from dialeval.errors import BadInput, Unsuitable
from dialeval.systems.trained.learning import Sums

FILE: Final = "checkpoint.safetensors"
_MOMENTS: Final = ("step", "exp_avg", "exp_avg_sq")

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
        tensors = {f"best.{name}": weight for name, weight in (best or {}).items()}
        for name, weight in model.named_parameters():
            tensors[f"model.{name}"] = weight.detach().cpu()
            for moment, value in optimiser.state.get(weight, {}).items():
                tensors[f"adam.{moment}.{name}"] = value.cpu()
        # One file, so that weights and place cannot be of two different moments.
        about = {"identity": self.identity, "place": json.dumps(asdict(place))}
        with atomic_path(self.folder / FILE) as scratch:
            save_file(tensors, scratch, metadata=about)

    def read(self, model: nn.Module, optimiser: torch.optim.Optimizer) -> tuple[Place, Weights | None] | None:
        """Take up weights and moments; where the run stands and its best weights, or None without a checkpoint."""
        path = self.folder / FILE
        if not path.exists():
            return None
        try:
            with safe_open(path, "pt") as file:
                about = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
        except (SafetensorError, OSError) as error:
            todo = "Train with --no-resume."
            raise BadInput(str(path), f"no checkpoint ({error})", "what training left", todo) from error
        _check_identity(path, about.get("identity", "{}"), self.identity)
        for name, weight in model.named_parameters():
            with torch.no_grad():
                weight.copy_(tensors[f"model.{name}"])
            moments = {moment: tensors.get(f"adam.{moment}.{name}") for moment in _MOMENTS}
            if None not in moments.values():
                optimiser.state[weight] = {
                    moment: value if moment == "step" else value.to(weight.device)
                    for moment, value in moments.items()
                    if value is not None
                }
        best = {
            name.removeprefix("best."): each for name, each in tensors.items() if name.startswith("best.")
        }
        return _place(json.loads(about["place"])), best or None

    def forget(self) -> None:
        """Remove the file, if it is there, so that training begins anew."""
        (self.folder / FILE).unlink(missing_ok=True)


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


def _check_identity(path: Path, found: str, needed: str) -> None:
    theirs, ours = json.loads(found), json.loads(needed)
    other = [
        f"{key} was {theirs.get(key)!r} and is {ours[key]!r}" for key in ours if theirs.get(key) != ours[key]
    ]
    if other:
        raise Unsuitable(
            f"{path} is of another training run: {'; '.join(other)}. Give another folder, the same settings, or "
            "--no-resume to begin anew."
        )
