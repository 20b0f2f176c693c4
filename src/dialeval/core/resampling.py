"""Settings of resampling, and which items are resampled together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, TypeAlias

import numpy as np

from dialeval.core.protocols import Integers
from dialeval.options import Option
from dialeval.text.ids import count_distinct, text_hashes

Clustering: TypeAlias = Literal["auto", "dialogue", "none"]
"""Whether items of one dialogue are resampled together: where ids show several of them, always, or never."""

_FEW: Final = 1 << 16
"""Ids of which a set takes little memory."""


def by_dialogue(item: str) -> str:
    """The dialogue an item belongs to: ids written ``dialogue/turn`` share all that comes before the last slash."""
    return item.rpartition("/")[0] or item


def by_context(items: Iterable[tuple[str, Hashable]]) -> Callable[[str], str]:
    """Return the function from an id to its cluster, given ids and contexts: one context, or one dialogue by ids.

    Both together, for ids may hide what contexts show: ``d1/2/false_1`` and ``d1/false_3`` ask about dialogue d1.
    """
    cluster: dict[Hashable, str] = {}

    def root(name: str) -> str:
        passed = []
        while (above := cluster.get(name, name)) != name:
            passed.append(name)
            name = above
        cluster.update(dict.fromkeys(passed, name))  # so that long chains are walked once
        return name

    for item, context in items:
        dialogue = root(by_dialogue(item))
        # In a tuple, so that a context is never taken for a dialogue's name.
        known = root(cluster.get((context,), dialogue))
        cluster[dialogue] = cluster[(context,)] = known
    return lambda item: root(by_dialogue(item))


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """All that can move an interval or a p-value beside the data."""

    resamples: Annotated[int, Option("--trials", min=0, metavar="N")] = 1000
    """Resamples behind tests and P(best); 0 for no tests and no intervals."""
    seed: Annotated[int, Option(min=0, metavar="N")] = 0
    """Seed of everything random."""
    confidence: float = 0.95
    cluster: Annotated[Clustering, Option(metavar="HOW")] = "auto"
    """Resample whole dialogues (ids DIALOGUE/TURN): auto, where ids show them; dialogue, always; or none.

    Items that ``group`` puts together are resampled together; ``auto`` does so if there are several groups and one has
    several items. A single group says nothing: then what the ids share is the name of the data.
    """
    group: Callable[[str], str] = field(default=by_dialogue, compare=False)
    """From an item's id to its dialogue, or whatever else its items have in common."""

    @property
    def alpha(self) -> float:
        """Bound of p-values: 0.05 where confidence is 0.95, without what rounding leaves of it."""
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
        """Name of the clusters of these items in our files; None if no two of them belong together."""
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
