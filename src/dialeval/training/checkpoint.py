"""The checkpoint of a training run: one safetensors file with weights, Adam's moments and the run's progress."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from dialeval.errors import Unsuitable
from dialeval.files.foreign import as_bad_input, safetensors_errors, weights_path
from dialeval.training.folder import CHECKPOINT
from dialeval.training.task import Numbers, Sum, Sums

_MOMENTS: Final = ("step", "exp_avg", "exp_avg_sq")

Weights: TypeAlias = Mapping[str, Tensor]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Measurement at one point of a run."""

    epoch: float
    """Epochs done, a fraction if the evaluation came within one."""
    updates: int
    train: Numbers
    """Means over the examples met since the evaluation before, with dropout."""
    held_out: Numbers | None
    seconds: float
    """Of training, all sessions together."""


@dataclass(frozen=True, slots=True)
class Place:
    """Progress of a run."""

    epoch: int = 0
    batch: int = 0
    """The next one to do in the epoch."""
    done: float = 0.0
    """Epochs, the current one by its share of batches."""
    updates: int = 0
    examples: int = 0
    """Examples met, repetitions counted."""
    since: Sums = field(default_factory=dict)
    """Sums since the last evaluation."""
    history: tuple[Evaluation, ...] = ()
    stale: int = 0
    """Evaluations since the best one."""
    seconds: float = 0.0


class Saved(NamedTuple):
    """The content of a checkpoint that is not in model and optimiser."""

    place: Place
    best: Weights | None
    """The best weights on held-out data so far."""


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """The checkpoint of one run in its folder."""

    folder: Path
    identity: Mapping[str, Any]
    """Everything that moves the result, as JSON values; a checkpoint with another identity is refused."""

    @property
    def path(self) -> Path:
        """The file, whether it exists or not."""
        return self.folder / CHECKPOINT

    def write(
        self, place: Place, model: nn.Module, optimiser: torch.optim.Optimizer, best: Weights | None
    ) -> None:
        """Put weights, the best weights so far, moments and place into the file in one step."""
        tensors = {f"best.{name}": weight for name, weight in (best or {}).items()}
        for name, weight in trainable(model).items():
            tensors[f"model.{name}"] = weight.detach().cpu()
            # A weight that no batch has used yet has no moments.
            for moment, value in optimiser.state.get(weight, {}).items():
                tensors[f"adam.{moment}.{name}"] = value.cpu()
        about = {"identity": _text(self.identity), "place": json.dumps(asdict(place))}
        # One file, so that weights and place are always of the same update.
        with weights_path(self.path) as scratch:
            save_file(tensors, scratch, metadata=about)

    def read(self, model: nn.Module, optimiser: torch.optim.Optimizer) -> Saved | None:
        """Restore weights and moments; None without a checkpoint, Unsuitable if it is of another run."""
        if not self.path.exists():
            return None
        expected, todo = "a checkpoint of this training run", "Train with --no-resume."
        # A weight that does not fit raises torch's RuntimeError.
        kinds = (*safetensors_errors(), RuntimeError)
        with as_bad_input(kinds, str(self.path), "checkpoint", expected, todo):
            with safe_open(self.path, "pt") as file:
                about = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
            self._check_identity(json.loads(about.get("identity", "{}")))
            place = _place(json.loads(about["place"]))
            _restore(model, optimiser, tensors)
        best = {
            name.removeprefix("best."): tensor for name, tensor in tensors.items() if name.startswith("best.")
        }
        return Saved(place, best or None)

    def forget(self) -> None:
        """Remove the file, if there is one, so that training starts from the beginning."""
        self.path.unlink(missing_ok=True)

    def _check_identity(self, found: Mapping[str, Any]) -> None:
        expected = json.loads(_text(self.identity))
        other = [
            f"{key} was {found.get(key)!r} and is {expected[key]!r}"
            for key in expected
            if found.get(key) != expected[key]
        ]
        if other:
            raise Unsuitable(
                f"{self.path} is of another training run: {'; '.join(other)}. Give another folder, the same settings, "
                "or --no-resume to start from scratch."
            )


def trainable(model: nn.Module) -> dict[str, nn.Parameter]:
    """The weights that training moves, by name."""
    return {name: weight for name, weight in model.named_parameters() if weight.requires_grad}


def take_weights(model: nn.Module) -> Weights:
    """A copy of the weights that training moves."""
    return {name: weight.detach().cpu().clone() for name, weight in trainable(model).items()}


def put_weights(model: nn.Module, weights: Weights) -> None:
    """Give the model these weights."""
    with torch.no_grad():
        for name, weight in trainable(model).items():
            weight.copy_(weights[name])


def _restore(model: nn.Module, optimiser: torch.optim.Optimizer, tensors: Weights) -> None:
    put_weights(model, {name: tensors[f"model.{name}"] for name in trainable(model)})
    for name, weight in trainable(model).items():
        moments = {moment: tensors.get(f"adam.{moment}.{name}") for moment in _MOMENTS}
        if None not in moments.values():
            optimiser.state[weight] = {
                moment: value if moment == "step" else value.to(weight.device)
                for moment, value in moments.items()
                if value is not None
            }


def _place(saved: Mapping[str, Any]) -> Place:
    since = {name: Sum(*pair) for name, pair in saved["since"].items()}
    history = tuple(Evaluation(**row) for row in saved["history"])
    return Place(**{**saved, "since": since, "history": history})


def _text(identity: Mapping[str, Any]) -> str:
    return json.dumps(identity, sort_keys=True)
