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
    DEFAULT_RESAMPLING,
    CorpusMeasure,
    CorpusResult,
    LeaveOneOut,
    Missing,
    Provenance,
    Resampling,
    Subject,
    resources_of,
)
from dialeval.data import subject_lines
from dialeval.evaluation.runs import scores_of_corpus, sources_of, why_absent
from dialeval.evaluation.silence import BLANK, SilenceRule, is_unanswered
from dialeval.evaluation.uncertainty import Uncertainty, uncertainty_of
from dialeval.stats import spread_without
from dialeval.stats.resampling.clusters import variance_ratio
from dialeval.stats.resampling.jackknife import LeftOut
from dialeval.version import __version__

S = TypeVar("S", bound=Subject)


def evaluate_corpus(
    measure: CorpusMeasure[S],
    subjects: Iterable[S | Missing],
    resampling: Resampling = DEFAULT_RESAMPLING,
    *,
    silence: SilenceRule = "worst",
) -> CorpusResult:
    """The measure's score over one system's subjects, and its interval; no interval where there are 0 resamples.

    The interval is the jackknife's, from leaving out one subject at a time, or all subjects of a cluster, such as those
    of a dialogue. It says where the expected score of as many subjects lies,
    for these scores move with their number. Nothing in it is random, so the seed moves nothing. Subjects that the
    system left unanswered are no part of the corpus, unless the rule is to go by what the measure says of them.
    """
    everything = list(subjects)
    silent = [is_unanswered(subject) for subject in everything]
    obstacles = [
        _obstacle(measure, subject) or (BLANK if blank and silence == "worst" else None)
        for subject, blank in zip(everything, silent, strict=True)
    ]
    reasons = {index: reason for index, reason in enumerate(obstacles) if reason is not None}
    present = [
        subject
        for subject, reason in zip(everything, obstacles, strict=True)
        if reason is None and not isinstance(subject, Missing)
    ]
    measured = leave_out(measure, present, resampling)
    known = _uncertainty(measure, present, measured, resampling)
    return CorpusResult(
        measure=measure,
        items=tuple(subject.item for subject in everything),
        systems=tuple(subject.system for subject in everything),
        subjects=tuple(present),
        score=measured.score,
        interval=known.interval,
        provenance=Provenance(
            signature=measure.signature,
            data=_digest(everything),
            package=__version__,
            seed=0,
            resamples=0,
            resources=tuple(sorted(resources_of(measure).items())),
        ),
        reasons=MappingProxyType(reasons),
        absence=known.absence,
        units=known.units,
        design_effect=known.design_effect,
        unanswered=sum(silent),
    )


def _digest(subjects: Iterable[object]) -> str:
    data, stream = hashlib.sha256(), iter(subjects)
    while chunk := list(islice(stream, 1024)):
        data.update(subject_lines(chunk) + b"\n")
    return data.hexdigest()


def leave_out(measure: CorpusMeasure[S], subjects: Sequence[S], resampling: Resampling) -> LeaveOneOut:
    """The score of the subjects, and without each of them or each cluster; NaN of none."""
    if not subjects:
        return LeaveOneOut(math.nan, np.empty(0))
    clusters = resampling.clusters([subject.item for subject in subjects])
    return measure.measure(subjects, np.arange(len(subjects)) if clusters is None else clusters)


def _obstacle(measure: CorpusMeasure[S], subject: S | Missing) -> str | None:
    if isinstance(subject, Missing):
        return subject.reason
    return why_absent(subject) or measure.unscorable(subject)


def _uncertainty(
    measure: CorpusMeasure[S], subjects: Sequence[S], measured: LeaveOneOut, resampling: Resampling
) -> Uncertainty:
    units = len(measured.without)
    if resampling.resamples == 0:
        return Uncertainty(units=units)
    spread = spread_without(
        LeftOut(*measured), measure.bounds, sources=sources_of(scores_of_corpus(measure, subjects))
    )
    effect = None
    if units < len(subjects):
        alone = measure.measure(subjects, np.arange(len(subjects))).without
        effect = variance_ratio(measured.without, alone)
    return uncertainty_of(spread, resampling.confidence, effect)
