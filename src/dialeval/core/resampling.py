"""Settings of resampling, and which items are resampled together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from dialeval.core.protocols import Integers
from dialeval.text.packed import count_distinct, text_hashes

Clustering: TypeAlias = Literal["auto", "dialogue", "none"]
"""Whether items of one dialogue are resampled together: where ids show several of them, always, or never."""

_FEW: Final = 1 << 16
"""Ids of which a set takes little memory."""


def by_dialogue(item: str) -> str:
    """The dialogue an item belongs to: ids written ``dialogue/turn`` share all that comes before the last slash."""
    return item.rpartition("/")[0] or item


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """All that can move an interval or a p-value beside the data."""

    resamples: int = 1000
    """Permutations behind each test, and resamples behind P(best); 0 gives no tests and no intervals."""
    seed: int = 0
    confidence: float = 0.95
    cluster: Clustering = "auto"
    """Whether items that ``group`` puts together are resampled together.

    ``auto`` does so where there are several groups and one has several items. A single group says nothing: then what
    the ids share is the name of the data.
    """
    group: Callable[[str], str] = by_dialogue
    """From an item's id to its dialogue, or whatever else its items have in common."""

    @property
    def alpha(self) -> float:
        """What a p-value has to be below: 0.05 where confidence is 0.95, without what rounding leaves of it."""
        return round(1 - self.confidence, 12)

    def clusters(self, items: Sequence[str]) -> Integers | None:
        """The cluster of each item, numbered from 0 in order of first sight; None where items are independent."""
        if self.cluster == "none":
            return None
        alone = self._alone(items)
        if alone and len(items) <= _FEW and len(set(items)) == len(items):  # as most ids are
            return None
        names = text_hashes(items if alone else map(self.group, items))
        groups = count_distinct(names)
        if groups == len(items) or (self.cluster == "auto" and groups < 2):
            return None
        _, first, sorted_codes = np.unique(names, return_index=True, return_inverse=True)
        codes = np.empty(groups, dtype=np.int64)
        codes[np.argsort(first)] = np.arange(groups)
        return codes[sorted_codes]

    def shows_clusters(self, items: Iterable[str]) -> bool:
        """Whether these ids, each counted once, show several groups, one of them of several items."""
        names = np.fromiter(
            ((hash(item), hash(self.group(item))) for item in items), dtype=np.dtype((np.int64, 2))
        )
        ids, groups = map(count_distinct, names.T)
        return 2 <= groups < ids

    def _alone(self, items: Sequence[str]) -> bool:
        """Whether no id names a dialogue, which one look at all of them shows."""
        return self.group is by_dialogue and "/" not in "".join(items)

    def cluster_name(self, items: Sequence[str]) -> Literal["dialogue", "none"] | None:
        """How these items are resampled, as our files spell it; None where no two of them belong together."""
        if self.cluster == "none":
            return "none"
        return None if self.clusters(items) is None else "dialogue"

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> Resampling:
        """The value that `as_json` spelled, in any object that holds its fields."""
        return cls(
            resamples=content["trials"],
            seed=content["seed"],
            confidence=content["level"],
            cluster=content["cluster"] or "auto",
        )

    def as_json(self) -> dict[str, int | float | str | None]:
        """The fields as our files spell them; ``cluster`` is null where the ids decide."""
        return {
            "trials": self.resamples,
            "seed": self.seed,
            "level": self.confidence,
            "cluster": None if self.cluster == "auto" else self.cluster,
        }


DEFAULT_RESAMPLING: Final = Resampling()
