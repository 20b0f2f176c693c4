"""Sizes of a generator, settings of its training, and the files that hold them; loads no library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from dialeval.training.folder import Layout
from dialeval.training.schedule import Schedule, require, require_at_least_one

Architecture: TypeAlias = Literal["gru", "lstm", "convs2s", "transformer"]
Scale: TypeAlias = Literal["tiny", "small", "paper"]
LAYOUT: Final = Layout(
    kind="generator",
    marker="generator.json",
    vocabulary="tokenizer.json",
    noun="trained generator",
    command="dialeval train generator",
)

_MOST_LAYERS: Final = 1000
"""Each takes time and memory before any weights are read."""


@dataclass(frozen=True, slots=True)
class Shape:
    """An encoder-decoder network; encoder and decoder are equally deep and wide."""

    architecture: Architecture = "gru"
    layers: int = 2
    embedding: int = 512
    hidden: int = 512
    """Of a recurrent or convolutional layer; of a Transformer's feed-forward layer."""
    heads: int = 4
    """Of a Transformer's attention."""
    kernel: int = 3
    """Width of ConvS2S's convolutions."""
    positions: int = 128
    """Positions that ConvS2S distinguishes; all later ones share the last one's vector."""
    dropout: float = 0.1

    def __post_init__(self) -> None:
        require_at_least_one(self, "layers", "embedding", "hidden", "heads", "kernel", "positions")
        require("layers", self.layers, self.layers <= _MOST_LAYERS, f"{_MOST_LAYERS:,} or fewer")
        require("dropout", self.dropout, 0 <= self.dropout < 1, "from 0 up to 1")
        if self.architecture in ("gru", "lstm"):
            require("hidden", self.hidden, self.hidden % 2 == 0, "even, half for each direction")
        if self.architecture == "convs2s":
            require("kernel", self.kernel, self.kernel % 2 == 1, "odd, as many tokens on either side")
        if self.architecture == "transformer":
            fits = self.embedding % self.heads == 0 and self.embedding % 2 == 0
            require("embedding", self.embedding, fits, f"an even number that {self.heads} heads divide")


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """Everything that moves the weights, beside the data."""

    shape: Shape = field(default_factory=Shape)
    schedule: Schedule = field(default_factory=Schedule)
    batch_tokens: int = 6000
    """Tokens of a batch's contexts or of its responses, whichever are more, padding counted."""
    vocabulary: int = 16000
    """Subwords; a small corpus may have fewer."""
    turns: int = 3
    """Turns of context that are read, the last ones."""
    longest_context: int = 128
    """Tokens of context that are read; what comes before is cut."""
    longest_response: int = 64
    """Tokens of a response that are learnt, its end counted; the rest is cut."""
    label_smoothing: float = 0.0
    alpha: float = 0.0
    """Weight of the unlikelihood of negative responses, if the data have any."""

    def __post_init__(self) -> None:
        require_at_least_one(
            self, "batch_tokens", "vocabulary", "turns", "longest_context", "longest_response"
        )
        require("label_smoothing", self.label_smoothing, 0 <= self.label_smoothing < 1, "from 0 up to 1")
        require("alpha", self.alpha, self.alpha >= 0, "0 or more")

    def as_json(self) -> dict[str, Any]:
        """The settings as files have them: the tokens of a batch stand first in the schedule."""
        settings = asdict(self)
        settings["schedule"] = {"batch_tokens": settings.pop("batch_tokens"), **settings["schedule"]}
        return settings

    @classmethod
    def of_json(cls, settings: Mapping[str, Any]) -> TrainConfig:
        """The settings in a file; TypeError, ValueError or DialevalError if they are not such."""
        schedule = dict(settings["schedule"])
        parts = {
            "shape": Shape(**settings["shape"]),
            "batch_tokens": schedule.pop("batch_tokens"),
            "schedule": Schedule(**schedule),
        }
        return cls(**{**settings, **parts})


PAPER: Final[Mapping[Architecture, Shape]] = MappingProxyType(
    {
        # The largest of each in table 3.4 of Sato's thesis; it says nothing of kernels but "3 x 512", nor of dropout.
        "gru": Shape("gru", layers=2, embedding=512, hidden=512),
        "lstm": Shape("lstm", layers=2, embedding=512, hidden=512),
        "convs2s": Shape("convs2s", layers=20, embedding=512, hidden=512, kernel=3),
        "transformer": Shape("transformer", layers=4, embedding=512, hidden=2048, heads=4),
    }
)

_DIVISORS: Final[Mapping[Scale, int]] = MappingProxyType({"tiny": 8, "small": 2, "paper": 1})
_DEEP: Final = 4
"""Layers that every scale keeps; more of them are divided as widths are."""

_TRAINING: Final[Mapping[Scale, TrainConfig]] = MappingProxyType(
    {
        "tiny": TrainConfig(
            schedule=Schedule(learning_rate=2e-3, warm_up=100, evaluate_every=100, patience=10),
            batch_tokens=2000,
            vocabulary=2000,
        ),
        "small": TrainConfig(
            schedule=Schedule(learning_rate=5e-4, warm_up=200, evaluate_every=500, patience=10),
            batch_tokens=4000,
            vocabulary=8000,
        ),
        # Sato et al. (2020), table 5: 16,000 subwords, batches of 6,000 tokens, Adam at a fixed 1e-4, cross entropy.
        "paper": TrainConfig(),
    }
)


def scaled(shape: Shape, scale: Scale) -> TrainConfig:
    """Return the training of a network of the paper's shape at this scale: itself, half, or an eighth of its widths."""
    by = _DIVISORS[scale]
    layers = shape.layers if shape.layers <= _DEEP else max(_DEEP, shape.layers // by)
    small = replace(shape, layers=layers, embedding=shape.embedding // by, hidden=shape.hidden // by)
    return replace(_TRAINING[scale], shape=small)


def read_config(folder: Path) -> TrainConfig:
    """Return how the folder's generator was trained."""
    return LAYOUT.read(folder, lambda about: TrainConfig.of_json(about["train"]))
