"""The settings of the training loop."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, ClassVar

from dialeval.errors import DialevalError
from dialeval.options import Option
from dialeval.resources.device import Precision


@dataclass(frozen=True, slots=True)
class Schedule:
    """Length and pace of training, whatever the model."""

    resumable: ClassVar[frozenset[str]] = frozenset({"epochs", "patience", "save_every", "save_seconds"})
    """Fields that may differ when a run is resumed: they move no weight, or only decide when training ends."""

    epochs: Annotated[int, Option(min=1)] = 20
    """Passes over the data."""
    learning_rate: float = 1e-4
    second_learning_rate: float | None = None
    """In the second half of the epochs; None if the rate does not change there."""
    weight_decay: float = 0.0
    """Share of each weight, times the learning rate, that an update takes away (AdamW), biases and norms excepted."""
    precision: Precision = "float32"
    """Of all products while training; encoders that are fine-tuned have a setting of their own, of theirs alone."""
    warm_up: int = 0
    """Updates over which the learning rate rises linearly to its full height."""
    decay: int = 0
    """Updates at which the learning rate, falling linearly since the warm-up, reaches 0; 0 if it does not fall."""
    constant: bool = False
    """Whether the rate stays at its height where a trainer would let it fall to the end of training."""
    clip: float = 1.0
    """Maximal norm of the gradient."""
    evaluate_every: Annotated[int, Option(min=1)] = 0
    """Updates between evaluations.

    0 for one at the end of each epoch.
    """
    patience: Annotated[int, Option(min=1)] = 3
    """Evaluations without improvement before training stops.

    Moves no weight before that.
    """
    save_every: int = 200
    """Updates between checkpoints; moves no weight."""
    save_seconds: float = 60.0
    """Seconds after which a checkpoint is written sooner, as updates may be slow or few; moves no weight."""
    seed: Annotated[int, Option(min=0, metavar="N")] = 0
    """Seed of everything random."""

    def __post_init__(self) -> None:
        require_at_least_one(self, "epochs", "patience", "save_every")
        for name in ("weight_decay", "warm_up", "decay", "evaluate_every", "save_seconds"):
            require(name, getattr(self, name), getattr(self, name) >= 0, "0 or more")
        second = 1.0 if self.second_learning_rate is None else self.second_learning_rate
        require("second_learning_rate", second, second > 0, "above 0")
        for name in ("learning_rate", "clip"):
            require(name, getattr(self, name), getattr(self, name) > 0, "above 0")

    def identity(self) -> dict[str, Any]:
        """The fields that must be equal for a run to be resumed."""
        # Those that came later count only if they are used, so that older runs can still be resumed.
        later = {"second_learning_rate": None, "weight_decay": 0.0, "precision": "float32", "constant": False}
        return {
            name: value
            for name, value in asdict(self).items()
            if name not in self.resumable and (name not in later or value != later[name])
        }

    def falling(self, updates: int) -> Schedule:
        """The schedule with a rate that falls to 0 by this update, unless it says otherwise itself."""
        return self if self.constant or self.decay else replace(self, decay=updates)

    def second_stage(self, epoch: int) -> bool:
        """Whether an epoch, counted from 0, is in the second half, which has one of two and none of one."""
        return epoch >= (self.epochs + 1) // 2

    def rate(self, updates: int, epoch: int = 0) -> float:
        """The learning rate of the update after this many, in an epoch counted from 0."""
        second = self.second_learning_rate if self.second_stage(epoch) else None
        full = self.learning_rate if second is None else second
        rise = min(1.0, (updates + 1) / max(self.warm_up, 1))
        if not self.decay:
            return full * rise
        left = max(self.decay - updates, 0) / max(self.decay - self.warm_up, 1)
        return full * min(rise, left)


def require(name: str, value: float, holds: bool, expected: str) -> None:
    """Refuse a setting whose value does not hold."""
    if not holds:
        raise DialevalError(f"{name} is {value}; expected {expected}.")


def require_at_least_one(settings: object, *names: str) -> None:
    """Refuse settings of which one of the named fields is below 1."""
    for name in names:
        require(name, getattr(settings, name), getattr(settings, name) >= 1, "1 or more")
