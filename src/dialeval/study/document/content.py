"""Everything that the report on a run shows."""

from __future__ import annotations

from dataclasses import dataclass

from dialeval.meta.document import Points
from dialeval.study.document.items import Shown, Values
from dialeval.study.document.manifest import Manifest
from dialeval.study.document.summary import Summary


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """A run as its report shows it, from the run itself or from its folder."""

    study: str
    """The text of ``study.yaml``."""
    summary: Summary
    manifest: Manifest
    values: Values
    items: tuple[Shown, ...]
    """Those that the page carries."""
    notes: tuple[str, ...]
    """What capabilities say below the leaderboard."""
    points: Points
    """What people and measures said of the same answers."""
