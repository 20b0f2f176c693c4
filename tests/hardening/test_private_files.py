"""Files with people's answers, names and tokens: readable by their owner alone, also if nothing else is."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from dialeval.annotation.store.database import open_database
from dialeval.engine import Cache
from dialeval.files.atomic import atomic_path, make_private, make_private_folder, write_atomically
from support.command import Command
from support.fault_studies import make_study, put
from support.rating_studies import made_project


@pytest.fixture(autouse=True)
def no_mask() -> Iterator[None]:
    """New files are readable and writable by everybody, unless somebody says otherwise."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def open_to_others(folder: Path) -> dict[str, str]:
    """Files and folders below that others may read, write or enter."""
    found = {path: mode(path) for path in (folder, *folder.rglob("*")) if mode(path) & 0o077}
    return {path.relative_to(folder).as_posix(): oct(bits) for path, bits in found.items()}


def test_a_private_file_is_private_before_its_first_byte(tmp_path: Path) -> None:
    with atomic_path(tmp_path / "a", private=True) as scratch:
        assert mode(scratch) == 0o600
        scratch.write_bytes(b"said")
        assert mode(scratch) == 0o600
    assert mode(tmp_path / "a") == 0o600
    (tmp_path / "b").write_bytes(b"old")
    assert mode(tmp_path / "b") == 0o666
    write_atomically(tmp_path / "b", b"new", private=True)
    assert mode(tmp_path / "b") == 0o600
    make_private(tmp_path / "c")
    make_private_folder(tmp_path / "d" / "e")
    assert (mode(tmp_path / "c"), mode(tmp_path / "d" / "e")) == (0o600, 0o700)
    write_atomically(tmp_path / "f", b"for all")
    assert mode(tmp_path / "f") == 0o666


def test_writing_a_file_changes_the_mask_of_no_other_thread(tmp_path: Path) -> None:
    os.umask(0o077)
    stop, modes = threading.Event(), set()

    def make() -> None:
        number = 0
        while not stop.is_set():
            file = tmp_path / f"made-{number % 50}"
            file.touch()
            modes.add(mode(file))
            file.unlink()
            number += 1

    thread = threading.Thread(target=make)
    thread.start()
    for _ in range(300):
        write_atomically(tmp_path / "a", b"x")
    stop.set()
    thread.join()
    assert modes == {0o600}


@pytest.mark.parametrize("there", [False, True])
def test_a_cache_is_private_also_in_a_folder_that_others_may_enter(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "cache"
    if there:
        folder.mkdir()
    Cache(folder).put("key", "digest", b"said")
    assert open_to_others(folder).keys() <= {"."}
    assert (mode(folder) == 0o700) is not there


def test_a_rating_study_is_private(dialeval: Command, tmp_path: Path) -> None:
    project = made_project(tmp_path / "st")
    open_database(project.folder / "answers.sqlite").close()
    assert dialeval("annotate", "simulate", "st", "--copy", "rated", "--seed", 1).code == 0
    for folder in ("st", "rated"):
        assert set(open_to_others(tmp_path / folder)) <= {"items.jsonl"}, "in a folder that nobody enters"
        assert mode(tmp_path / folder) == 0o700
    (tmp_path / "out").mkdir()
    for ending in ("jsonl", "csv", "parquet"):
        ended = dialeval("annotate", "export", "rated", "-o", f"out/people.{ending}")
        assert ended.code == 0, ended.err
    assert len(list((tmp_path / "out").iterdir())) > 5
    assert set(open_to_others(tmp_path / "out")) == {"."}
    assert dialeval("data", "convert", "out/people.jsonl", "again.csv").code == 0
    assert mode(tmp_path / "again.csv") == 0o600
    assert dialeval("annotate", "tasks", "st", "-o", "tasks.csv").code == 0


def test_bad_lines_that_are_set_aside_are_private(dialeval: Command, tmp_path: Path) -> None:
    good = {"item": "i", "system": "s", "rater": "ann", "criterion": "c", "value": 1}
    put(tmp_path / "ratings.jsonl", [good, {"rater": "bob"}])
    assert dialeval("data", "convert", "ratings.jsonl", "out.csv", "--skip-bad").code == 0
    [side] = tmp_path.glob("*.bad.jsonl")
    assert json.loads(side.read_text())["raw"]
    assert mode(side) == 0o600


def test_answers_of_systems_that_are_kept_are_private(dialeval: Command, tmp_path: Path) -> None:
    make_study(tmp_path)
    for command in (
        ("run", "study.yaml", "-o", "out", "--cache", "kept"),
        ("run", "study.yaml", "-o", "shard", "--shard", "1/2"),
    ):
        ended = dialeval(*command)
        assert ended.code == 0, ended.err
    caches = [tmp_path / "kept", tmp_path / "shard" / "kept"]
    caches = [cache for cache in caches if cache.exists()]
    assert caches
    assert [open_to_others(cache) for cache in caches if open_to_others(cache)] == []
