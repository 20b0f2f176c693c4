"""A corpus measure over a system's subjects: a score, a jackknife interval, and provenance."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from itertools import islice
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from dialeval.core import (
    LeaveOneOut,
    Metric,
    Missing,
    Provenance,
    Resampling,
    Result,
    Subject,
)
from dialeval.data import subject_lines
from dialeval.evaluation.runs import scores_of_corpus, sources_of, why_absent
from dialeval.evaluation.silence import BLANK, SilenceRule, is_unanswered, why_never
from dialeval.evaluation.uncertainty import Uncertainty, uncertainty_of
from dialeval.stats import spread_without
from dialeval.stats.resampling.clusters import variance_ratio
from dialeval.stats.resampling.jackknife import LeftOut
from dialeval.version import __version__

S = TypeVar("S", bound=Subject)


def corpus_result(
    metric: Metric[S], subjects: Iterable[S | Missing], resampling: Resampling, silence: SilenceRule
) -> Result:
    """A corpus measure's score over one system's subjects, and its interval unless there are 0 resamples.

    The interval is the jackknife's, from leaving out one subject at a time, or all subjects of a cluster, such as those
    of a dialogue. It says where the expected score of as many subjects lies,
    for these scores move with their number. Nothing in it is random, so the seed moves nothing. Subjects that the
    system left unanswered are no part of the corpus, unless the rule is to go by what the measure says of them.
    """
    everything = list(subjects)
    silent = [is_unanswered(subject) for subject in everything]
    obstacles = [
        _obstacle(metric, subject)
        or (BLANK if blank and silence == "worst" and not metric.judges_silence else None)
        for subject, blank in zip(everything, silent, strict=True)
    ]
    reasons = {index: reason for index, reason in enumerate(obstacles) if reason is not None}
    present = [
        subject
        for subject, reason in zip(everything, obstacles, strict=True)
        if reason is None and not isinstance(subject, Missing)
    ]
    measured = leave_out(metric, present, resampling)
    known = _uncertainty(metric, present, measured, resampling)
    return Result(
        metric=metric,
        items=tuple(subject.item for subject in everything),
        systems=tuple(subject.system for subject in everything),
        rows=np.empty((0, 0)),
        values=np.empty(0),
        estimate=known.estimate(measured.score, len(present)),
        provenance=Provenance(
            signature=metric.signature,
            data=_digest(everything),
            package=__version__,
            seed=0,
            resamples=0,
            resources=tuple(sorted(metric.resources.items())),
            confidence=resampling.confidence,
        ),
        reasons=MappingProxyType(reasons),
        absence=known.absence,
        units=known.units,
        design_effect=known.design_effect,
        unanswered=sum(silent),
        uncounted=sum(
            blank and index in reasons and why_never(metric, subject) is None
            for index, (subject, blank) in enumerate(zip(everything, silent, strict=True))
        )
        if silence == "worst"
        else 0,
        subjects=tuple(present),
    )


def _digest(subjects: Iterable[object]) -> str:
    data, stream = hashlib.sha256(), iter(subjects)
    while chunk := list(islice(stream, 1024)):
        data.update(subject_lines(chunk) + b"\n")
    return data.hexdigest()


def leave_out(metric: Metric[S], subjects: Sequence[S], resampling: Resampling) -> LeaveOneOut:
    """The score of the subjects, and without each of them or each cluster; NaN of none."""
    if not subjects:
        return LeaveOneOut(math.nan, np.empty(0))
    clusters = resampling.clusters([subject.item for subject in subjects])
    return metric.without(subjects, np.arange(len(subjects)) if clusters is None else clusters)


def _obstacle(metric: Metric[S], subject: S | Missing) -> str | None:
    if isinstance(subject, Missing):
        return subject.reason
    return why_absent(subject) or metric.unscorable(subject)


def _uncertainty(
    metric: Metric[S], subjects: Sequence[S], measured: LeaveOneOut, resampling: Resampling
) -> Uncertainty:
    units = len(measured.without)
    if resampling.resamples == 0:
        return Uncertainty(units=units)
    spread = spread_without(
        LeftOut(*measured), metric.limits, sources=sources_of(scores_of_corpus(metric, subjects))
    )
    effect = None
    if units < len(subjects):
        alone = metric.without(subjects, np.arange(len(subjects))).without
        effect = variance_ratio(measured.without, alone)
    return uncertainty_of(spread, resampling.confidence, effect)
