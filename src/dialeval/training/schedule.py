"""The settings of the training loop."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from dialeval.errors import DialevalError


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long and how fast a model is trained, whatever it is."""

    resumable: ClassVar[frozenset[str]] = frozenset({"epochs", "patience", "save_every", "save_seconds"})
    """Fields that may differ when a run is resumed: they move no weight, or only decide when training ends."""

    epochs: int = 20
    learning_rate: float = 1e-4
    warm_up: int = 0
    """Updates over which the learning rate rises linearly to its full height."""
    decay: int = 0
    """Updates at which the learning rate, falling linearly since the warm-up, reaches 0; 0 where it does not fall."""
    clip: float = 1.0
    """Maximal norm of the gradient."""
    evaluate_every: int = 0
    """Updates between evaluations; 0 for one at the end of each epoch."""
    patience: int = 3
    """Evaluations without an improvement before training stops; moves no weight before that."""
    save_every: int = 200
    """Updates between checkpoints; moves no weight."""
    save_seconds: float = 60.0
    """Seconds after which a checkpoint is written sooner, as updates may be slow or few; moves no weight."""
    seed: int = 0

    def __post_init__(self) -> None:
        require_at_least_one(self, "epochs", "patience", "save_every")
        for name in ("warm_up", "decay", "evaluate_every", "save_seconds"):
            require(name, getattr(self, name), getattr(self, name) >= 0, "0 or more")
        for name in ("learning_rate", "clip"):
            require(name, getattr(self, name), getattr(self, name) > 0, "above 0")

    def identity(self) -> dict[str, Any]:
        """The fields that must be equal for a run to be resumed."""
        return {name: value for name, value in asdict(self).items() if name not in self.resumable}

    def rate(self, updates: int) -> float:
        """The learning rate of the update after this many."""
        rise = min(1.0, (updates + 1) / max(self.warm_up, 1))
        if not self.decay:
            return self.learning_rate * rise
        left = max(self.decay - updates, 0) / max(self.decay - self.warm_up, 1)
        return self.learning_rate * min(rise, left)


def require(name: str, value: float, holds: bool, expected: str) -> None:
    """Refuse a setting whose value does not hold."""
    if not holds:
        raise DialevalError(f"{name} is {value}; expected {expected}.")


def require_at_least_one(settings: object, *names: str) -> None:
    """Refuse settings of which one of the named fields is below 1."""
    for name in names:
        require(name, getattr(settings, name), getattr(settings, name) >= 1, "1 or more")
