"""A corpus measure over a system's subjects: a score, a jackknife interval, and provenance."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from dialeval.core import (
    CorpusMeasure,
    CorpusResult,
    Integers,
    Interval,
    LeaveOneOut,
    Missing,
    Provenance,
    Subject,
    UsesResources,
)
from dialeval.data import subject_line
from dialeval.stats import jackknife_interval
from dialeval.version import __version__

S = TypeVar("S", bound=Subject)


def evaluate_corpus(
    measure: CorpusMeasure[S],
    subjects: Iterable[S | Missing],
    *,
    level: float | None = 0.95,
    cluster: Callable[[str], str] | None = None,
) -> CorpusResult:
    """The measure's score over one system's subjects, and its interval; no interval where ``level`` is None.

    The interval is score ± t times the jackknife's standard error, from leaving out one subject at a time, or all
    subjects that ``cluster`` puts together, such as those of a dialogue. It says where the expected score of as many
    subjects lies, for these scores move with their number. Nothing in it is random.
    """
    everything = list(subjects)
    reasons = {at: why for at, s in enumerate(everything) if (why := _obstacle(measure, s)) is not None}
    present = [s for at, s in enumerate(everything) if at not in reasons and not isinstance(s, Missing)]
    found = leave_out(measure, present, cluster)
    return CorpusResult(
        measure=measure,
        items=tuple(s.item for s in everything),
        systems=tuple(s.system for s in everything),
        subjects=tuple(present),
        score=found.score,
        interval=_interval(measure, found, level),
        provenance=Provenance(
            signature=measure.signature,
            data=hashlib.sha256(b"".join(subject_line(s) + b"\n" for s in everything)).hexdigest(),
            package=__version__,
            seed=0,
            trials=0,
            resources=tuple(sorted(measure.resources.items())) if isinstance(measure, UsesResources) else (),
        ),
        reasons=MappingProxyType(reasons),
    )


def leave_out(
    measure: CorpusMeasure[S], subjects: Sequence[S], cluster: Callable[[str], str] | None
) -> LeaveOneOut:
    """The score of the subjects, and without each of them or each cluster; NaN of none."""
    if not subjects:
        return LeaveOneOut(math.nan, np.empty(0))
    return measure.measure(subjects, _groups(subjects, cluster))


def _groups(subjects: Sequence[Subject], cluster: Callable[[str], str] | None) -> Integers:
    if cluster is None:
        return np.arange(len(subjects))
    return np.unique([cluster(s.item) for s in subjects], return_inverse=True)[1].astype(np.int64)


def _obstacle(measure: CorpusMeasure[S], subject: S | Missing) -> str | None:
    return subject.reason if isinstance(subject, Missing) else measure.unscorable(subject)


def _interval(measure: CorpusMeasure[S], found: LeaveOneOut, level: float | None) -> Interval | None:
    if level is None:
        return None
    low, high = jackknife_interval(found.score, found.without, level)
    if math.isnan(low):
        return None
    least, greatest = measure.bounds
    return Interval(max(low, least), min(high, greatest), level)
