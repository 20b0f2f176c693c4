"""Execution of batches, here or in a pool of processes, with a cache that lets a run resume.

Example::

    job = Job(key=str(metric.signature), task=metric.statistics, codec=ROWS)
    with ProcessPool(4) as pool:
        for rows in run(job, batches, executor=pool, cache=Cache(folder)): ...
"""

from dialeval.engine.cache import (
    Cache,
    CacheSize,
    CacheWarning,
    CountingCache,
    LayeredCache,
    answer_cache,
)
from dialeval.engine.executors import Executor, InProcess, ProcessPool
from dialeval.engine.progress import SILENT, Progress, RichProgress, Watch, unwatched
from dialeval.engine.settings import EngineSettings, Workshop
from dialeval.engine.stream import ROWS, Batch, Codec, Job, run

__all__ = [
    "ROWS",
    "SILENT",
    "Batch",
    "Cache",
    "CacheSize",
    "CacheWarning",
    "Codec",
    "CountingCache",
    "EngineSettings",
    "Executor",
    "InProcess",
    "Job",
    "LayeredCache",
    "ProcessPool",
    "Progress",
    "RichProgress",
    "Watch",
    "Workshop",
    "answer_cache",
    "run",
    "unwatched",
]
