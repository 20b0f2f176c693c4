"""What a study can measure: each measure is a metric, or corpus measure, and how it gets its subjects from a system."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from dialeval.core import CorpusMeasure, Metric, Missing, Subject
from dialeval.data import Example
from dialeval.errors import UnknownName
from dialeval.evaluation.measure import Respondent, Tools
from dialeval.metrics import CORPUS_MEASURES, METRICS, build_any
from dialeval.selection.measure import ChoiceMeasure, selection_accuracy, selection_consistency
from dialeval.text.calls import Scalar, construct, print_call, split_call

Subjects: TypeAlias = Callable[[Respondent, Tools], Sequence[Subject | Missing]]


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric or corpus measure under the label the study gave it."""

    label: str
    metric: Metric[Any] | CorpusMeasure[Any]
    subjects: Subjects
    """What the metric is asked about: a system's examples, its choices among candidates, its n-best lists."""
    file: Path | None = None
    """The questions it asks; None where it judges the answers to the study's prompts."""
    full_label: str = ""
    """With the name of its file, for studies that ask the same of several files; empty where that changes nothing."""

    @property
    def asks(self) -> bool:
        """Whether it asks questions of its own, so that its items are no prompts of the study."""
        return self.metric.signature.name in MEASURES


MEASURES: Final[Mapping[str, Callable[..., ChoiceMeasure]]] = {
    "selection_accuracy": selection_accuracy,
    "selection_consistency": selection_consistency,
}
"""Measures that need more of a system than one response per prompt; every metric over examples works as it is."""


def build_measure(
    label: str, options: Mapping[str, Scalar] | None = None, *, folder: Path | None = None
) -> Measure:
    """The measure called ``label``, such as ``bleu(order=4)``, with further options where a study gives them.

    Files among the options are relative to ``folder``.
    """
    name, parameters, rest = split_call(label)
    if rest:
        raise ValueError(f"{rest!r} follows the name {name!r}")
    given = (*parameters, *(options or {}).items())
    label = print_call(name, given)
    if name in MEASURES:
        return _asking(name, given, folder or Path())
    if name not in METRICS and name not in CORPUS_MEASURES:
        known = [*METRICS, *CORPUS_MEASURES, *MEASURES]
        raise UnknownName("measure", name, known, todo="'dialeval score --help' lists them.")
    return Measure(label, build_any(label), _examples)


def summary_of(measure: Measure) -> str:
    """What the measure measures, in one line: the first line of its docstring."""
    name = measure.metric.signature.name
    maker: Callable[..., object] = {**METRICS, **CORPUS_MEASURES, **MEASURES}[name]
    return (maker.__doc__ or "").partition("\n")[0].rstrip(".")


def _asking(name: str, given: Sequence[tuple[str, Scalar]], folder: Path) -> Measure:
    full = print_call(name, given)
    made = construct(full, MEASURES, kind="measure")
    # The file is left out of the label, which heads a column and stands in gates.
    short = print_call(name, [(key, value) for key, value in given if key != "questions"])
    file = None if made.file is None else folder / Path(made.file).expanduser()
    return Measure(short, made.metric, partial(made.subjects, file or Path()), file, full)


def _examples(respondent: Respondent, _tools: Tools) -> Sequence[Example | Missing]:
    return respondent.examples
