"""How a study resamples: all that can move an interval or a p-value beside the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from dialeval.evaluation.runner import by_dialogue


@dataclass(frozen=True, slots=True)
class Settings:
    """Resamples, their seed, the level of intervals, and what is resampled together."""

    trials: int = 1000
    seed: int = 0
    level: float = 0.95
    cluster: Literal["dialogue"] | None = None

    @property
    def grouping(self) -> Callable[[str], str] | None:
        """From an item's id to its cluster; None where items stand alone."""
        return by_dialogue if self.cluster == "dialogue" else None

    def changed(
        self, *, trials: int | None, seed: int | None, level: float | None, cluster: bool | None
    ) -> Settings:
        """These settings, but for what is given."""
        return Settings(
            trials=self.trials if trials is None else trials,
            seed=self.seed if seed is None else seed,
            level=self.level if level is None else level,
            cluster=self.cluster if cluster is None else "dialogue" if cluster else None,
        )
