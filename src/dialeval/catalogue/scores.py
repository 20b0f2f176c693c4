"""Scores in one line: lists of responses and references in, every metric's result out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from dialeval.catalogue.metrics import DEFAULT_METRICS, build_any
from dialeval.core import Metric, Resampling, Result
from dialeval.data import Example, Response
from dialeval.data.frames import examples_of, is_frame
from dialeval.errors import ResourceUnavailable, Unsuitable
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.metrics.custom import handed_metric

_PROBE: Final = Example("probe", "", (), Response("a small example"), ("a small reference",))


AnyMetric: TypeAlias = str | Callable[..., Any] | Metric[Example]
"""A metric by name, or what Python has of it: a function of a response, a class, or an object."""


def score(
    responses: object,
    references: str | Sequence[str | Sequence[str]] = (),
    metrics: AnyMetric | Sequence[AnyMetric] = DEFAULT_METRICS,
    *,
    columns: Mapping[str, str] | None = None,
    system: str | None = None,
    trials: int = 1000,
    seed: int = 0,
) -> dict[str, Result]:
    """Every metric's result over these responses, each beside its own reference or references.

    ``responses`` may also be a table with named columns, of pandas, polars, Arrow, numpy or ``datasets``, which holds
    the references too; ``columns`` maps our fields to its columns, as in ``{"response": "output"}``, where their names
    do not tell, and ``references`` may name the column of references. ``system`` names the system, or selects the rows
    of one where the table has several. A metric is a name, a function of a response, a class or an object
    (docs/own.md); results go by the name, or by that of the function or class.

    >>> score(["the cat sat"], [["the cat sat", "a cat sat down"]], ["rouge_l"])["rouge_l"].score
    1.0
    >>> def shouting(response):
    ...     return response.isupper()
    >>> score(["the cat sat", "SIT"], metrics=[shouting])["shouting"].score
    0.5
    """
    chosen = _metrics(metrics)
    if is_frame(responses):
        columns = _with_references(columns, references)
        examples = list(examples_of(responses, columns=columns, system=system))
        _only_system(examples)
    else:
        examples = list(_examples(responses, references, system or ""))
    if not examples:
        raise Unsuitable(
            "Found no responses, expected at least one example. Check that this is what you meant to score."
        )
    plan = Plan(resampling=Resampling(resamples=trials, seed=seed))
    results = evaluate(chosen, examples, plan)
    return {name: result for (name, _), result in results.items()}


def _metrics(given: AnyMetric | Sequence[AnyMetric]) -> dict[str, Metric[Example]]:
    """The metrics by the names that results go by."""
    listed = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    made: dict[str, Metric[Example]] = {}
    for each in listed:
        metric = build_any(each) if isinstance(each, str) else handed_metric(each)
        label = each if isinstance(each, str) else getattr(each, "__name__", metric.signature.call)
        if label in made and not isinstance(each, str):
            raise Unsuitable(f"Found two metrics called {label!r}, expected a name of its own for each.")
        made[label] = metric
    if not made:
        raise Unsuitable(
            f"Found no metrics, expected at least one, as in metrics={list(DEFAULT_METRICS[:1])}."
        )
    return made


def _with_references(
    columns: Mapping[str, str] | None, references: str | Sequence[str | Sequence[str]]
) -> Mapping[str, str] | None:
    """The columns of a table, with that of the references if it was named."""
    if isinstance(references, str):
        return {**(columns or {}), "references": references}
    if len(references):
        raise Unsuitable(
            "Found references beside a data frame, expected them in it. Name their column, as in "
            "score(frame, 'gold')."
        )
    return columns


@dataclass(frozen=True, slots=True)
class Availability:
    """Which metrics can run here, and why the others cannot."""

    metrics: Mapping[str, Metric[Example]]
    obstacles: Mapping[str, str]
    """Lack of each of the others, and the way to get it."""


def available(names: Iterable[str]) -> Availability:
    """Try each metric on a small example: only that shows that its weights and tables are all there."""
    metrics: dict[str, Metric[Example]] = {}
    obstacles: dict[str, str] = {}
    for name in names:
        try:
            metric = build_any(name)
            evaluate({name: metric}, [_PROBE], Plan(resampling=Resampling(resamples=0)))
        except ResourceUnavailable as error:
            obstacles[name] = str(error)
        else:
            metrics[name] = metric
    return Availability(metrics, obstacles)


def _only_system(examples: Sequence[Example]) -> None:
    systems = list(dict.fromkeys(example.system for example in examples))
    if len(systems) > 1:
        raise Unsuitable(
            f"The data frame has {len(systems)} systems ({', '.join(systems[:5])}), and score is for one. "
            f"Select one, as in score(frame, system={systems[0]!r}), and compare results with compare()."
        )


def _examples(
    given: object, references: str | Sequence[str | Sequence[str]], system: str
) -> Iterable[Example]:
    responses = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else None
    references = list(references) if not isinstance(references, str) else references
    if responses is None or isinstance(references, str):
        raise Unsuitable(
            "score needs lists: score(['a response'], [['its reference', 'another reference']])."
        )
    if len(references) and len(references) != len(responses):
        raise Unsuitable(
            f"score got {len(responses)} responses but {len(references)} lists of references. Give one list "
            "of references per response, not one per reference stream: zip(*streams) turns streams into that."
        )
    beside = references if len(references) else [()] * len(responses)
    for number, (response, given_references) in enumerate(zip(responses, beside, strict=True), start=1):
        texts = (
            (given_references,)
            if isinstance(given_references, str)
            else ()
            if _is_none(given_references)
            else tuple(given_references)
        )
        kept = tuple(text for text in texts if not _is_none(text) and text.strip())
        said = (
            Response("", missing=f"no response (no value in row {number})")
            if _is_none(response)
            else response
        )
        if not isinstance(said, str | Response):
            raise Unsuitable(
                f"score: found {type(said).__name__} as the response in row {number}, expected text."
            )
        yield Example(str(number), system, (), said if isinstance(said, Response) else Response(said), kept)


def _is_none(value: object) -> bool:
    """Whether a value is None, NaN or pandas' NA, as data frames hold what is missing."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))
