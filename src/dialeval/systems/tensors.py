"""What neural systems of every kind do with torch."""

from __future__ import annotations

import torch
from torch import Tensor

from dialeval.errors import DialevalError, ResourceUnavailable


def find_device(name: str) -> torch.device:
    """The device of that name; ``auto`` is a graphics card where there is one."""
    if name == "auto":
        backends = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
        return torch.device(next((one for one, there in backends.items() if there), "cpu"))
    try:
        device = torch.device(name)
    except RuntimeError:
        raise DialevalError(f"There is no device {name!r}. Write auto, cpu, cuda, cuda:1 or mps.") from None
    count = torch.cuda.device_count()
    if device.type == "cuda" and (device.index or 0) >= count:
        raise ResourceUnavailable(
            f"The device {name!r} is not here: torch sees {count} CUDA devices. Set the device to auto."
        )
    return device


def normalised(logits: Tensor) -> Tensor:
    """Natural-log probabilities, in 32-bit floats.

    Torch's own log_softmax adds up a vocabulary one token after the other, which costs it a digit or two.
    """
    logits = logits.float()
    return logits - logits.logsumexp(-1, keepdim=True)
