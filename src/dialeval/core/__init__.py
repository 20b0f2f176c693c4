"""The shapes of verbs and results: metrics, protocols, signatures, settings of resampling, results."""

from dialeval.core.answers import AnswerRule, CacheRule
from dialeval.core.metric import LeaveOneOut, Metric, Part
from dialeval.core.protocols import (
    Detector,
    Floats,
    Generator,
    Integers,
    LikelihoodModel,
    PartlyAnswered,
    Priced,
    Replayer,
    Selective,
    Served,
    Subject,
    System,
    innermost,
    resources_of,
    served,
)
from dialeval.core.resampling import DEFAULT_RESAMPLING, Clustering, Resampling, by_context, by_dialogue
from dialeval.core.results import Missing, Provenance, Result
from dialeval.core.signature import Signature
from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.intervals import ABSENCES

__all__ = [
    "ABSENCES",
    "DEFAULT_RESAMPLING",
    "AnswerRule",
    "CacheRule",
    "Clustering",
    "Detector",
    "Estimate",
    "Floats",
    "Generator",
    "Integers",
    "LeaveOneOut",
    "LikelihoodModel",
    "Metric",
    "Missing",
    "Part",
    "PartlyAnswered",
    "Priced",
    "Provenance",
    "Replayer",
    "Resampling",
    "Result",
    "Selective",
    "Served",
    "Signature",
    "Subject",
    "System",
    "by_context",
    "by_dialogue",
    "innermost",
    "resources_of",
    "served",
]
