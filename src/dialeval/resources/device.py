"""Devices that models run on, and the precision of their products: one place for training, scoring and systems.

Commands and functions that train name a device themselves. Scorers and detectors run on that of the process, which
``--device`` or the variables ``DIALEVAL_DEVICE`` and ``DIALEVAL_PRECISION`` set, so that worker processes have it too;
it is the CPU if nobody sets it. What is to run on ``auto``, as language models are, then runs there as well.
"""

from __future__ import annotations

import importlib.util
import os
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast, get_args

from dialeval.errors import DialevalError, ResourceUnavailable

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

Precision: TypeAlias = Literal["float32", "bfloat16"]
"""Of products of matrices; weights are kept in 32 bits."""
DEVICE: Final = "DIALEVAL_DEVICE"
PRECISION: Final = "DIALEVAL_PRECISION"
"""Variables of the environment for scorers and detectors."""


def find_device(name: str) -> torch.device:
    """The device of that name; ``auto`` is that of the process if one is set, else a graphics card if there is one."""
    import torch

    if name == "auto":
        set_ = os.environ.get(DEVICE, "auto")
        return _best() if set_ == "auto" else find_device(set_)
    try:
        device = torch.device(name)
    except RuntimeError:
        raise DialevalError(f"There is no device {name!r}. Write auto, cpu, cuda, cuda:1 or mps.") from None
    count = torch.cuda.device_count()
    if device.type == "cuda" and (device.index or 0) >= count:
        raise ResourceUnavailable(
            f"The device {name!r} is not available: torch sees {count} CUDA devices. Set the device to auto."
        )
    if device.type == "mps" and not torch.backends.mps.is_available():
        raise ResourceUnavailable(
            f"The device {name!r} is not available: torch sees no Apple GPU. Set the device to auto."
        )
    return device


def _best() -> torch.device:
    import torch

    backends = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    return torch.device(next((backend for backend, there in backends.items() if there), "cpu"))


def use(device: str | None, precision: Precision | None = None) -> None:
    """Run scorers and detectors of this process and its workers there from now on; None leaves it as it is."""
    if device is not None:
        # A name that is wrong is worth knowing before the work; a machine without torch has only its CPU.
        if _has_torch():
            os.environ[DEVICE] = str(_best() if device == "auto" else find_device(device))
        else:
            os.environ[DEVICE] = _without_torch(device)
    if precision is not None:
        os.environ[PRECISION] = precision


def scoring_device() -> str:
    """The device of scorers and detectors, as torch names it."""
    name = os.environ.get(DEVICE, "cpu")
    if name == "cpu":
        return name
    return str(find_device(name)) if _has_torch() else _without_torch(name)


def scoring_precision() -> Precision:
    """The precision of scorers and detectors."""
    name = os.environ.get(PRECISION, "float32")
    if name not in get_args(Precision):
        raise DialevalError(f"{PRECISION} is {name!r}; expected one of {', '.join(get_args(Precision))}.")
    return cast(Precision, name)


def _has_torch() -> bool:
    return importlib.util.find_spec("torch") is not None


def _without_torch(name: str) -> str:
    if name in ("auto", "cpu"):
        return "cpu"
    raise ResourceUnavailable(f"The device {name!r} needs torch, not installed. Set the device to cpu.")


def autocast(device: torch.device, precision: Precision) -> AbstractContextManager[Any]:
    """Products in that precision within."""
    import torch

    return nullcontext() if precision == "float32" else torch.autocast(device.type, dtype=torch.bfloat16)


def device_of(model: nn.Module) -> torch.device:
    """The device of the model's weights."""
    return next(model.parameters()).device


def wide(values: Tensor) -> Tensor:
    """The values in 64-bit floats, on the CPU if their device has none."""
    return values.cpu().double() if values.device.type == "mps" else values.double()
