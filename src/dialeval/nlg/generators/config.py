"""Sizes of a generator, settings of its training, and the files that hold them; loads no library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

from dialeval.options import Option
from dialeval.training.folder import Layout
from dialeval.training.schedule import Schedule, require, require_at_least_one

Model: TypeAlias = Literal["random", "lstm", "d-sclstm", "ld-sclstm", "hld-sclstm"]
"""The models of Sharma et al. (2017), section 4, and the one that hld-sclstm is a variant of."""
LAYOUT: Final = Layout(
    kind="nlg",
    marker="nlg.json",
    vocabulary="vocabulary.json",
    noun="generator of sentences from acts",
    command="dialeval train nlg",
)


@dataclass(frozen=True, slots=True)
class Shape:
    """A generator; the papers give no sizes but Wen et al. (2015b), whose released settings have 80 hidden numbers."""

    model: Annotated[Model, Option()] = "hld-sclstm"
    """The kind of generator."""
    embedding: int = 80
    """Numbers of a word's vector."""
    hidden: Annotated[int, Option(min=1)] = 80
    """Size of a cell's state.

    In the decoder and in both levels of the encoder.
    """
    dropout: float = 0.2
    """Of the decoder's inputs and outputs."""

    def __post_init__(self) -> None:
        require_at_least_one(self, "embedding", "hidden")
        require("dropout", self.dropout, 0 <= self.dropout < 1, "from 0 up to 1")


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """Everything that moves the weights, beside the data."""

    shape: Shape = field(default_factory=Shape)
    schedule: Schedule = field(
        default_factory=lambda: Schedule(epochs=20, learning_rate=0.01, clip=5.0, patience=2)
    )
    batch: int = 64
    """Sentences of an update."""
    unknown: float = 0.1
    """Share of the words of values that are replaced by the unknown word, so that unseen ones can be read."""
    vectors: Annotated[str | None, Option(metavar="NAME|FILE", show_default="random")] = None
    """Word vectors to start from: minilm, or a text or .npy file."""

    def __post_init__(self) -> None:
        require_at_least_one(self, "batch")
        require("unknown", self.unknown, 0 <= self.unknown < 1, "from 0 up to 1")

    def as_json(self) -> dict[str, Any]:
        """The settings as files have them."""
        return asdict(self)

    @classmethod
    def of_json(cls, settings: Mapping[str, Any]) -> TrainConfig:
        """The settings in a file; TypeError or DialevalError if they are not such."""
        parts = {"shape": Shape(**settings["shape"]), "schedule": Schedule(**settings["schedule"])}
        return cls(**{**settings, **parts})


def read_config(folder: Path) -> TrainConfig:
    """Settings by which the folder's generator was trained."""
    return LAYOUT.read(folder, lambda about: TrainConfig.of_json(about["train"]))


def read_lowercase(folder: Path) -> bool:
    """Whether the folder's generator was trained on lower case."""
    return LAYOUT.read(folder, lambda about: bool(about["data"]["lowercase"]))
