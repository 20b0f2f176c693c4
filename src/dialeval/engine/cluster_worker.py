"""Code of the workers of a Ray cluster: batches of a task that each of them unpacks once."""

from __future__ import annotations

import os
import pickle
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, cast

from dialeval.engine.executors import fit_to_travel
from dialeval.errors import ResourceUnavailable, install_command

_HELD: Final = 2
"""Tasks that a worker keeps unpacked: the last batches of one and the first of the next."""


class Outcome(NamedTuple):
    """Outcome of a batch: our own errors travel as values, so that Ray does not wrap them."""

    result: Any
    error: Exception | None = None


class Worker:
    """An actor: a process that performs batches, and keeps the models that it has loaded."""

    def ready(self) -> None:
        """Says by its answer that a node has begun the actor."""

    def perform(self, key: str, parcels: Sequence[Any], folder: str, content: Sequence[object]) -> Outcome:
        """The outcome of the task on this content."""
        return perform(key, parcels, folder, content)


_unpacked: OrderedDict[str, Any] = OrderedDict()


def perform(key: str, parcels: Sequence[Any], folder: str, content: Sequence[object]) -> Outcome:
    """The outcome of a task on this content, in the working folder of the run where this node has it."""
    if os.path.isdir(folder):
        os.chdir(folder)
    try:
        return Outcome(_task(key, parcels)(content))
    except Exception as error:
        return Outcome(None, fit_to_travel(error))


def _task(key: str, parcels: Sequence[Any]) -> Callable[[Sequence[object]], object]:
    if key not in _unpacked:
        _unpacked[key] = pickle.loads(import_ray().get(parcels[0]))
        while len(_unpacked) > _HELD:
            _unpacked.popitem(last=False)
    return cast("Callable[[Sequence[object]], object]", _unpacked[key])


def import_ray() -> Any:
    """Ray; ResourceUnavailable where it is not installed."""
    try:
        import ray
    except ImportError:
        raise ResourceUnavailable(
            f"The engine 'ray' needs Ray. Install it with {install_command('ray')}, or leave --engine out."
        ) from None
    return ray
