"""The settings of a Skip-Thought model and its training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from dialeval.errors import DialevalError
from dialeval.training.schedule import Schedule, require_at_least_one

Kind: TypeAlias = Literal["uni", "bi", "combine"]
"""Which encoders: one that reads forwards, one that reads in both directions, or both side by side."""
Scale: TypeAlias = Literal["tiny", "small", "paper"]


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """Everything that moves the weights, beside the data."""

    kind: Kind = "combine"
    vocabulary: int = 20000
    """Words that have a vector, the most frequent ones; the rest share one."""
    word_size: int = 620
    sentence_size: int = 2400
    """Of each encoder's vector; a bidirectional one has half of it in each direction."""
    longest: int = 30
    """Words of a sentence; the rest is cut."""
    lowercase: bool = True
    batch_size: int = 128
    epochs: int = 5
    learning_rate: float = 1e-3
    clip: float = 10.0
    """Most length that the gradient of an encoder and its decoders may have."""
    save_every: int = 200
    """Batches between checkpoints; moves no weight."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.sentence_size % 2:
            raise DialevalError(
                f"The sentence size is {self.sentence_size}; expected an even number, half for each direction."
            )
        sizes = ("vocabulary", "word_size", "sentence_size", "longest", "batch_size", "epochs", "save_every")
        require_at_least_one(self, *sizes)

    @property
    def schedule(self) -> Schedule:
        """The settings of the training loop among these."""
        return Schedule(
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            clip=self.clip,
            save_every=self.save_every,
            seed=self.seed,
        )

    @property
    def parts(self) -> tuple[Literal["uni", "bi"], ...]:
        """The encoders, in the order in which their vectors are joined."""
        return ("uni", "bi") if self.kind == "combine" else (self.kind,)


SCALES: Final[Mapping[Scale, TrainConfig]] = MappingProxyType(
    {
        "tiny": TrainConfig(vocabulary=2000, word_size=32, sentence_size=64, batch_size=64),
        "small": TrainConfig(vocabulary=5000, word_size=128, sentence_size=256, batch_size=64),
        # Kiros et al. (2015), section 3: vocabulary, word and sentence sizes, batches of 128, Adam, clipping at 10.
        "paper": TrainConfig(),
    }
)
