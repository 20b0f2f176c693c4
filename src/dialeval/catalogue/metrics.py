"""Metrics and corpus measures by name.

``METRICS`` names the measures of single responses; ``build("bleu(order=2)")`` makes one. ``CORPUS_MEASURES`` names the
measures of all of a system's responses together, and ``build_any`` makes one of either kind. ``summary("bleu")`` says
what it measures.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from dialeval.lazy import Table
from dialeval.text.calls import construct, look_up, split_call

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import TypeAlias

    from dialeval.core import Metric
    from dialeval.data.types import Example

    MetricMaker: TypeAlias = Callable[..., Metric[Example]]


class Traits(NamedTuple):
    """Traits of a metric that are known without importing it."""

    calls: tuple[str, ...] = ()
    """Parameters of the variants that count as all of it, such as ``order=1``; none for the plain name."""
    last: bool = False
    """Whether it is listed after everything else."""
    costly: bool = False
    """Whether it takes long or fits few data, so that nobody gets it who did not name it."""
    explains: bool = False
    """Whether it can explain its values item by item."""
    asks: bool = False
    """True if it asks a model for its values, so that only the run that asked can explain them."""


METRICS: Final[Table[MetricMaker, Traits]] = Table(Traits())
"""In the order in which the founding papers report them."""
CORPUS_MEASURES: Final[Table[MetricMaker, Traits]] = Table(Traits())
"""In the order of their names."""


@METRICS.entry("bleu", Traits(calls=("order=1", "order=2", "order=3", "order=4")))
def _bleu() -> MetricMaker:
    from dialeval.metrics.overlap.bleu import Bleu

    return Bleu


@METRICS.entry("rouge_l")
def _rouge_l() -> MetricMaker:
    from dialeval.metrics.overlap.rouge_l import RougeL

    return RougeL


@METRICS.entry("meteor")
def _meteor() -> MetricMaker:
    from dialeval.metrics.meteor.metric import Meteor

    return Meteor


@METRICS.entry("cider")
def _cider() -> MetricMaker:
    from dialeval.metrics.overlap.cider import Cider

    return Cider


@METRICS.entry("chrf")
def _chrf() -> MetricMaker:
    from dialeval.metrics.overlap.chrf import Chrf

    return Chrf


@METRICS.family("embedding_average", "vector_extrema", "greedy_matching")
def _embeddings() -> tuple[MetricMaker, ...]:
    from dialeval.metrics.embedding.metric import EmbeddingAverage, GreedyMatching, VectorExtrema

    return EmbeddingAverage, VectorExtrema, GreedyMatching


@METRICS.entry("skip_thought")
def _skip_thought() -> MetricMaker:
    from dialeval.metrics.skip_thought.metric import SkipThought

    return SkipThought


@METRICS.entry("sentence_cosine")
def _sentence_cosine() -> MetricMaker:
    from dialeval.metrics.sentence_cosine import SentenceCosine

    return SentenceCosine


@METRICS.entry("bertscore")
def _bertscore() -> MetricMaker:
    from dialeval.metrics.bertscore import bert_score

    return bert_score


@METRICS.entry("facts", Traits(explains=True))
def _facts() -> MetricMaker:
    from dialeval.metrics.facts.metric import Facts

    return Facts


@METRICS.family("contradiction_free", "contradiction_rate")
def _contradictions() -> tuple[MetricMaker, ...]:
    from dialeval.consistency.detecting.metrics import ContradictionFree, ContradictionRate

    return ContradictionFree, ContradictionRate


@METRICS.entry("selfeval")
def _selfeval() -> MetricMaker:
    from dialeval.selfeval.metric import SelfEval

    return SelfEval


@METRICS.entry("quality")
def _quality() -> MetricMaker:
    from dialeval.selfeval.quality.metric import Quality

    return Quality


@METRICS.family("quantidce", "dynaeval", "density", traits=Traits(costly=True))
def _trained() -> tuple[MetricMaker, ...]:
    from dialeval.selfeval.trained.metrics import Density, Dynaeval, Quantidce

    return Quantidce, Dynaeval, Density


@METRICS.entry("context_cosine")
def _context_cosine() -> MetricMaker:
    from dialeval.selfeval.rivals.context_cosine import ContextCosine

    return ContextCosine


@METRICS.family("lm_likelihood", "pmi", traits=Traits(costly=True))
def _likelihoods() -> tuple[MetricMaker, ...]:
    from dialeval.selfeval.rivals.likelihood import LmLikelihood, Pmi

    return LmLikelihood, Pmi


@METRICS.entry("follow_ups", Traits(costly=True))
def _follow_ups() -> MetricMaker:
    from dialeval.selfeval.rivals.likelihood import FollowUps

    return FollowUps


@METRICS.entry("fed", Traits(costly=True))
def _fed() -> MetricMaker:
    from dialeval.selfeval.rivals.fed import Fed

    return Fed


@METRICS.entry("full", Traits(costly=True))
def _full() -> MetricMaker:
    from dialeval.selfeval.rivals.likelihood import Full

    return Full


@METRICS.entry("slot_error_rate", Traits(last=True, costly=True))
def _slot_error_rate() -> MetricMaker:
    from dialeval.nlg.slots.metric import SlotErrorRate

    return SlotErrorRate


@METRICS.family(
    *("assertions", "contains", "not_contains", "regex", "equals", "json", "max_length", "language"),
    traits=Traits(last=True, costly=True, explains=True),
)
def _assertions() -> tuple[MetricMaker, ...]:
    from dialeval.metrics.assertions import metric

    plain = metric.Contains, metric.NotContains, metric.Regex, metric.Equals
    return metric.Assertions, *plain, metric.Json, metric.MaxLength, metric.Language


@METRICS.entry("judge", Traits(last=True, costly=True, explains=True, asks=True))
def _judge() -> MetricMaker:
    from dialeval.judge.metric import Judge

    return Judge


@METRICS.family("success", "turns_to_success", "user_faults", traits=Traits(costly=True, explains=True))
def _talks() -> tuple[MetricMaker, ...]:
    from dialeval.talks.metrics import Success, TurnsToSuccess, UserFaults

    return Success, TurnsToSuccess, UserFaults


_BY_JUDGE: Final = Traits(last=True, costly=True, explains=True, asks=True)


@METRICS.entry("judged_slot_errors", _BY_JUDGE)
def _judged_slot_errors() -> MetricMaker:
    from dialeval.judge.slots import JudgedSlotErrors

    return JudgedSlotErrors


@METRICS.entry("judged_facts", _BY_JUDGE)
def _judged_facts() -> MetricMaker:
    from dialeval.judge.facts import JudgedFacts

    return JudgedFacts


@METRICS.entry("length", Traits(last=True))
def _length() -> MetricMaker:
    from dialeval.metrics.length import Length

    return Length


@CORPUS_MEASURES.entry("distinct", Traits(calls=("n=1", "n=2")))
def _distinct() -> MetricMaker:
    from dialeval.metrics.diversity import Distinct

    return Distinct


@CORPUS_MEASURES.entry("pass_k", Traits(costly=True))
def _pass_k() -> MetricMaker:
    from dialeval.talks.metrics import PassK

    return PassK


@CORPUS_MEASURES.entry("self_bleu")
def _self_bleu() -> MetricMaker:
    from dialeval.metrics.diversity import SelfBleu

    return SelfBleu


@CORPUS_MEASURES.entry("vocabulary")
def _vocabulary() -> MetricMaker:
    from dialeval.metrics.diversity import Vocabulary

    return Vocabulary


def _maker(name: str) -> MetricMaker:
    return METRICS[name] if name in METRICS else CORPUS_MEASURES[name]


def _every() -> Table[MetricMaker, Traits]:
    table: Table[MetricMaker, Traits] = Table(Traits())
    known = METRICS.traits | CORPUS_MEASURES.traits
    for name in sorted(known, key=lambda name: known[name].last):
        table.add(name, partial(_maker, name), known[name])
    return table


EVERY: Final = _every()
"""Metrics and corpus measures together, as help lists them."""
EVERY_METRIC: Final = tuple(
    f"{name}({parameters})" if parameters else name
    for name, traits in EVERY.traits.items()
    if not traits.costly
    for parameters in traits.calls or ("",)
)
"""Metrics of ``dialeval score --all``: all but those that take long or fit few data."""
DEFAULT_METRICS: Final = ("bleu(order=4)", "rouge_l", "length")
"""Metrics of ``dialeval score`` if none is named."""


def build(name: str) -> Metric[Example]:
    """Return the metric written as ``bleu`` or ``bleu(order=2)``; a DialevalError says what is wrong with the name."""
    return construct(name, METRICS, kind="metric")


def build_any(name: str, folder: Path | None = None) -> Metric[Example]:
    """Return the metric or corpus measure of that name, or a custom one: ``file.py:NAME`` or ``module:NAME``.

    Files are relative to ``folder``, or to the working directory.
    """
    if name.partition("(")[0].strip() not in EVERY:
        from dialeval.metrics.custom import custom_metric

        own = custom_metric(name, folder)
        if own is not None:
            return own
    return construct(name, EVERY, kind="metric")


def explainer(name: str) -> Metric[Example] | None:
    """Return the metric of that name if it can explain its values; None for others, which are not imported.

    Nor if its references are pooled, since the item does not have them.
    """
    traits = METRICS.traits.get(name.partition("(")[0].strip())
    if traits is None or not traits.explains or traits.asks or "pool" in dict(split_call(name).parameters):
        return None
    metric = build(name)
    return metric if metric.has("explain") else None


def summary(name: str) -> str:
    """Return what the metric or corpus measure of that name measures: the first line of its docstring."""
    maker, _ = look_up(name, EVERY, kind="metric")
    return (maker.__doc__ or "").partition("\n")[0].rstrip(".")
