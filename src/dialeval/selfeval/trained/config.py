"""Settings of the trained rivals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from dialeval.encoder.files import EMBEDDED
from dialeval.training.schedule import Schedule, require, require_at_least_one

Rival: TypeAlias = Literal["density", "dynaeval", "quantidce"]
RIVALS: tuple[Rival, ...] = get_args(Rival)


@dataclass(frozen=True, slots=True)
class RivalConfig:
    """Everything that moves the weights, beside the data."""

    kind: Rival
    encoder: str = EMBEDDED
    size: int = 64
    """Of the hidden layer, and of a graph's projections three quarters of it."""
    strangers: int = 4
    """False responses from other dialogues, for each true one; of ``quantidce`` half of them resemble the context."""
    tries: int = 16
    """Among how many turns those that resemble the context are looked for."""
    dropout: float = 0.1
    batch_size: int = 64
    """Dialogues, one turn of each, or each with its spoilt versions."""
    margin: float = 0.1
    """By which ``dynaeval`` ranks a dialogue above a spoilt one."""
    temperature: float = 0.1
    """Of the contrastive loss of ``density``."""
    schedule: Schedule = field(
        default_factory=lambda: Schedule(
            epochs=6, learning_rate=1e-3, warm_up=100, evaluate_every=0, patience=3, save_every=2000
        )
    )

    def __post_init__(self) -> None:
        require_at_least_one(self, "size", "batch_size", "tries")
        require("strangers", self.strangers, self.strangers >= 2, "2 or more")
