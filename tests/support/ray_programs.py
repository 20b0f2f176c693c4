"""Programs that tests of the Ray engine start: a cluster of several nodes on this machine, and a run on it."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from dialeval.engine import ROWS, Cache, Job, run
from support.engine_tasks import Recorded, RecordedModel, batched, square

ENVIRONMENT: Mapping[str, str] = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # 127.0.0.1 stays 127.0.0.1
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_raylet_start_wait_time_s": "180",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_failure_threshold": "3",
}
BATCHES = batched(range(120), [3] * 39)


def serve(nodes: str) -> None:
    """Start a head without CPUs and ``nodes`` of one CPU; ``lose`` on stdin kills a node, ``kill`` replaces it."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    workers = [cluster.add_node(num_cpus=1, wait=False) for _ in range(int(nodes))]
    cluster.wait_for_nodes(timeout=180)
    print(cluster.address, flush=True)
    for order in sys.stdin:
        node = workers.pop(0)
        raylet = node.all_processes["raylet"][0].process.pid
        os.kill(raylet, signal.SIGKILL)
        print(f"killed {raylet}", flush=True)
        if order.strip() == "kill":
            workers.append(cluster.add_node(num_cpus=1, wait=False))
    cluster.shutdown()


def work(address: str, folder: str, seconds: str, dies: str = "", pause: str = "") -> None:
    """Square the batches twice over a cache, by plain tasks and by actors, and write all rows to ``out``.

    With a ``pause``, actors begin when a line comes on stdin.
    """
    from dialeval.engine.cluster import RayCluster

    place = Path(folder)
    cache, rows = Cache(place / "cache"), []
    with RayCluster(address, jobs=2) as cluster:
        for kind in (Recorded, RecordedModel):
            job = Job(kind.__name__, kind(place / "log", float(seconds), int(dies) if dies else None), ROWS)
            rows += list(run(job, BATCHES, executor=cluster, cache=cache))
            if pause and kind is Recorded:
                print("pausing", flush=True)
                sys.stdin.readline()
    (place / "out").write_bytes(np.concatenate(rows).tobytes())


def nodes(address: str, count: str) -> None:
    """Wait until so many nodes are alive."""
    import ray

    ray.init(address=address, log_to_driver=False, logging_level="error")
    while sum(node["Alive"] for node in ray.nodes()) != int(count):
        time.sleep(0.2)


def commands(path: str) -> None:
    """Run the command lines of a JSON file one after another on one embedded cluster, and print their exit codes."""
    from dialeval.cli import main
    from dialeval.engine.cluster import RayCluster

    with RayCluster(jobs=2) as cluster:
        cluster.submit(square, [1]).result()  # starts Ray, which the commands then find
        for arguments in json.loads(Path(path).read_text()):
            sys.argv = ["dialeval", *arguments]
            code: object = 0
            try:
                main()
            except SystemExit as stop:
                code = stop.code
            print(f"exit {code}", flush=True)


if __name__ == "__main__":
    programs = {"serve": serve, "work": work, "nodes": nodes, "commands": commands}
    programs[sys.argv[1]](*sys.argv[2:])
