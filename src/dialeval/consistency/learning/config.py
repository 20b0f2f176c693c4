"""Settings of the training of a contradiction detector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dialeval.encoder.files import EMBEDDED
from dialeval.resources.device import Precision
from dialeval.training.schedule import Schedule, require, require_at_least_one

KIND: Final = "contradiction"
"""What the adapter's file says that it is."""
SCHEDULE: Final = Schedule(epochs=1, learning_rate=1e-3, warm_up=100, evaluate_every=200, patience=5)


@dataclass(frozen=True, slots=True)
class DetectorConfig:
    """All that moves the weights of a detector beside its data."""

    encoder: str = EMBEDDED
    hub: bool = False
    """Whether the encoder may be downloaded."""
    rank: int | None = 16
    """Of the low-rank changes; None to train all weights. With the embedded encoder an adapter has 1.5 MB, or 45 MB."""
    longest: int = 64
    """Tokens that are read of a pair."""
    batch: int = 32
    precision: Precision = "float32"
    """Of the products while training."""
    validated: int = 1000
    """Pairs of the validation part that are measured each time, to keep evaluations short."""
    schedule: Schedule = SCHEDULE

    def __post_init__(self) -> None:
        require_at_least_one(self, "longest", "batch")
        require("rank", self.rank or 1, (self.rank or 1) >= 1, "1 or more, or None")
