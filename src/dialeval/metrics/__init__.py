"""Measures of single responses.

``METRICS`` names them all; ``build("bleu(order=2)")`` makes one, ``summary("bleu")`` says what it measures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from dialeval.core import Metric
from dialeval.data.types import Example
from dialeval.metrics.bleu import Bleu
from dialeval.metrics.chrf import Chrf
from dialeval.metrics.cider import Cider
from dialeval.metrics.embedding import EmbeddingAverage, GreedyMatching, VectorExtrema
from dialeval.metrics.length import Length
from dialeval.metrics.rouge_l import RougeL
from dialeval.text.building import construct, look_up

__all__ = [
    "METRICS",
    "Bleu",
    "Chrf",
    "Cider",
    "EmbeddingAverage",
    "GreedyMatching",
    "Length",
    "RougeL",
    "VectorExtrema",
    "build",
    "summary",
]

METRICS: Final[Mapping[str, Callable[..., Metric[Example]]]] = {
    "bleu": Bleu,
    "chrf": Chrf,
    "cider": Cider,
    "embedding_average": EmbeddingAverage,
    "greedy_matching": GreedyMatching,
    "length": Length,
    "rouge_l": RougeL,
    "vector_extrema": VectorExtrema,
}


def build(name: str) -> Metric[Example]:
    """The metric written as ``bleu`` or ``bleu(order=2)``; a DialevalError says what is wrong with the name."""
    return construct(name, METRICS, kind="metric")


def summary(name: str) -> str:
    """What the metric of that name measures, in one line: the first line of its docstring."""
    maker, _ = look_up(name, METRICS, kind="metric")
    return (maker.__doc__ or "").partition("\n")[0].rstrip(".")
