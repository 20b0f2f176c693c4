"""Settings of resampling, and the default clusters of items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from dialeval.core.protocols import Integers


def by_dialogue(item: str) -> str:
    """The dialogue an item belongs to: ids written ``dialogue/turn`` share all that comes before the last slash."""
    return item.rpartition("/")[0] or item


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """All that can move an interval or a p-value beside the data."""

    resamples: int = 1000
    """Bootstrap resamples, and permutations behind each test; 0 gives neither."""
    seed: int = 0
    confidence: float = 0.95
    cluster: Callable[[str], str] | None = None
    """From an item's id to what is resampled together, such as its dialogue; None where items are independent."""

    @property
    def alpha(self) -> float:
        """What a p-value has to be below: 0.05 where confidence is 0.95, without what rounding leaves of it."""
        return round(1 - self.confidence, 12)

    @property
    def cluster_name(self) -> Literal["dialogue"] | None:
        """What is resampled together, as our files spell it."""
        return None if self.cluster is None else "dialogue"

    def clusters(self, items: Sequence[str]) -> Integers | None:
        """The cluster of each item, numbered from 0; None where items are independent."""
        if self.cluster is None:
            return None
        return np.unique([self.cluster(item) for item in items], return_inverse=True)[1].astype(np.int64)

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> Resampling:
        """The value that `as_json` spelled, in any object that holds its fields."""
        cluster = by_dialogue if content["cluster"] == "dialogue" else None
        return cls(
            resamples=content["trials"], seed=content["seed"], confidence=content["level"], cluster=cluster
        )

    def as_json(self) -> dict[str, int | float | str | None]:
        """The fields as our files spell them."""
        return {
            "trials": self.resamples,
            "seed": self.seed,
            "level": self.confidence,
            "cluster": self.cluster_name,
        }


DEFAULT_RESAMPLING: Final = Resampling()
