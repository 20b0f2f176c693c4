"""The types of a run's files, and of all that its report shows."""

from dialeval.evaluation.compare import Comparison as Comparison
from dialeval.study.document.manifest import ClaimPlan, Manifest, SystemUsage, Trace, Unmatched
from dialeval.study.document.reasons import PackedReasons, Place
from dialeval.study.document.shown import Content, Said, Shown, Unscored, Values
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
    Ranking,
    Score,
    Summary,
    SystemInfo,
    SystemRank,
)

__all__ = [
    "ClaimPlan",
    "Comparison",
    "Content",
    "Failure",
    "GateOutcome",
    "JudgedBy",
    "Manifest",
    "MeasureInfo",
    "MissingRule",
    "OutOfReach",
    "PackedReasons",
    "Place",
    "Ranking",
    "Said",
    "Score",
    "Shown",
    "Standing",
    "Summary",
    "SystemInfo",
    "SystemRank",
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
