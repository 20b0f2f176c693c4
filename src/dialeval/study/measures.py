"""What a study can measure: each measure is a metric, or corpus measure, and how it gets its subjects from a system."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from dialeval.core import CorpusMeasure, Metric, Missing, Subject, System
from dialeval.data import Example
from dialeval.errors import UnknownName
from dialeval.metrics import CORPUS_MEASURES, METRICS, build_any
from dialeval.text.naming import Scalar, print_call, split_call


@dataclass(frozen=True, slots=True)
class Respondent:
    """A system in a study, with what it answered to every prompt."""

    system: System
    examples: Sequence[Example | Missing]


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric or corpus measure under the label the study gave it."""

    label: str
    metric: Metric[Any] | CorpusMeasure[Any]
    subjects: Callable[[Respondent], Sequence[Subject | Missing]]
    """What the metric is asked about: a system's examples, its choices among candidates, its n-best lists."""


MEASURES: Final[Mapping[str, Callable[..., Measure]]] = {}
"""Measures that need more of a system than one response per prompt; every metric over examples works as it is."""


def build_measure(label: str, options: Mapping[str, Scalar] | None = None) -> Measure:
    """The measure called ``label``, such as ``bleu(order=4)``, with further options where a study gives them."""
    name, parameters, rest = split_call(label)
    if rest:
        raise ValueError(f"{rest!r} follows the name {name!r}")
    label = print_call(name, (*parameters, *(options or {}).items()))
    if name in MEASURES:
        return MEASURES[name](label=label, **dict(parameters), **(options or {}))
    if name not in METRICS and name not in CORPUS_MEASURES:
        known = [*METRICS, *CORPUS_MEASURES, *MEASURES]
        raise UnknownName("measure", name, known, todo="'dialeval score --help' lists them.")
    return Measure(label, build_any(label), _examples)


def _examples(respondent: Respondent) -> Sequence[Example | Missing]:
    return respondent.examples
