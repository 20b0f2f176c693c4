"""Shards of a study, merged to the bytes of the run without shards."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from dialeval.engine import Cache, LayeredCache
from dialeval.evaluation.shards import Shard
from dialeval.study import Workshop, load_study, run_study, write_run
from dialeval.study.shards import work_on_shard
from support.sharded_study import SAME_BYTES, asked_of, write_sharded_study

SIZE = 48
"""Of batches: not a multiple of the 32 prompts that are asked at once, so that some lie in two shards."""


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in SAME_BYTES if (folder / name).is_file()}


def merged(folder: Path, name: str, of: int) -> dict[str, bytes]:
    """What the run folder holds after ``of`` shards, each with a cache of its own, were merged."""
    study = load_study(folder / "study.yaml")
    caches = [folder / f"{name}-{number}" for number in range(1, of + 1)]
    for number, cache in enumerate(caches, 1):
        failures = work_on_shard(study, Shard(number, of), Workshop(cache=Cache(cache), batch_size=SIZE))
        assert [failure for failure in failures if failure.measure is None] == []
    before = asked_of(folder)
    workshop = Workshop(cache=LayeredCache(folder / f"{name}-all", caches), batch_size=SIZE)
    write_run(run_study(study, workshop), folder / name)
    assert asked_of(folder) == before, "a system was asked while shards were merged"
    return contents(folder / name)


def whole(folder: Path) -> dict[str, bytes]:
    write_run(run_study(load_study(folder / "study.yaml"), Workshop(batch_size=SIZE)), folder / "whole")
    return contents(folder / "whole")


@pytest.mark.parametrize("of", [2, 3])
def test_merged_shards_have_the_bytes_of_the_whole_with_every_capability(tmp_path, of):
    write_sharded_study(tmp_path, more=True)
    expected = whole(tmp_path)
    assert set(expected) == set(SAME_BYTES)
    asked = asked_of(tmp_path)
    assert merged(tmp_path, "merged", of) == expected
    assert sorted(asked_of(tmp_path)[len(asked) :]) == sorted(asked), (
        "each context is asked once over all shards"
    )


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> tuple[Path, dict[str, bytes]]:
    folder = tmp_path_factory.mktemp("small")
    write_sharded_study(folder)
    return folder, whole(folder)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(of=st.integers(1, 9))
def test_any_number_of_shards_gives_the_same_bytes(small, of):
    folder, expected = small
    assert merged(folder, f"of-{of}", of) == expected


def test_several_recorded_runs_of_a_system_are_cut_alike(tmp_path):
    path = write_sharded_study(tmp_path)
    (tmp_path / "again.jsonl").write_text((tmp_path / "one.jsonl").read_text().replace("train", "tram"))
    path.write_text(path.read_text().replace("path: one.jsonl", "paths: [one.jsonl, again.jsonl]"))
    assert merged(tmp_path, "merged", 3) == whole(tmp_path)


def test_a_shard_does_its_part_of_the_work_and_no_more(tmp_path):
    study = load_study(write_sharded_study(tmp_path))
    cache = Cache(tmp_path / "cache")
    assert work_on_shard(study, Shard(2, 3), Workshop(cache=cache, batch_size=SIZE)) == []
    assert (
        len(asked_of(tmp_path)) == 64
    )  # 150 prompts are 5 batches of 32, of which it has the second and third
    # 2 batches of answers (prompts 32 to 95); of two metrics, the second of 4 batches of 48 of the recorded system, and
    # of the other's the one that lies within its prompts.
    assert cache.size().files == 2 + 2 * (1 + 1)


def test_a_system_that_fails_in_one_shard_is_named(tmp_path):
    path = write_sharded_study(tmp_path)
    code = (tmp_path / "own.py").read_text()
    (tmp_path / "own.py").write_text(
        code.replace("    time.sleep", "    assert '149' not in text\n    time.sleep")
    )
    study = load_study(path)
    results = [
        work_on_shard(study, Shard(number, 2), Workshop(cache=Cache(tmp_path / f"{number}")))
        for number in (1, 2)
    ]
    assert results[0] == []
    assert [(failure.system, failure.measure, failure.partial) for failure in results[1]] == [
        ("own", None, True)
    ]
