"""The measures of a study: every metric over responses, and those of the capabilities in one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from dialeval.core import Missing
from dialeval.data import Example
from dialeval.errors import UnknownName
from dialeval.evaluation.measure import AnyMetric, Asking, Capability, Measure, Respondent, Subjects, Tools
from dialeval.files.folders import with_home
from dialeval.metrics import CORPUS_MEASURES, METRICS, build_any
from dialeval.metrics.custom import custom_metric, custom_summary
from dialeval.study.capabilities import CAPABILITIES
from dialeval.text.calls import Scalar, construct, print_call, split_call


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
    if (asking := CAPABILITIES.asking(name)) is not None:
        return _of_capability(asking, name, given, folder or Path())
    # One of the tables as it is: joined, they would import every metric.
    makers: Mapping[str, Callable[..., object]] = METRICS if name in METRICS else CORPUS_MEASURES
    if name not in makers and (own := custom_metric(label, folder, options)) is not None:
        return _own(own, name, given)
    if name not in makers:
        raise UnknownName(
            "measure",
            name,
            [*METRICS, *CORPUS_MEASURES, *CAPABILITIES.measures],
            todo="'dialeval score --help' lists them.",
        )
    label = print_call(name, given)
    return Measure(
        label,
        build_any(label),
        _first_line(makers[name]),
        respondents_examples,
        shown_by=CAPABILITIES.showing(name),
    )


def _own(metric: AnyMetric, place: str, given: Sequence[tuple[str, Scalar]]) -> Measure:
    """A custom measure, called as its function or class is, or by its place where that name is taken."""
    name = place.rpartition(":")[2]
    taken = name in METRICS or name in CORPUS_MEASURES or name in CAPABILITIES.measures
    full = print_call(place, given)
    label = full if taken else print_call(name, given)
    return Measure(label, metric, custom_summary(metric), respondents_examples, full_label=full)


def _of_capability(
    capability: Capability, name: str, given: Sequence[tuple[str, Scalar]], folder: Path
) -> Measure:
    full = print_call(name, given)
    asking = construct(full, capability.measures, kind="measure")
    # Files are left out of the label, which heads a column and stands in gates.
    short = print_call(name, [(key, value) for key, value in given if key not in asking.inputs])
    inputs = {key: None if path is None else folder / with_home(path) for key, path in asking.inputs.items()}
    return Measure(
        label=short,
        metric=asking.metric,
        summary=_first_line(capability.measures[name]),
        subjects=partial(_asked, asking, inputs),
        inputs=inputs,
        full_label=full,
        capability=capability,
    )


def _asked(
    asking: Asking, inputs: Mapping[str, Path | None], respondent: Respondent, tools: Tools
) -> Subjects:
    named = {key: path for key, path in inputs.items() if path is not None}
    return asking.subjects(named, respondent, tools)


def _first_line(maker: Callable[..., object]) -> str:
    return (maker.__doc__ or "").partition("\n")[0].rstrip(".")


def respondents_examples(respondent: Respondent, _tools: Tools) -> Sequence[Example | Missing]:
    """What a measure of responses is asked about: what the system answered."""
    return respondent.examples
