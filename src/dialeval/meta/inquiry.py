"""Settings of `examine`."""

from __future__ import annotations

from dataclasses import dataclass

from dialeval.core import DEFAULT_RESAMPLING, Resampling
from dialeval.meta.document import LEVELS, Coefficient, Level, Resample
from dialeval.meta.instances.rules import InstanceRule


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What is asked about measures and people; all that can move a number beside the judgements."""

    levels: tuple[Level, ...] = LEVELS
    coefficient: Coefficient = "spearman"
    resampling: Resampling = DEFAULT_RESAMPLING
    resample: Resample = "items"
    """What is resampled: items, other systems, or both."""
    repeats: int = 100
    """Of the splits of the raters, and of the small test sets."""
    estimate: bool = False
    """Whether systems' mean ratings over all items are estimated."""
    estimate_by: str | None = None
    """The measure that stands in for ratings; None takes all together, fitted to ratings of other items."""
    combine: bool = False
    """Whether combinations of the measures are looked at as further measures."""
    lower_is_better: tuple[str, ...] = ()
    """Patterns of measures for which lower is better, beside those of ours that say so themselves."""
    instances: tuple[InstanceRule, ...] = ()
    """Measures asked whether they are right about single answers."""
    plan: bool = False
    """Whether it is asked how many items, raters and systems the next study needs."""
