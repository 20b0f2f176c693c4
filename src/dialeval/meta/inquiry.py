"""What is asked about measures and people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dialeval.meta.correlation.levels import LEVELS
from dialeval.meta.instances.rules import InstanceRule
from dialeval.stats.correlation.bootstrap import Resample
from dialeval.stats.correlation.levels import Level
from dialeval.stats.estimate import Coefficient


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What is asked about measures and people; all that can move a number beside the judgements."""

    levels: tuple[Level, ...] = LEVELS
    coefficient: Coefficient = "spearman"
    trials: int = 1000
    """Resamples behind each interval and permutations behind each test; 0 gives neither."""
    seed: int = 0
    level: float = 0.95
    resample: Resample = "items"
    cluster: Literal["dialogue"] | None = None
    """Whether turns of one dialogue, items whose ids agree up to the last slash, are resampled and swapped together."""
    repeats: int = 100
    """Of the splits of the raters, and of the small test sets."""
    estimate: bool = False
    """Whether systems' mean ratings over all items are estimated."""
    estimate_by: str | None = None
    """The measure that stands in for ratings; None takes all together, fitted to ratings of other items."""
    combine: bool = False
    """Whether combinations of the measures are looked at as further measures."""
    lower_is_better: tuple[str, ...] = ()
    """Patterns of measures with which lower is better, beside those of ours that say so themselves."""
    instances: tuple[InstanceRule, ...] = ()
    """Measures asked whether they are right about single answers."""
    plan: bool = False
    """Whether it is asked how many items, raters and systems the next study needs."""

    @property
    def alpha(self) -> float:
        """What a p-value has to be below: 0.05 of level 0.95, without what rounding leaves of it."""
        return round(1 - self.level, 12)
