"""Facts about the training of a generator: its size, its perplexity, and the table of its evaluations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from dialeval.training.checkpoint import Evaluation

if TYPE_CHECKING:
    from torch import nn


def count_weights(network: nn.Module) -> int:
    """How many weights the network has."""
    return sum(weight.numel() for weight in network.parameters())


def perplexity(evaluation: Evaluation) -> float | None:
    """Exp of the nats per token of what is held out, ends counted; None where nothing is."""
    return None if evaluation.held_out is None else math.exp(evaluation.held_out["nats"])


def columns_of(unit: str) -> tuple[str, ...]:
    """The head of the table of evaluations on a model's card; ``unit`` is a token or a word."""
    return (
        "epoch",
        "updates",
        f"training nats per {unit}",
        f"held-out nats per {unit}",
        "held-out perplexity",
    )


def cells_of(evaluations: Iterable[Mapping[str, float | None]]) -> list[tuple[str, ...]]:
    """The rows below it, from evaluations as the model's marker lists them."""
    return [
        (
            f"{row['epoch']:g}",
            str(row["updates"]),
            f"{row['train_nats']:.4f}",
            _shown(row["held_out_nats"]),
            _shown(row["held_out_perplexity"]),
        )
        for row in evaluations
    ]


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
