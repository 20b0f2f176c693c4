"""Resampling, paired tests and corrections over rows of numbers; nothing here knows of dialogue."""

from __future__ import annotations

from dialeval.stats.jackknife import jackknife_error, jackknife_interval, jackknife_p
from dialeval.stats.multiple import holm
from dialeval.stats.paired import bootstrap_p, difference_of, mcnemar, paired_bootstrap, permutation_test
from dialeval.stats.power import cohens_d_paired, required_items
from dialeval.stats.resampling import Aggregate, Bounds, bootstrap, percentile_interval

__all__ = [
    "Aggregate",
    "Bounds",
    "bootstrap",
    "bootstrap_p",
    "cohens_d_paired",
    "difference_of",
    "holm",
    "jackknife_error",
    "jackknife_interval",
    "jackknife_p",
    "mcnemar",
    "paired_bootstrap",
    "percentile_interval",
    "permutation_test",
    "required_items",
]
