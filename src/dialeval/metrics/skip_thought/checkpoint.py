"""Where a training run stands, in one file that is either whole or not there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from dialeval.data.atomic import write_atomically
from dialeval.errors import BadInput, Unsuitable

FILE: Final = "checkpoint.safetensors"
_MOMENTS: Final = ("step", "exp_avg", "exp_avg_sq")


class Checkpoint(NamedTuple):
    """How far training has come."""

    epoch: int
    batch: int
    """Of the epoch, the next one to do."""
    nats: float
    words: int
    losses: tuple[float, ...]
    """Of the epochs that are done."""


Models = Mapping[str, nn.Module]
Optimisers = Mapping[str, torch.optim.Optimizer]


def write_checkpoint(
    folder: Path, identity: str, at: Checkpoint, models: Models, optimisers: Optimisers
) -> None:
    """Put weights, moments and place into the folder's checkpoint in one step."""
    tensors: dict[str, Tensor] = {}
    for part, model in models.items():
        for name, weight in model.named_parameters():
            tensors[f"{part}.{name}"] = weight.detach()
            # A decoder that has met no neighbour yet has no moments.
            for moment, value in optimisers[part].state.get(weight, {}).items():
                tensors[f"adam.{moment}.{part}.{name}"] = value
    # One file, so that weights and place cannot be of two different moments.
    about = {"identity": identity, "at": json.dumps(at._asdict())}
    write_atomically(folder / FILE, save(tensors, metadata=about))


def read_checkpoint(folder: Path, identity: str, models: Models, optimisers: Optimisers) -> Checkpoint | None:
    """Take up weights and moments from the folder's checkpoint; where it stands, or None without one."""
    path = folder / FILE
    if not path.exists():
        return None
    try:
        with safe_open(path, "pt") as file:
            about = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    except (SafetensorError, OSError) as error:
        raise BadInput(
            str(path), f"no checkpoint ({error})", "what training left", "Train with --no-resume."
        ) from error
    _check_identity(path, about.get("identity", "{}"), identity)
    for part, model in models.items():
        for name, weight in model.named_parameters():
            with torch.no_grad():
                weight.copy_(tensors[f"{part}.{name}"])
            moments = {moment: tensors.get(f"adam.{moment}.{part}.{name}") for moment in _MOMENTS}
            if None not in moments.values():
                optimisers[part].state[weight] = moments
    at = json.loads(about["at"])
    return Checkpoint(at["epoch"], at["batch"], at["nats"], at["words"], tuple(at["losses"]))


def forget_checkpoint(folder: Path) -> None:
    """Remove the folder's checkpoint, if it has one, so that training begins anew."""
    (folder / FILE).unlink(missing_ok=True)


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
