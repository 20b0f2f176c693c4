"""The shapes of verbs and results: protocols, signatures, settings of resampling, results. No algorithms."""

from dialeval.core.protocols import (
    Bounded,
    CorpusMeasure,
    Detector,
    Fittable,
    Floats,
    Generator,
    Integers,
    LeaveOneOut,
    LikelihoodModel,
    Metric,
    Replayer,
    Selective,
    Subject,
    System,
    UsesResources,
    YesNo,
)
from dialeval.core.resampling import DEFAULT_RESAMPLING, Clustering, Resampling, by_dialogue
from dialeval.core.results import ABSENCES, CorpusResult, Interval, Missing, Outcome, Provenance, Result
from dialeval.core.signature import Signature

__all__ = [
    "ABSENCES",
    "DEFAULT_RESAMPLING",
    "Bounded",
    "Clustering",
    "CorpusMeasure",
    "CorpusResult",
    "Detector",
    "Fittable",
    "Floats",
    "Generator",
    "Integers",
    "Interval",
    "LeaveOneOut",
    "LikelihoodModel",
    "Metric",
    "Missing",
    "Outcome",
    "Provenance",
    "Replayer",
    "Resampling",
    "Result",
    "Selective",
    "Signature",
    "Subject",
    "System",
    "UsesResources",
    "YesNo",
    "by_dialogue",
]
