"""The engine of a run as people write it: processes of this machine, or a Ray cluster; and the means of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from dialeval.core import AnswerRule
from dialeval.engine.cache import Cache, answer_cache
from dialeval.engine.executors import Executor, InProcess, ProcessPool
from dialeval.engine.progress import Watch, unwatched
from dialeval.errors import UnknownName, Unsuitable
from dialeval.text.calls import split_call

if TYPE_CHECKING:
    from dialeval.text.calls import Scalar

EngineName: TypeAlias = Literal["processes", "ray"]


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Where batches run; nothing in it can move a number."""

    name: EngineName = "processes"
    address: str = "local"
    """Of a Ray cluster: ``local`` embeds one, ``auto`` finds the one of this machine, else HOST:PORT."""
    cpus: float = 1.0
    """Of each Ray worker."""
    gpus: float = 0.0
    """Of each Ray worker that holds a model."""

    @classmethod
    def parse(cls, text: str, address: str | None = None) -> EngineSettings:
        """The engine that is written as ``ray`` or ``ray(cpus=2, gpus=1)``."""
        name, parameters, rest = split_call(text)
        if rest:
            raise Unsuitable(f"Found {rest!r} after the engine {name!r}.")
        if name not in get_args(EngineName):
            raise UnknownName("engine", name, get_args(EngineName), todo="There are processes and ray.")
        settings = cls("ray" if name == "ray" else "processes")
        for key, value in parameters:
            settings = settings._with(key, value)
        if address is not None:
            settings = replace(settings, address=address)
        if settings.name == "processes" and settings != cls():
            raise Unsuitable("The engine 'processes' has no options; an address, cpus and gpus are of 'ray'.")
        return settings

    def _with(self, key: str, value: Scalar) -> EngineSettings:
        if key == "address" and isinstance(value, str):
            return replace(self, address=value)
        if key in ("cpus", "gpus") and isinstance(value, int | float) and value >= 0:
            return replace(self, cpus=value) if key == "cpus" else replace(self, gpus=value)
        raise Unsuitable(
            f"Found {key}={value!r}, expected options of an engine such as ray(address='auto', cpus=2, gpus=1)."
        )

    @property
    def asks_elsewhere(self) -> bool:
        """Whether systems, too, are asked where batches run; each process of a pool would load their models."""
        return self.name == "ray"

    def executor(self, jobs: int) -> Executor:
        """The executor with ``jobs`` processes; an embedded cluster has as many workers where that is more than one."""
        if self.name == "ray":
            from dialeval.engine.cluster import RayCluster
            from dialeval.engine.cluster_settings import Needs

            return RayCluster(
                self.address, jobs=jobs if jobs > 1 else None, needs=Needs(self.cpus, self.gpus)
            )
        return ProcessPool(jobs) if jobs > 1 else InProcess()


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where and how the work is done; nothing in it can move a number."""

    executor: Executor = field(default_factory=InProcess)
    cache: Cache | None = None
    watch: Watch = unwatched
    batch_size: int = 256
    asking: Executor | None = None
    """Where systems are asked; None for this process."""
    rules: Mapping[str, AnswerRule] = field(default_factory=dict)
    """Which cached answers may be used, by system; all of those without a rule."""

    def answer_cache(self, system: str) -> Cache | None:
        """The cache for answers of this system."""
        return answer_cache(self.rules.get(system, AnswerRule()), self.cache)
