"""Paired comparisons of two systems: difference, interval, tests, verdict, and items still needed."""

from dialeval.evaluation.compare.comparison import Comparison
from dialeval.evaluation.compare.decisions import (
    add_first_look,
    compare,
    compare_all,
    compare_pairs,
    decide_families,
    without_credit,
)

__all__ = [
    "Comparison",
    "add_first_look",
    "compare",
    "compare_all",
    "compare_pairs",
    "decide_families",
    "without_credit",
]
