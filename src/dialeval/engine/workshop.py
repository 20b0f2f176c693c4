"""The means of a command or a study: where batches run, what is kept, and who watches."""

from __future__ import annotations

from dataclasses import dataclass, field

from dialeval.engine.cache import Cache
from dialeval.engine.executors import Executor, InProcess
from dialeval.engine.progress import Watch, unwatched


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where and how the work is done; nothing in it can move a number."""

    executor: Executor = field(default_factory=InProcess)
    cache: Cache | None = None
    watch: Watch = unwatched
    batch_size: int = 256
    asking: Executor | None = None
    """Where systems are asked; None for this process."""
