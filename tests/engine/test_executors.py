from __future__ import annotations

import contextlib
import os
import pickle
import time
from concurrent.futures import BrokenExecutor
from functools import partial

import numpy as np
import pytest

from dialeval.core import PartlyAnswered
from dialeval.engine import InProcess, ProcessPool, cluster_worker
from dialeval.engine.cluster_worker import perform
from dialeval.errors import RunFailed
from support.engine_tasks import (
    Heavy,
    Sent,
    die_at_five,
    fail_halfway,
    fail_with,
    pid_of_worker,
    sleep_a_minute,
    square,
)


def test_in_process_is_done_at_once():
    with InProcess() as here:
        future = here.submit(square, [2, 3])
        assert future.done()
        assert future.result().tolist() == [[2, 4], [3, 9]]


def test_in_process_keeps_an_error_for_whoever_asks():
    with InProcess() as here:
        future = here.submit(square, ["two"])
    with pytest.raises(TypeError, match="can't multiply"):
        future.result()


def test_in_process_lets_an_interrupt_through():
    def interrupt(content):
        raise KeyboardInterrupt

    with InProcess() as here, pytest.raises(KeyboardInterrupt):
        here.submit(interrupt, [])


def test_a_pool_runs_elsewhere():
    with ProcessPool(1) as pool:
        assert pool.submit(pid_of_worker, [1]).result()[0, 0] != os.getpid()


def test_a_task_is_read_once_by_each_worker_and_not_again_with_every_batch(tmp_path):
    task = Heavy(tmp_path / "log")
    with ProcessPool(2) as pool:
        futures = [pool.submit(task, [n]) for n in range(30)]
        assert [f.result()[0, 1] for f in futures] == [n * n for n in range(30)]
    readers = (tmp_path / "log").read_text().split()
    assert len(readers) == len(set(readers)) <= 2


def test_one_pool_serves_one_task_after_another():
    with ProcessPool(1) as pool:
        first, second = pool.submit(square, [3]), pool.submit(len, [1, 2])
        third = pool.submit(square, [4])
        assert (first.result()[0, 1], second.result(), third.result()[0, 1]) == (9, 2, 16)


def test_a_pool_that_was_never_used_starts_nothing():
    with ProcessPool(4) as pool:
        assert pool._pool is None


def test_a_pool_may_be_entered_again():
    pool = ProcessPool(1)
    for _ in range(2):
        with pool:
            assert np.array_equal(pool.submit(square, [3]).result(), [[3, 9]])


def test_a_dead_worker_is_a_broken_executor():
    with pytest.raises(BrokenExecutor), ProcessPool(1) as pool:
        pool.submit(die_at_five, [5]).result()


def test_a_dead_worker_breaks_its_own_task_and_not_the_next():
    with ProcessPool(1) as pool:
        with pytest.raises(BrokenExecutor):
            pool.submit(die_at_five, [5]).result()
        with pytest.raises(BrokenExecutor):
            pool.submit(die_at_five, [4])
        assert np.array_equal(pool.submit(square, [3]).result(), [[3, 9]])


def test_leaving_by_an_error_does_not_wait_for_what_runs(tmp_path):
    with contextlib.suppress(KeyError), ProcessPool(1) as pool:
        pool.submit(sleep_a_minute, [tmp_path / "begun"])
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        left = time.monotonic()
        raise KeyError
    assert time.monotonic() - left < 10


def test_work_that_cannot_travel_says_what_to_do():
    with ProcessPool(1) as pool, pytest.raises(RunFailed, match="--jobs 1"):
        pool.submit(lambda content: content, [1])


def test_a_pool_of_none_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        ProcessPool(0)


@pytest.mark.parametrize(
    ("cause", "told"),
    [(Sent("no", request="GET"), Sent), (Sent("no", request=lambda: None), RunFailed)],
    ids=["asks for more than its words", "holds what cannot travel"],
)
def test_partial_answers_travel_whatever_the_system_raised(monkeypatch, tmp_path, cause, told):
    monkeypatch.setitem(cluster_worker._unpacked, "key", partial(fail_halfway, cause))
    outcome = perform("key", [], str(tmp_path / "nowhere"), [1, 2])
    arrived = pickle.loads(pickle.dumps(outcome)).error
    assert isinstance(arrived, PartlyAnswered)
    assert arrived.answers == ((), None)
    assert type(arrived.cause) is told
    assert "no" in str(arrived.cause)


def test_an_error_that_cannot_travel_is_told_in_words(monkeypatch, tmp_path):
    monkeypatch.setitem(cluster_worker._unpacked, "key", partial(fail_with, Sent("no", request=lambda: None)))
    error = perform("key", [], str(tmp_path / "nowhere"), [1]).error
    assert (type(error), str(error)) == (RunFailed, "Sent: no")
