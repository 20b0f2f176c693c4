"""Measures of single responses, and of all of a system's responses together.

``METRICS`` names the former; ``build("bleu(order=2)")`` makes one. ``CORPUS_MEASURES`` names the latter, and
``build_any`` makes one of either kind. ``summary("bleu")`` says what it measures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dialeval.text.calls import Entry, Table, construct, look_up

if TYPE_CHECKING:
    from pathlib import Path

    from dialeval.core import CorpusMeasure, Explains, Metric
    from dialeval.data.types import Example

METRICS: Final[Table[Metric[Example]]] = Table(
    Entry("bleu", "dialeval.metrics.overlap.bleu:Bleu", calls=("order=1", "order=2", "order=3", "order=4")),
    Entry("rouge_l", "dialeval.metrics.overlap.rouge_l:RougeL"),
    Entry("meteor", "dialeval.metrics.meteor.metric:Meteor"),
    Entry("cider", "dialeval.metrics.overlap.cider:Cider"),
    Entry("chrf", "dialeval.metrics.overlap.chrf:Chrf"),
    Entry("embedding_average", "dialeval.metrics.embedding.metric:EmbeddingAverage"),
    Entry("vector_extrema", "dialeval.metrics.embedding.metric:VectorExtrema"),
    Entry("greedy_matching", "dialeval.metrics.embedding.metric:GreedyMatching"),
    Entry("skip_thought", "dialeval.metrics.skip_thought.metric:SkipThought"),
    Entry("sentence_cosine", "dialeval.metrics.sentence_cosine:SentenceCosine"),
    Entry("bertscore", "dialeval.metrics.bertscore:bert_score"),
    Entry("facts", "dialeval.metrics.facts.metric:Facts", explains=True),
    Entry("contradiction_free", "dialeval.consistency.detecting.metrics:ContradictionFree"),
    Entry("contradiction_rate", "dialeval.consistency.detecting.metrics:ContradictionRate"),
    Entry("selfeval", "dialeval.selfeval.metric:SelfEval"),
    Entry("quality", "dialeval.selfeval.quality.metric:Quality"),
    Entry("quantidce", "dialeval.selfeval.trained.metrics:Quantidce", costly=True),
    Entry("dynaeval", "dialeval.selfeval.trained.metrics:Dynaeval", costly=True),
    Entry("density", "dialeval.selfeval.trained.metrics:Density", costly=True),
    Entry("context_cosine", "dialeval.selfeval.rivals.context_cosine:ContextCosine"),
    Entry("lm_likelihood", "dialeval.selfeval.rivals.likelihood:LmLikelihood", costly=True),
    Entry("pmi", "dialeval.selfeval.rivals.likelihood:Pmi", costly=True),
    Entry("follow_ups", "dialeval.selfeval.rivals.follow_ups:FollowUps", costly=True),
    Entry("fed", "dialeval.selfeval.rivals.fed:Fed", costly=True),
    Entry("full", "dialeval.selfeval.rivals.full:Full", costly=True),
    Entry("slot_error_rate", "dialeval.nlg.slots.metric:SlotErrorRate", last=True, costly=True),
    *(
        Entry(name, f"dialeval.metrics.assertions.metric:{place}", last=True, costly=True, explains=True)
        for name, place in (
            ("assertions", "Assertions"),
            ("contains", "Contains"),
            ("not_contains", "NotContains"),
            ("regex", "Regex"),
            ("equals", "Equals"),
            ("json", "Json"),
            ("max_length", "MaxLength"),
            ("language", "Language"),
        )
    ),
    Entry("length", "dialeval.metrics.length:Length", last=True),
)
"""In the order in which the founding papers report them."""

CORPUS_MEASURES: Final[Table[CorpusMeasure[Example]]] = Table(
    Entry("distinct", "dialeval.metrics.distinct:Distinct", calls=("n=1", "n=2")),
    Entry("self_bleu", "dialeval.metrics.self_bleu:SelfBleu"),
    Entry("vocabulary", "dialeval.metrics.distinct:Vocabulary"),
)

EVERY: Final[Table[Metric[Example] | CorpusMeasure[Example]]] = Table(
    *sorted((*METRICS.entries, *CORPUS_MEASURES.entries), key=lambda entry: entry.last)
)
"""Metrics and corpus measures together, as help lists them."""
EVERY_METRIC: Final = tuple(call for entry in EVERY.entries if not entry.costly for call in entry.each_call())
"""What ``dialeval score --all`` tries: all but those that take long or fit few data."""
DEFAULT_METRICS: Final = ("bleu(order=4)", "rouge_l", "length")
"""What ``dialeval score`` computes where no metric is named."""


def build(name: str) -> Metric[Example]:
    """The metric written as ``bleu`` or ``bleu(order=2)``; a DialevalError says what is wrong with the name."""
    return construct(name, METRICS, kind="metric")


def build_any(name: str, folder: Path | None = None) -> Metric[Example] | CorpusMeasure[Example]:
    """The metric or corpus measure of that name, or a custom one, written as ``file.py:NAME`` or ``module:NAME``.

    Files are relative to ``folder``, or to where we are.
    """
    if name.partition("(")[0].strip() not in EVERY:
        from dialeval.metrics.custom import custom_metric

        own = custom_metric(name, folder)
        if own is not None:
            return own
    return construct(name, EVERY, kind="metric")


def explainer(name: str) -> Explains | None:
    """The metric of that name if it can explain its values; None of others, which are not imported."""
    if name.partition("(")[0].strip() not in {entry.name for entry in METRICS.entries if entry.explains}:
        return None
    from dialeval.core import Explains

    metric = build(name)
    return metric if isinstance(metric, Explains) else None


def summary(name: str) -> str:
    """What the metric or corpus measure of that name measures, in one line: the first line of its docstring."""
    maker, _ = look_up(name, EVERY, kind="metric")
    return (maker.__doc__ or "").partition("\n")[0].rstrip(".")
