"""Measures of single responses, and of all of a system's responses together.

``METRICS`` names the former; ``build("bleu(order=2)")`` makes one. ``CORPUS_MEASURES`` names the latter, and
``build_any`` makes one of either kind. ``summary("bleu")`` says what it measures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from dialeval.core import CorpusMeasure, Metric
from dialeval.data.types import Example
from dialeval.metrics.bertscore import BertScore, bert_score
from dialeval.metrics.bleu import Bleu
from dialeval.metrics.chrf import Chrf
from dialeval.metrics.cider import Cider
from dialeval.metrics.distinct import Distinct
from dialeval.metrics.embedding import EmbeddingAverage, GreedyMatching, VectorExtrema
from dialeval.metrics.length import Length
from dialeval.metrics.meteor import Meteor
from dialeval.metrics.overlap import OverlapScores, score_strings
from dialeval.metrics.rouge_l import RougeL
from dialeval.metrics.self_bleu import SelfBleu
from dialeval.metrics.sentence_cosine import SentenceCosine
from dialeval.metrics.skip_thought import SkipThought
from dialeval.metrics.vocabulary import Vocabulary
from dialeval.text.calls import construct, look_up

__all__ = [
    "CORPUS_MEASURES",
    "METRICS",
    "BertScore",
    "Bleu",
    "Chrf",
    "Cider",
    "Distinct",
    "EmbeddingAverage",
    "GreedyMatching",
    "Length",
    "Meteor",
    "OverlapScores",
    "RougeL",
    "SelfBleu",
    "SentenceCosine",
    "SkipThought",
    "VectorExtrema",
    "Vocabulary",
    "bert_score",
    "build",
    "build_any",
    "score_strings",
    "summary",
]

METRICS: Final[Mapping[str, Callable[..., Metric[Example]]]] = {
    "bertscore": bert_score,
    "bleu": Bleu,
    "chrf": Chrf,
    "cider": Cider,
    "embedding_average": EmbeddingAverage,
    "greedy_matching": GreedyMatching,
    "length": Length,
    "meteor": Meteor,
    "rouge_l": RougeL,
    "sentence_cosine": SentenceCosine,
    "skip_thought": SkipThought,
    "vector_extrema": VectorExtrema,
}

CORPUS_MEASURES: Final[Mapping[str, Callable[..., CorpusMeasure[Example]]]] = {
    "distinct": Distinct,
    "self_bleu": SelfBleu,
    "vocabulary": Vocabulary,
}


def build(name: str) -> Metric[Example]:
    """The metric written as ``bleu`` or ``bleu(order=2)``; a DialevalError says what is wrong with the name."""
    return construct(name, METRICS, kind="metric")


def build_any(name: str) -> Metric[Example] | CorpusMeasure[Example]:
    """The metric or corpus measure of that name."""
    table: dict[str, Callable[..., Metric[Example] | CorpusMeasure[Example]]] = {**METRICS, **CORPUS_MEASURES}
    return construct(name, table, kind="metric")


def summary(name: str) -> str:
    """What the metric or corpus measure of that name measures, in one line: the first line of its docstring."""
    maker, _ = look_up(name, {**METRICS, **CORPUS_MEASURES}, kind="metric")
    return (maker.__doc__ or "").partition("\n")[0].rstrip(".")
