"""The measures of a study: every metric over responses, and those of the capabilities in one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dialeval.catalogue.metrics import CORPUS_MEASURES, METRICS, build_any
from dialeval.catalogue.tasks import MEASURES, task_asking, task_showing
from dialeval.core import Metric, Missing
from dialeval.data import Example
from dialeval.data.codec.sources import beside
from dialeval.errors import UnknownName
from dialeval.evaluation.measure import (
    Asking,
    BreaksDown,
    Capability,
    Measure,
    ReadsAhead,
    Respondent,
    SharesContexts,
    SharesSubjects,
    Subjects,
    Tools,
)
from dialeval.metrics.custom import custom_metric, custom_summary
from dialeval.text.calls import Scalar, construct, print_call, split_call

if TYPE_CHECKING:
    from dialeval.nlg.acts.files import Pool

JUDGE: Final = "judge"
_IN_LABEL: Final = ("rubric", "model", "judges", "level", "mode", "repeats", "combine", "reference")
"""Options of a judge that head its column and stand in gates."""
POOL: Final = "pool"
"""The option that says whose references count."""


def build_measure(
    label: str, options: Mapping[str, Scalar] | None = None, *, folder: Path | None = None
) -> Measure:
    """The measure called ``label``, such as ``bleu(order=4)``, with further options where a study gives them.

    Files among the options are relative to ``folder``. ``pool`` is an option of every measure of responses to acts.
    """
    name, parameters, rest = split_call(label)
    if rest:
        raise ValueError(f"{rest!r} follows the name {name!r}")
    given = (*parameters, *(options or {}).items())
    if (asking := task_asking(name)) is not None:
        return _of_capability(asking, name, given, folder or Path())
    if name == JUDGE:
        return _judge(given, folder)
    if POOL in dict(given):
        return _pooled(name, given, folder)
    # One of the tables as it is: joined, they would import every metric.
    makers: Mapping[str, Callable[..., object]] = METRICS if name in METRICS else CORPUS_MEASURES
    if name not in makers and (own := custom_metric(label, folder, options)) is not None:
        return _own(own, name, given)
    if name not in makers:
        raise UnknownName(
            "measure",
            name,
            [*METRICS, *CORPUS_MEASURES, *MEASURES],
            todo="'dialeval score --help' lists them.",
        )
    label = print_call(name, given)
    metric = build_any(label)
    return Measure(
        label,
        metric,
        _first_line(makers[name]),
        respondents_examples,
        breakdowns=metric.breakdowns if metric.has("breakdowns") else None,
        shown_by=task_showing(name),
    )


def _judge(given: Sequence[tuple[str, Scalar]], folder: Path | None) -> Measure:
    """A judge, whose label leaves out its server, and whose files are relative to the folder."""
    full = print_call(JUDGE, given)
    beside = [] if folder is None or "folder" in dict(given) else [("folder", str(folder))]
    metric = build_any(print_call(JUDGE, [*given, *beside]))
    options = dict(given)
    label = print_call(JUDGE, [(key, options[key]) for key in _IN_LABEL if key in options])
    return Measure(label, metric, _first_line(METRICS[JUDGE]), respondents_examples, full_label=full)


def _pooled(name: str, given: Sequence[tuple[str, Scalar]], folder: Path | None) -> Measure:
    """The measure with the references of each item's pool."""
    from dialeval.nlg.acts.files import POOLS

    pool = str(dict(given)[POOL])
    if pool not in POOLS:
        raise UnknownName("pool of references", pool, POOLS, todo=f"Give one of {', '.join(POOLS)}.")
    plain = build_measure(name, {key: value for key, value in given if key != POOL}, folder=folder)
    if pool == "none":
        return plain
    label = print_call(split_call(plain.label).name, given)
    return replace(
        plain, label=label, subjects=partial(_pooled_examples, pool), full_label="", shown_by=None, pool=pool
    )


def _pooled_examples(pool: Pool, respondent: Respondent, _tools: Tools) -> Sequence[Example | Missing]:
    from dialeval.nlg.subjects import pooled_examples

    return pooled_examples(respondent.examples, pool)


def _own(metric: Metric[Example], place: str, given: Sequence[tuple[str, Scalar]]) -> Measure:
    """A custom measure, called as its function or class is, or by its place where that name is taken."""
    name = place.rpartition(":")[2]
    taken = name in METRICS or name in CORPUS_MEASURES or name in MEASURES
    full = print_call(place, given)
    label = full if taken else print_call(name, given)
    return Measure(label, metric, custom_summary(metric), respondents_examples, full_label=full)


def _of_capability(
    capability: Capability, name: str, given: Sequence[tuple[str, Scalar]], folder: Path
) -> Measure:
    full = print_call(name, given)
    asking = construct(full, capability.measures, kind="measure")
    if isinstance(asking, ReadsAhead) and (implied := asking.implied(_inputs(asking, folder))):
        return _of_capability(capability, name, (*given, *implied.items()), folder)
    # Files are left out of the label, which heads a column and stands in gates.
    short = print_call(name, [(key, value) for key, value in given if key not in asking.inputs])
    inputs = _inputs(asking, folder)
    return Measure(
        label=short,
        metric=asking.metric,
        summary=_first_line(capability.measures[name]),
        subjects=partial(_asked, asking, inputs),
        inputs=inputs,
        full_label=full,
        asks=(*inputs.items(), asking.asks) if isinstance(asking, SharesSubjects) else None,
        breakdowns=asking.breakdowns if isinstance(asking, BreaksDown) else None,
        contexts=partial(asking.contexts, _named(inputs)) if isinstance(asking, SharesContexts) else None,
        asking=asking,
        capability=capability,
    )


def _inputs(asking: Asking, folder: Path) -> dict[str, Path | None]:
    """Paths of the files that a measure reads; None of those that are not named."""
    return {key: None if path is None else beside(folder, path) for key, path in asking.inputs.items()}


def _asked(
    asking: Asking, inputs: Mapping[str, Path | None], respondent: Respondent, tools: Tools
) -> Subjects:
    return asking.subjects(_named(inputs), respondent, tools)


def _named(inputs: Mapping[str, Path | None]) -> dict[str, Path]:
    return {key: path for key, path in inputs.items() if path is not None}


def _first_line(maker: Callable[..., object]) -> str:
    return (maker.__doc__ or "").partition("\n")[0].rstrip(".")


def respondents_examples(respondent: Respondent, _tools: Tools) -> Sequence[Example | Missing]:
    """Subjects of a measure of responses: the system's answers."""
    return respondent.examples
