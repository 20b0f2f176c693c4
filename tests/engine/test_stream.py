from __future__ import annotations

import contextlib
import re
import threading
import tracemalloc
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialeval.engine import ROWS, Batch, Cache, CacheWarning, InProcess, Job, ProcessPool, run
from dialeval.errors import BadInput, RunFailed, UnknownName
from support.engine_tasks import (
    Recorded,
    batched,
    die_at_five,
    digest,
    fail_at_three,
    name_a_stranger,
    square,
    square_slowly_at_first,
)

SQUARES = Job("squares", square, ROWS)


class Threads:
    """Another executor than our own, as a cluster would be: all that ``run`` may rely on is the protocol."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.pool = ThreadPoolExecutor(width)

    def submit(self, task, content):
        return self.pool.submit(task, content)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.pool.shutdown()


class Late(Future):
    """A future that is done just after it was asked for the so-manieth time whether it is."""

    def __init__(self, times: int, result: object) -> None:
        super().__init__()
        self.times, self.late = times, result
        threading.Timer(0.3, self.finish).start()  # where it is not asked that often

    def done(self) -> bool:
        known = super().done()
        self.times -= 1
        if not self.times:
            self.finish()
        return known

    def finish(self) -> None:
        with contextlib.suppress(InvalidStateError):
            self.set_result(self.late)


@pytest.mark.parametrize("times", range(1, 7))
def test_a_batch_is_kept_whenever_it_gets_done(tmp_path, times):
    class Lately(InProcess):
        def submit(self, task, content):
            return Late(times, task(content))

    cache, (batch,) = Cache(tmp_path), batched(range(3), [])
    (result,) = run(SQUARES, [batch], executor=Lately(), cache=cache)
    assert cache.get("squares", batch.digest) == ROWS.encode(result)


class Tally:
    def __init__(self) -> None:
        self.steps: list[int] = []

    def advance(self, n: int) -> None:
        self.steps.append(n)


@pytest.fixture(scope="module")
def pool():
    with ProcessPool(2) as pool:
        yield pool


@pytest.fixture(scope="module")
def threads():
    with Threads(3) as threads:
        yield threads


@settings(max_examples=40, deadline=None)
@given(
    count=st.integers(0, 40),
    sizes=st.lists(st.integers(0, 9), max_size=12),
    where=st.sampled_from(["here", "threads", "pool"]),
    cached=st.booleans(),
)
def test_how_the_data_is_cut_and_where_it_runs_changes_nothing(
    pool, threads, tmp_path_factory, count, sizes, where, cached
):
    executor = {"here": InProcess(), "threads": threads, "pool": pool}[where]
    cache = Cache(tmp_path_factory.getbasetemp() / "any-cut") if cached else None
    results = list(run(SQUARES, batched(range(count), sizes), executor=executor, cache=cache))
    assert len(results) == len(sizes) + 1
    assert np.concatenate(results).tobytes() == square(range(count)).tobytes()


def test_results_keep_the_order_of_batches_when_later_ones_finish_first(pool):
    job = Job("slow", square_slowly_at_first, ROWS)
    results = list(run(job, batched(range(12), [1] * 11), executor=pool))
    assert [r[0, 0] for r in results if len(r)] == list(range(12))


def test_no_batches_give_no_results():
    assert list(run(SQUARES, [], executor=InProcess())) == []


def test_a_cached_batch_is_not_run_again(tmp_path):
    job = Job("squares", Recorded(tmp_path / "log"), ROWS)
    batches = batched(range(10), [4, 4])
    cache = Cache(tmp_path / "cache")
    first = list(run(job, batches, executor=InProcess(), cache=cache))
    again = list(run(job, batches, executor=InProcess(), cache=cache))
    assert len((tmp_path / "log").read_text().splitlines()) == 3
    assert [r.tobytes() for r in again] == [r.tobytes() for r in first]
    assert cache.size().files == 3


def test_only_the_batches_that_changed_are_run_again(tmp_path):
    job = Job("squares", Recorded(tmp_path / "log"), ROWS)
    cache = Cache(tmp_path / "cache")
    list(run(job, batched([1, 2, 3, 4], [2]), executor=InProcess(), cache=cache))
    (tmp_path / "log").unlink()
    changed = list(run(job, batched([1, 2, 3, 5], [2]), executor=InProcess(), cache=cache))
    assert np.concatenate(changed)[:, 1].tolist() == [1, 4, 9, 25]
    assert [line.split()[1:] for line in (tmp_path / "log").read_text().splitlines()] == [["3", "5"]]


def test_another_key_never_meets_the_first_ones_results(tmp_path):
    cache = Cache(tmp_path)
    list(run(SQUARES, batched([1, 2], []), executor=InProcess(), cache=cache))
    cubes = Job("cubes", lambda content: np.array([[n**3] for n in content], dtype=np.float64), ROWS)
    assert next(run(cubes, batched([1, 2], []), executor=InProcess(), cache=cache)).tolist() == [[1], [8]]


def test_a_damaged_result_is_computed_again_with_a_warning(tmp_path):
    cache, batches = Cache(tmp_path), batched(range(6), [3])
    expected = [r.tobytes() for r in run(SQUARES, batches, executor=InProcess(), cache=cache)]
    path = cache.path("squares", batches[1].digest)
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.warns(CacheWarning, match=path.name):
        again = [r.tobytes() for r in run(SQUARES, batches, executor=InProcess(), cache=cache)]
    assert again == expected
    assert cache.get("squares", batches[1].digest) is not None  # mended


def test_a_result_the_codec_does_not_know_is_computed_again(tmp_path):
    cache, [batch] = Cache(tmp_path), batched([2], [])
    cache.put("squares", batch.digest, b"?")
    with pytest.warns(CacheWarning, match="too short to be rows"):
        assert next(run(SQUARES, [batch], executor=InProcess(), cache=cache)).tolist() == [[2, 4]]


def test_a_cache_asks_for_digests(tmp_path):
    with pytest.raises(ValueError, match="digest"):
        list(run(SQUARES, [Batch([1], "")], executor=InProcess(), cache=Cache(tmp_path)))


def test_progress_counts_items_whether_fresh_or_cached(tmp_path, pool):
    batches, cache = batched(range(10), [4, 0, 3]), Cache(tmp_path)
    for executor in (pool, InProcess()):
        tally = Tally()
        list(run(SQUARES, batches, executor=executor, cache=cache, progress=tally))
        assert sorted(tally.steps) == [0, 3, 3, 4]


def test_a_result_that_is_done_ahead_of_its_turn_is_kept_at_once(tmp_path):
    cache, release = Cache(tmp_path), threading.Event()

    def task(content):
        if content[0] == 0:
            assert release.wait(20), "the second result was not kept while the first was awaited"
        return square(content)

    def watch():
        while cache.size().files == 0:
            release.wait(0.01)
        release.set()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    with Threads(2) as threads:
        results = list(run(Job("k", task, ROWS), batched([0, 1], [1]), executor=threads, cache=cache))
    watcher.join()
    assert np.concatenate(results)[:, 0].tolist() == [0, 1]


def test_an_error_in_a_task_arrives_as_itself_after_the_results_before_it(pool):
    job = Job("k", fail_at_three, ROWS)
    for executor in (InProcess(), pool):
        results = run(job, batched(range(8), [1] * 7), executor=executor)
        assert [next(results)[0, 0] for _ in range(3)] == [0, 1, 2]
        with pytest.raises(BadInput) as caught:
            next(results)
        assert str(caught.value) == "a.jsonl, line 3: found three, expected four. Count on."


def test_an_error_with_a_constructor_of_its_own_crosses_processes(pool):
    with pytest.raises(UnknownName, match="Did you mean 'bleu'") as caught:
        list(run(Job("k", name_a_stranger, ROWS), batched([1], []), executor=pool))
    assert caught.value.close == ["bleu"]
    assert next(run(SQUARES, batched([2], []), executor=pool)).tolist() == [[2, 4]]  # the pool lives on


def test_what_was_done_before_an_error_is_kept(tmp_path, pool):
    cache = Cache(tmp_path)
    batches = batched(range(6), [1] * 5)
    with pytest.raises(BadInput):
        list(run(Job("k", fail_at_three, ROWS), batches, executor=pool, cache=cache))
    assert [cache.get("k", b.digest) is not None for b in batches[:4]] == [True, True, True, False]


def test_a_dead_worker_is_reported_with_its_batches_and_what_to_try(tmp_path):
    cache = Cache(tmp_path)
    batches = batched(range(12), [1] * 11)
    with pytest.raises(RunFailed) as caught, ProcessPool(1) as pool:
        list(run(Job("k", die_at_five, ROWS), batches, executor=pool, cache=cache))
    told = re.search(
        r"died during (?:one of the batches|batch) (\d+)(?: to (\d+))?, .*--jobs 1", str(caught.value)
    )
    assert told is not None
    assert int(told[1]) <= 6 <= int(told[2] or told[1])  # five is in the sixth batch
    assert "Finished batches are kept" in str(caught.value)
    assert all(cache.get("k", batch.digest) is not None for batch in batches[:5])
    assert cache.get("k", batches[5].digest) is None


def test_an_error_in_the_stream_of_batches_arrives_as_itself(tmp_path):
    def stream():
        yield from batched([1, 2], [1])[:2]
        raise OSError("the disk is gone")

    cache = Cache(tmp_path)
    with pytest.raises(OSError, match="gone"), Threads(2) as threads:
        list(run(SQUARES, stream(), executor=threads, cache=cache))


def test_batches_are_taken_no_faster_than_results(pool, threads):
    for executor in (InProcess(), threads, pool):
        taken = 0

        def stream(count=60):
            nonlocal taken
            for n in range(count):
                taken += 1
                yield Batch([n], digest([n]))

        ahead = []
        for given_out, _ in enumerate(run(SQUARES, stream(), executor=executor), start=1):
            ahead.append(taken - given_out)
        assert max(ahead) <= 2 * executor.width


def test_memory_does_not_grow_with_the_stream(threads):
    def stream():
        for n in range(400):
            yield Batch([n] * 25_000, "")  # 200 kB each, 80 MB in all

    counts = Job("n", lambda content: np.array([[len(content)]], dtype=np.float64), ROWS)
    for executor in (InProcess(), threads):
        tracemalloc.start()
        total = sum(int(rows[0, 0]) for rows in run(counts, stream(), executor=executor))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert total == 400 * 25_000
        assert peak < 5e6


class ByHand:
    """An executor whose batches are done when the test says so, but the first at once."""

    width = 4

    def __init__(self) -> None:
        self.futures: list[Future] = []

    def submit(self, task, content):
        future: Future = Future()
        if not self.futures:
            future.set_result(task(content))
        self.futures.append(future)
        return future

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


def test_an_abandoned_run_cancels_what_has_not_begun_and_keeps_what_is_done(tmp_path):
    executor, cache, batches = ByHand(), Cache(tmp_path), batched(range(9), [1] * 8)
    results = run(SQUARES, batches, executor=executor, cache=cache)
    next(results)
    executor.futures[2].set_result(square([2]))
    results.close()
    assert len(executor.futures) == 5
    assert [future.cancelled() for future in executor.futures] == [False, True, False, True, True]
    assert [cache.get("squares", batch.digest) is not None for batch in batches[:4]] == [
        True,
        False,
        True,
        False,
    ]
