"""Points of a power curve, and the sizes that are tried."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from dialeval.errors import Unsuitable
from dialeval.meta.document import PowerPoint

_STEPS: Final = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)


def power_point(size: int, detected: int, trials: int) -> PowerPoint:
    """The share of trials that found it, with Wilson's (1927) interval."""
    share, z2 = detected / trials, 1.959963984540054**2
    middle = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    reach = math.sqrt(z2 * share * (1 - share) / trials + (z2 / (2 * trials)) ** 2) / (1 + z2 / trials)
    # The ends of an extreme share are exact; floating point leaves them a hair inside.
    low, high = max(0.0, middle - reach), min(1.0, middle + reach)
    return PowerPoint(size, share, 0.0 if detected == 0 else low, 1.0 if detected == trials else high)


def sizes_to_try(given: Sequence[int] | None, at_hand: int, *, fewest: int) -> tuple[int, ...]:
    """The sizes asked for, in order; without any, round numbers up to four times what is at hand."""
    if given is None:
        rounds = [int(step * 10**power) for power in range(1, 8) for step in _STEPS]
        return tuple(size for size in rounds if fewest <= size <= max(10, 4 * at_hand))
    sizes = tuple(sorted(set(given)))
    if not sizes or sizes[0] < fewest:
        raise Unsuitable(f"Found sizes {list(given)}, expected at least one, and none below {fewest}.")
    return sizes
