"""Quantiles of Student's t, from a table for the usual confidence, so that small inputs need not import scipy.

The values are those of ``scipy.special.stdtrit``, to the last bit (tests/stats/resampling/test_students_t.py).
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Final

from dialeval.stats.resampling.bootstrap import check_confidence

_TABLE: Final = Path(__file__).with_name("students_t_95.txt")
TABULATED: Final = 1000
"""Up to as many degrees of freedom, at a confidence of 0.95."""


def t_quantile(degrees: float, confidence: float) -> float:
    """What Student's t stays below in size with this probability; NaN without degrees of freedom."""
    check_confidence(confidence)
    if not degrees > 0:
        return math.nan
    if confidence == 0.95 and degrees <= TABULATED and degrees == int(degrees):
        return _tabulated()[int(degrees) - 1]
    # Special functions alone: scipy.stats takes a second to import.
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + confidence) / 2))


@cache
def _tabulated() -> tuple[float, ...]:
    return tuple(map(float, _TABLE.read_text(encoding="ascii").split()))
