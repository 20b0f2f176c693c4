"""What measures get to see of a system, and what they may use to see more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TypeAlias

from dialeval.core import Missing, System
from dialeval.data import Example
from dialeval.engine import SILENT, Cache, Progress

Watch: TypeAlias = Callable[[str, int], AbstractContextManager[Progress]]
"""Makes a progress bar from what is being done and how many items it will take."""


@dataclass(frozen=True, slots=True)
class Respondent:
    """A system in a study, with what it answered to every prompt."""

    system: System
    examples: Sequence[Example | Missing]


@dataclass(frozen=True, slots=True)
class Tools:
    """What a measure may use to ask a system more."""

    cache: Cache | None = None
    watch: Watch = lambda _what, _total: nullcontext(SILENT)
    limit: int | None = None
    """Use only the first questions."""
