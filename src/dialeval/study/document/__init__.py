"""The types of a run's files, and of all that its report shows."""

from dialeval.evaluation.compare import Comparison as Comparison
from dialeval.study.document.manifest import ClaimPlan, FileDigest, Manifest, SystemUsage, Trace, Unmatched
from dialeval.study.document.shown import Content, Place, Said, Shown, Unscored, Values
from dialeval.study.document.standing import (
    OutOfReach,
    Standing,
    headline_measure,
    leaders,
    least_p,
    negligible,
    out_of_reach,
    ranked,
    ranks,
    same_items,
    standings,
)
from dialeval.study.document.summary import (
    Failure,
    GateOutcome,
    JudgedBy,
    MeasureInfo,
    MissingRule,
    Score,
    Summary,
    SystemInfo,
)

__all__ = [
    "ClaimPlan",
    "Comparison",
    "Content",
    "Failure",
    "FileDigest",
    "GateOutcome",
    "JudgedBy",
    "Manifest",
    "MeasureInfo",
    "MissingRule",
    "OutOfReach",
    "Place",
    "Said",
    "Score",
    "Shown",
    "Standing",
    "Summary",
    "SystemInfo",
    "SystemUsage",
    "Trace",
    "Unmatched",
    "Unscored",
    "Values",
    "headline_measure",
    "leaders",
    "least_p",
    "negligible",
    "out_of_reach",
    "ranked",
    "ranks",
    "same_items",
    "standings",
]
