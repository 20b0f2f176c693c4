"""The Ray engine: embedded, and on several nodes that are really killed."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from dialeval.engine import Cache, EngineSettings, InProcess, ProcessPool
from dialeval.engine.cluster import RayCluster, holds_model
from dialeval.errors import DialevalError
from support.engine_tasks import Recorded, RecordedModel, square
from support.ray_programs import BATCHES
from support.ray_starting import PROGRAM, TOKEN, descended, talk

UNDISTURBED = np.concatenate([square(batch.content) for batch in BATCHES]).tobytes() * 2
KILLS = 5
SECONDS = 0.5
"""Of each of the 80 batches, so that nodes die in the middle."""


def checked(folder: Path) -> None:
    """The results have the bytes of a quiet run, and each batch is kept once."""
    assert (folder / "out").read_bytes() == UNDISTURBED
    assert Cache(folder / "cache").size().files == 2 * len(BATCHES)


def test_only_what_says_resources_holds_a_model(tmp_path):
    assert not holds_model(square)
    assert not holds_model(Recorded(tmp_path))
    assert holds_model(RecordedModel(tmp_path))
    assert holds_model(RecordedModel(tmp_path).__call__)


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("processes", EngineSettings()),
        ("ray", EngineSettings("ray")),
        ("ray(cpus=2, gpus=0.5)", EngineSettings("ray", cpus=2, gpus=0.5)),
        ("ray(address='10.0.0.1:6379')", EngineSettings("ray", "10.0.0.1:6379")),
    ],
)
def test_engines_are_written_as_calls(text, settings):
    assert EngineSettings.parse(text) == settings


@pytest.mark.parametrize(
    "text", ["spark", "ray(speed=3)", "ray(cpus=-1)", "ray(cpus='2')", "processes(cpus=2)", "ray x"]
)
def test_what_is_not_an_engine_is_refused(text):
    with pytest.raises((DialevalError, ValueError)):
        EngineSettings.parse(text)


def test_processes_are_one_or_a_pool_and_ray_connects_when_it_is_used():
    assert isinstance(EngineSettings().executor(1), InProcess)
    assert isinstance(EngineSettings().executor(2), ProcessPool)
    cluster = EngineSettings("ray", "nowhere:1").executor(1)
    assert isinstance(cluster, RayCluster)
    with cluster:
        assert cluster.width == 1


def test_without_ray_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with RayCluster() as cluster, pytest.raises(DialevalError, match=r"pip install '\.\[ray\]'"):
        cluster.submit(square, [1])


@pytest.mark.slow
def test_an_embedded_cluster_survives_killed_workers_and_ends_with_the_run(tmp_path, start_ray, ledger):
    program = start_ray(PROGRAM, "work", "local", tmp_path, 0, 60)
    assert program.wait(timeout=300) == 0, talk(tmp_path)
    checked(tmp_path)
    runs = [line.split(maxsplit=1) for line in (tmp_path / "log").read_text().splitlines()]
    assert str(program.pid) not in {worker for worker, _ in runs}
    met = Counter(numbers for _, numbers in runs)
    assert met["60 61 62"] == 4, "a task and an actor, each killed once"
    # Of an actor, what waited in it runs again, too; what is kept is kept once.
    assert 82 <= len(runs) <= 82 + 2
    ledger("ray worker", tried=2, lost=0)
    deadline = time.monotonic() + 30
    while (left := descended(tmp_path / "token")) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert left == []


@pytest.mark.slow
def test_an_embedded_cluster_leaves_nothing_in_the_home_of_the_user(tmp_path, start_ray):
    home = tmp_path / "home"
    home.mkdir()
    program = start_ray(PROGRAM, "work", "local", tmp_path, 0, more={"HOME": str(home)}, less=TOKEN)
    assert program.wait(timeout=300) == 0, talk(tmp_path)
    checked(tmp_path)
    assert list(home.iterdir()) == []


@pytest.mark.slow
def test_a_node_without_memory_ends_the_run_with_an_error(tmp_path, start_ray):
    """Ray kills whatever runs where more than 1 % of the memory is used; by itself it would try for ever."""
    out = {"RAY_memory_usage_threshold": "0.01", "RAY_memory_monitor_refresh_ms": "100"}
    program = start_ray(PROGRAM, "work", "local", tmp_path, 5, more=out)
    assert program.wait(timeout=400) == 1
    told = (tmp_path / "talk-0").read_text()
    assert "OutOfMemoryError" in told
    assert "A worker process died during one of the batches 1 to 4" in told


@pytest.mark.slow
def test_killed_nodes_and_a_killed_driver_lose_and_double_nothing(tmp_path, start_ray, ledger):
    cluster = start_ray(PROGRAM, "serve", 2, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert cluster.stdin is not None
    assert cluster.stdout is not None
    address = cluster.stdout.readline().strip()
    assert address.startswith("127.0.0.1:"), talk(tmp_path)
    chance, cache = random.Random(7), Cache(tmp_path / "cache")
    driver = start_ray(PROGRAM, "work", address, tmp_path, SECONDS)
    for kill in range(KILLS):
        goal = (kill + 1) * 2 * len(BATCHES) // (KILLS + 2)
        deadline = time.monotonic() + 300
        while cache.size().files < goal:
            assert driver.poll() is None, talk(tmp_path)
            assert time.monotonic() < deadline, talk(tmp_path)
            time.sleep(0.05)
        time.sleep(chance.uniform(0, SECONDS))
        cluster.stdin.write("kill\n")
        cluster.stdin.flush()
        assert cluster.stdout.readline().startswith("killed ")
        if kill == 0:
            driver.kill()
            driver.wait()
            driver = start_ray(PROGRAM, "work", address, tmp_path, SECONDS)
    assert driver.wait(timeout=300) == 0, talk(tmp_path)
    checked(tmp_path)
    runs = (tmp_path / "log").read_text().splitlines()
    # What was under way at a kill runs again: at most 4 batches of a driver, 2 of a node and those that wait there.
    assert 80 <= len(runs) <= 80 + 4 * (KILLS + 1)
    ledger("ray node", tried=KILLS, lost=0, seed=7)


@pytest.mark.slow
def test_a_node_that_dies_before_its_actor_begins_leaves_no_batch_waiting(tmp_path, start_ray, ledger):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    cluster = start_ray(PROGRAM, "serve", 2, **pipes)
    address = cluster.stdout.readline().strip()
    driver = start_ray(PROGRAM, "work", address, tmp_path, 0, "", "pause", **pipes)
    assert driver.stdout.readline() == "pausing\n", talk(tmp_path)
    cluster.stdin.write("lose\n")
    cluster.stdin.flush()
    assert cluster.stdout.readline().startswith("killed ")
    driver.stdin.write("go on\n")
    driver.stdin.flush()
    assert driver.wait(timeout=120) == 0, talk(tmp_path)
    checked(tmp_path)
    ledger("ray room", tried=1, lost=0)
