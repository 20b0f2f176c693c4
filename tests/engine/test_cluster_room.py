"""Room for workers on the nodes of a cluster."""

from __future__ import annotations

import pytest

from dialeval.engine.cluster_settings import Needs, no_room, room_for


def node(*, alive: bool = True, **resources: float) -> dict[str, object]:
    return {"Alive": alive, "Resources": resources}


@pytest.mark.parametrize(
    ("needs", "nodes", "room"),
    [
        (Needs(), [node(CPU=2), node(CPU=3)], 5),
        (Needs(cpus=2), [node(CPU=1), node(CPU=1)], 0),  # a worker is on one node
        (Needs(cpus=2), [node(CPU=3), node(CPU=2)], 2),
        (Needs(cpus=0.5), [node(CPU=1)], 2),
        (Needs(gpus=1), [node(CPU=4, GPU=1), node(CPU=4)], 1),
        (Needs(gpus=0.5), [node(CPU=1, GPU=1)], 1),
        (Needs(cpus=0), [node(), node(alive=False)], 1),
        (Needs(), [node(CPU=2, alive=False)], 0),
        (Needs(), [], 0),
    ],
)
def test_workers_find_room_on_nodes_that_live(needs, nodes, room):
    assert room_for(needs, nodes) == room


def test_the_error_says_what_there_is_and_what_is_asked():
    told = no_room(Needs(cpus=2), "10.0.0.1:6379", {"CPU": 2.0})
    assert "10.0.0.1:6379 has 2 CPUs and 0 GPUs, and each worker needs 2 and 0 on one node" in told
