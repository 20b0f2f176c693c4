"""Room for workers on the nodes of a Ray cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Needs:
    """Resources that each worker takes of the cluster."""

    cpus: float = 1.0
    gpus: float = 0.0
    """Only of workers that hold a model."""


def room_for(needs: Needs, nodes: Iterable[Mapping[str, Any]]) -> int:
    """Return the number of workers that these nodes, as Ray describes them, can hold; a worker is on one node."""
    asked = {"CPU": needs.cpus, "GPU": needs.gpus}
    shares = {kind: share for kind, share in asked.items() if share}
    return sum(
        min((int(node["Resources"].get(kind, 0) // share) for kind, share in shares.items()), default=1)
        for node in nodes
        if node["Alive"]
    )


def no_room(needs: Needs, address: str, total: Mapping[str, float]) -> str:
    """Return the message if no node of a cluster can hold a worker."""
    return (
        f"The Ray cluster at {address} has {total.get('CPU', 0):g} CPUs and {total.get('GPU', 0):g} GPUs, "
        f"and each worker needs {needs.cpus:g} and {needs.gpus:g} on one node. Ask for less with 'resources', or "
        "give the address of a larger cluster."
    )
