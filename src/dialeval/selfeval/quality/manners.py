"""The direction of rude turns among unit vectors of turns by the embedded encoder; `bench.rude_turns` fits it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats
from dialeval.files.foreign import as_bad_input, safetensors_errors, weights_path
from dialeval.selfeval.metric import SHIPPED

SHIPPED_MANNERS: Final = SHIPPED / "quality" / "rude.safetensors"


class Manners(NamedTuple):
    """A direction, and the product with it from which on a turn is rude."""

    direction: Floats
    threshold: float

    def rude(self, units: Floats) -> NDArray[np.bool_]:
        """Return whether each turn, a unit vector, is rude."""
        above: NDArray[np.bool_] = units @ self.direction >= self.threshold
        return above


def write_manners(path: Path, manners: Manners) -> None:
    """Write them as a whole or not at all."""
    from safetensors.numpy import save_file

    tensors = {"direction": manners.direction.astype(np.float32), "threshold": np.array([manners.threshold])}
    with weights_path(path) as scratch:
        save_file(tensors, scratch)


@cache
def shipped_manners() -> Manners:
    """Return what comes with dialeval."""
    from safetensors.numpy import load_file

    expected = "a direction and a threshold"
    with as_bad_input(
        safetensors_errors(), str(SHIPPED_MANNERS), "weights", expected, "Install dialeval again."
    ):
        tensors = load_file(SHIPPED_MANNERS)
        return Manners(tensors["direction"].astype(np.float64), float(tensors["threshold"][0]))
