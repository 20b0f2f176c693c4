"""Scores in one line: lists of responses and references in, every metric's result out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dialeval.core import CorpusMeasure, Metric, Outcome, Resampling
from dialeval.data import Example, Response
from dialeval.errors import ResourceUnavailable, Unsuitable
from dialeval.evaluation.runner import Plan, evaluate_each
from dialeval.metrics import DEFAULT_METRICS, build_any

_PROBE: Final = Example("probe", "", (), Response("a small example"), ("a small reference",))


def score(
    responses: Sequence[str],
    references: Sequence[str | Sequence[str]] = (),
    metrics: Sequence[str] = DEFAULT_METRICS,
    *,
    trials: int = 1000,
    seed: int = 0,
) -> dict[str, Outcome]:
    """Every metric's result over these responses, each beside its own reference or references.

    >>> score(["the cat sat"], [["the cat sat", "a cat sat down"]], ["rouge_l"])["rouge_l"].score
    1.0
    """
    examples = list(_examples(responses, references))
    plan = Plan(resampling=Resampling(resamples=trials, seed=seed))
    results = evaluate_each({name: build_any(name) for name in metrics}, examples, plan)
    return {name: result for (name, _), result in results.items()}


@dataclass(frozen=True, slots=True)
class Availability:
    """Which metrics can run here, and why the others cannot."""

    metrics: Mapping[str, Metric[Example] | CorpusMeasure[Example]]
    obstacles: Mapping[str, str]
    """What each of the others lacks and how to get it."""


def available(names: Iterable[str]) -> Availability:
    """Try each metric on a small example: only that shows that its weights and tables are all there."""
    metrics: dict[str, Metric[Example] | CorpusMeasure[Example]] = {}
    obstacles: dict[str, str] = {}
    for name in names:
        try:
            metric = build_any(name)
            evaluate_each({name: metric}, [_PROBE], Plan(resampling=Resampling(resamples=0)))
        except ResourceUnavailable as error:
            obstacles[name] = str(error)
        else:
            metrics[name] = metric
    return Availability(metrics, obstacles)


def _examples(responses: Sequence[str], references: Sequence[str | Sequence[str]]) -> Iterable[Example]:
    if isinstance(responses, str) or isinstance(references, str):
        raise Unsuitable(
            "score needs lists: score(['a response'], [['its reference', 'another reference']])."
        )
    if references and len(references) != len(responses):
        raise Unsuitable(
            f"score got {len(responses)} responses but {len(references)} lists of references. Give one list "
            "of references per response, not one per reference stream: zip(*streams) turns streams into that."
        )
    beside = references or [()] * len(responses)
    for number, (response, given) in enumerate(zip(responses, beside, strict=True), start=1):
        texts = (given,) if isinstance(given, str) else tuple(given)
        yield Example(str(number), "", (), Response(response), texts)
