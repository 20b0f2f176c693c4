"""Settings of the training of a contradiction detector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from dialeval.encoder.files import EMBEDDED
from dialeval.training.schedule import Schedule, require_at_least_one

KIND: Final = "contradiction"
"""What the adapter's file says that it is."""
SCHEDULE: Final = Schedule(epochs=1, learning_rate=1e-3, warm_up=100, evaluate_every=200, patience=5)


@dataclass(frozen=True, slots=True)
class DetectorConfig:
    """All that moves the weights of a detector beside its data."""

    encoder: str = EMBEDDED
    rank: int = 16
    """Of the low-rank changes; with the embedded encoder the adapter has about 1.5 MB."""
    longest: int = 64
    """Tokens that are read of a pair."""
    batch: int = 32
    precision: Literal["float32", "bfloat16"] = "float32"
    """Of the products while training."""
    validated: int = 1000
    """Pairs of the validation part that are measured each time, to keep evaluations short."""
    schedule: Schedule = SCHEDULE

    def __post_init__(self) -> None:
        require_at_least_one(self, "rank", "longest", "batch")
