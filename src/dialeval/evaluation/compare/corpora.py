"""Two systems under a corpus measure: a paired jackknife, since no item has a value of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dialeval.core import CorpusResult, LeaveOneOut, Resampling
from dialeval.evaluation.compare.comparison import Basis, Comparison
from dialeval.evaluation.compare.pairing import paired_items, system_of
from dialeval.evaluation.corpus import leave_out
from dialeval.files.documents import finite
from dialeval.stats import difference_of, jackknife_error, jackknife_interval, jackknife_p, required_items


def compare_corpora(a: CorpusResult, b: CorpusResult, resampling: Resampling, *, tests: int) -> Comparison:
    """One pair under a corpus measure, each item or cluster being left out of both systems at once."""
    items = paired_items(a, b)
    side_a, side_b = (_without(result, items, resampling) for result in (a, b))
    difference = float(difference_of(np.array(side_a.score), np.array(side_b.score)))
    without = difference_of(side_a.without, side_b.without)
    alpha, n, units = resampling.alpha, len(items), len(without)
    needed = required_items(difference, jackknife_error(without), units, alpha=alpha / tests)
    low, high = jackknife_interval(difference, without, resampling.confidence)
    p = finite(jackknife_p(difference, without))
    return Comparison(
        a=system_of(a),
        b=system_of(b),
        difference=finite(difference),
        low=finite(low),
        high=finite(high),
        p_bootstrap=None,
        p_permutation=None,
        p_mcnemar=None,
        p_jackknife=p,
        p_adjusted=p,
        significant=False,
        better=None,
        effect_size=None,
        wins=None,
        ties=None,
        losses=None,
        n=n,
        unpaired=len(set(a.items) | set(b.items)) - n,
        more_items=None if needed is None else max(1, math.ceil(needed * n / units) - n),
        basis=Basis(
            str(a.signature),
            side_a.score,
            side_b.score,
            resampling.confidence,
            alpha,
            a.measure.higher_is_better,
        ),
    )


def _without(result: CorpusResult, items: Sequence[str], resampling: Resampling) -> LeaveOneOut:
    subjects = {subject.item: subject for subject in result.subjects}
    return leave_out(result.measure, [subjects[item] for item in items], resampling)
