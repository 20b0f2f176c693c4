"""Execution of a command: which part of its work, on what, with what cache, and what counts as a failure."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

from dialeval.cli.interruption import keeps
from dialeval.cli.options import (
    Address,
    AllowUnanswered,
    CacheFolder,
    Device,
    FailUnder,
    Jobs,
    Json,
    Limit,
    Precision,
    Resume,
    engine_given,
)
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.core import Resampling
from dialeval.engine import EngineSettings, LayeredCache, Workshop
from dialeval.engine.progress import RichProgress
from dialeval.errors import Unsuitable
from dialeval.evaluation.shards import Shard
from dialeval.options import Option, Options

Sampling: TypeAlias = Annotated[Resampling, Options("cluster", "seed", "resamples")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """Execution of a command; those of its options that a command does not have stay as they are here."""

    limit: Limit = None
    jobs: Jobs = 1
    device: Device = None
    precision: Precision = None
    engine: Annotated[str | None, Option(metavar="ENGINE", show_default="processes")] = None
    """Where batches run: processes, ray, or as in 'ray(cpus=2, gpus=1)' for each worker."""
    address: Address = None
    resume: Resume = True
    ask_again: Annotated[
        bool | None,
        Option(
            "--ask-again/--use-cache", show_default="use cached answers, except for studies with gates in CI"
        ),
    ] = None
    """Ask systems for every answer again and replace cached ones, or use cached answers also in CI."""
    cache: CacheFolder = None
    fail_under: FailUnder = None
    allow_unanswered: AllowUnanswered = None
    shard: Annotated[str | None, Option(metavar="I/N", show_default=False)] = None
    """Do only this part of the work, such as 1/3; 'dialeval merge' joins all parts."""
    json: Json = False

    def __post_init__(self) -> None:
        _ = self.settings, self.part  # a wrong name is refused before any work

    @property
    def settings(self) -> EngineSettings | None:
        """The engine, or None if none is named; a usage error if there is no such engine."""
        return engine_given(self.engine, self.address)

    @property
    def part(self) -> Shard | None:
        """The shard, or None if the whole work is to be done; a usage error if the text is no shard."""
        try:
            return None if self.shard is None else Shard.parse(self.shard)
        except Unsuitable as error:
            raise BadUsage(str(error), where="--shard") from None


def default_cache_folder() -> Path:
    """Return the user's cache: ``$XDG_CACHE_HOME/dialeval``, else ``~/.cache/dialeval``."""
    # The XDG specification tells programs to ignore a relative path here.
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (named if named.is_absolute() else Path.home() / ".cache") / "dialeval"


@contextmanager
def open_workshop(
    execution: Execution,
    *,
    engine: EngineSettings | None = None,
    others: Sequence[Path] = (),
    must_keep: bool = False,
) -> Iterator[Workshop]:
    """Open a workshop with processes, a cache unless everything is to be recomputed, and bars on stderr.

    What the cache lacks is looked for in the ``others``; if it ``must_keep``, a full disk is an error. The ``engine``
    is used if the command names none. On one with several machines, systems are asked there, too.
    """
    folder = execution.cache or default_cache_folder()
    kept = LayeredCache(folder, others, must_keep=must_keep) if execution.resume else None
    keeps("What was computed is kept: the same command resumes from there." if execution.resume else None)
    settings = execution.settings or engine or EngineSettings()
    with settings.executor(execution.jobs) as executor:
        asking = executor if settings.asks_elsewhere else None
        yield Workshop(executor, kept, RichProgress, asking=asking)
