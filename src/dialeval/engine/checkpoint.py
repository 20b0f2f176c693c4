"""Where a training run stands, in one file that is either whole or not there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from dialeval.errors import BadInput, Unsuitable
from dialeval.files.atomic import atomic_path

FILE: Final = "checkpoint.safetensors"
_MOMENTS: Final = ("step", "exp_avg", "exp_avg_sq")


class Saved(NamedTuple):
    """What a checkpoint holds."""

    place: str
    """JSON of how far training had come."""
    tensors: Mapping[str, Tensor]


def write_checkpoint(folder: Path, identity: str, place: str, tensors: Mapping[str, Tensor]) -> None:
    """Put tensors and place into the folder's checkpoint in one step.

    ``identity`` is JSON of what must be equal for a run to be gone on with.
    """
    # One file, so that weights and place cannot be of two different moments.
    with atomic_path(folder / FILE) as scratch:
        save_file(dict(tensors), scratch, metadata={"identity": identity, "place": place})


def read_checkpoint(folder: Path, identity: str) -> Saved | None:
    """What the folder's checkpoint holds, or None without one; Unsuitable where it is of another run."""
    path = folder / FILE
    if not path.exists():
        return None
    try:
        with safe_open(path, "pt") as file:
            about = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    except (SafetensorError, OSError) as error:
        todo = "Train with --no-resume."
        raise BadInput(str(path), f"no checkpoint ({error})", "what training left", todo) from error
    _check_identity(path, about.get("identity", "{}"), identity)
    return Saved(about["place"], tensors)


def forget_checkpoint(folder: Path) -> None:
    """Remove the folder's checkpoint, if it has one, so that training begins anew."""
    (folder / FILE).unlink(missing_ok=True)


def learnt(part: str, model: nn.Module, optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The weights of a part and Adam's moments, under names that no other part has."""
    tensors: dict[str, Tensor] = {}
    for name, weight in model.named_parameters():
        tensors[f"{part}.{name}"] = weight.detach().cpu()
        # A part that has met no example yet has no moments.
        for moment, value in optimiser.state.get(weight, {}).items():
            tensors[f"adam.{moment}.{part}.{name}"] = value.cpu()
    return tensors


def take_up(part: str, model: nn.Module, optimiser: torch.optim.Optimizer, saved: Saved) -> None:
    """Give a part the weights and moments that were saved of it."""
    for name, weight in model.named_parameters():
        with torch.no_grad():
            weight.copy_(saved.tensors[f"{part}.{name}"])
        moments = {moment: saved.tensors.get(f"adam.{moment}.{part}.{name}") for moment in _MOMENTS}
        if None not in moments.values():
            optimiser.state[weight] = {
                moment: value if moment == "step" else value.to(weight.device)
                for moment, value in moments.items()
                if value is not None
            }


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
