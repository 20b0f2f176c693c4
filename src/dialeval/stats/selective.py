"""Selective acceptance: the lowest confidence above which verdicts agree with people often enough, by a bound.

Thresholds are tested from the highest confidence downwards, and the first that fails ends the search (fixed-sequence
testing: Bauer, 1991; of judges: Jung, Brahman & Choi, 2024). As none is tested after a failure, the chance that the
threshold found admits more disagreement than allowed is at most 1 - ``level``, however many were tested.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.bootstrap import Floats
from dialeval.stats.resampling.proportions import clopper_pearson

LEAST: Final = 30
"""Fewest verdicts on which a threshold is tested."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The threshold of confidence from which verdicts are accepted, or the reason why there is none."""

    threshold: float | None
    """Verdicts of this confidence or more are accepted."""
    agreement: Estimate
    """Share of accepted verdicts with which people agree; ``low`` is the bound at ``level``, one-sided, ``high`` 1."""
    of: int
    """Verdicts with a confidence that people rated, accepted or not."""
    level: float

    @property
    def kept(self) -> int:
        """Number of rated verdicts that are accepted."""
        return self.agreement.n if self.threshold is not None else 0


def accept(
    confidence: Floats, agrees: Floats, agree: float, *, level: float = 0.9, least: int = LEAST
) -> Acceptance:
    """The lowest threshold at and above which the one-sided bound of agreement is at least ``agree``.

    ``agrees`` is 1 where people agree with the verdict and 0 where not. Verdicts of one confidence are accepted
    together. Clopper and Pearson's bound is exact, but takes verdicts to be independent.
    """
    known = np.isfinite(confidence) & np.isfinite(agrees)
    order = np.argsort(-confidence[known], kind="stable")
    sure, right = confidence[known][order], agrees[known][order]
    # The last place of each confidence: of equal ones, all or none.
    ends = np.flatnonzero(np.append(np.diff(sure) != 0, True)) + 1 if len(sure) else np.zeros(0, int)
    found, refused = None, None
    for kept in ends[ends >= least].tolist():
        low = one_sided_low(int(right[:kept].sum()), kept, level)
        if low < agree:
            refused = (kept, float(right[:kept].mean()), low)
            break
        found = Estimate(float(right[:kept].mean()), low, 1.0, kept), float(sure[kept - 1])
    if found is not None:
        return Acceptance(found[1], found[0], len(sure), level)
    if refused is None:
        reason = f"{len(sure)} rated verdicts with a confidence, where {least} are needed"
    else:
        kept, share, low = refused
        reason = (
            f"of the {kept} surest verdicts people agree with {share:.1%}, which may be as few as {low:.1%}, not with "
            f"{agree:.0%}"
        )
    return Acceptance(None, Estimate.undefined(reason, len(sure)), len(sure), level)


def one_sided_low(yes: int, n: int, level: float) -> float:
    """Clopper and Pearson's lower bound of a proportion, one-sided at ``level``."""
    return clopper_pearson(yes, n, 2 * level - 1)[0] if level < 1 else math.nan
