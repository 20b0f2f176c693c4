from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from dialeval.engine import Cache, CacheSize, CacheWarning, LayeredCache
from dialeval.engine.cache import CountingCache


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def test_what_was_put_is_found_again_also_by_another_object(cache):
    cache.put("key", "digest", b"payload")
    assert cache.get("key", "digest") == b"payload"
    assert Cache(cache.folder).get("key", "digest") == b"payload"


def test_an_empty_payload_is_a_result_too(cache):
    cache.put("key", "digest", b"")
    assert cache.get("key", "digest") == b""


def test_nothing_is_found_where_nothing_was_put(cache):
    assert cache.get("key", "digest") is None
    assert not cache.folder.exists()  # looking leaves no trace


def test_a_later_result_takes_the_place_of_an_earlier(cache):
    cache.put("key", "digest", b"old")
    cache.put("key", "digest", b"new")
    assert cache.get("key", "digest") == b"new"
    assert cache.size().files == 1


@given(st.tuples(st.text(), st.text()), st.tuples(st.text(), st.text()))
def test_different_keys_or_data_never_share_a_file(one, other):
    here = Cache(Path("nowhere"))
    assert (here.path(*one) == here.path(*other)) == (one == other)


def test_moving_a_letter_from_key_to_digest_makes_another_file(cache):
    assert cache.path("ab", "c") != cache.path("a", "bc")


def flip_a_bit_of(at: int):
    def damage(content: bytes) -> bytes:
        changed = bytearray(content)
        changed[at] ^= 1
        return bytes(changed)

    return damage


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda content: b"", "only 0 bytes"),
        (lambda content: content[:20], "only 20 bytes"),
        (lambda content: content[:-1], "checksum"),
        (lambda content: content + b"\0", "checksum"),
        (lambda content: b"\0" * len(content), "not a result"),
        (flip_a_bit_of(0), "not a result"),
        (flip_a_bit_of(8), "format 0, expected 1"),
        (flip_a_bit_of(12), "checksum"),
        (flip_a_bit_of(-1), "checksum"),
    ],
)
def test_a_damaged_file_is_named_and_not_served(cache, damage, reason):
    cache.put("key", "digest", b"payload")
    path = cache.path("key", "digest")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.warns(CacheWarning, match=reason) as caught:
        assert cache.get("key", "digest") is None
    assert str(path) in str(caught[0].message)
    cache.put("key", "digest", b"payload")
    assert cache.get("key", "digest") == b"payload"


@given(at=st.integers(0, 48), bit=st.integers(0, 7))
def test_no_flipped_bit_goes_unnoticed(tmp_path_factory, at, bit):
    cache = Cache(tmp_path_factory.getbasetemp() / "flipped")
    cache.put("key", "digest", b"payload")
    path = cache.path("key", "digest")
    content = bytearray(path.read_bytes())
    assert len(content) == 49
    content[at] ^= 1 << bit
    path.write_bytes(content)
    with pytest.warns(CacheWarning):
        assert cache.get("key", "digest") is None


def test_a_good_file_in_the_wrong_place_is_not_served(cache):
    cache.put("key", "one", b"payload")
    path = cache.path("key", "two")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(cache.path("key", "one").read_bytes())
    with pytest.warns(CacheWarning, match="checksum"):
        assert cache.get("key", "two") is None


def test_a_folder_where_a_file_should_be_is_not_served(cache):
    cache.path("key", "digest").mkdir(parents=True)
    with pytest.warns(CacheWarning, match="directory"):
        assert cache.get("key", "digest") is None


def test_a_folder_that_cannot_be_written_only_warns(tmp_path):
    (tmp_path / "taken").write_text("a file where the cache should be")
    with pytest.warns(CacheWarning, match="cannot be kept"):
        Cache(tmp_path / "taken").put("key", "digest", b"payload")


def test_size_counts_results_and_their_bytes_and_nothing_else(cache):
    assert cache.size() == CacheSize(0, 0)
    cache.put("key", "one", b"payload")
    cache.put("key", "two", b"")
    (cache.folder / "scratch" / "leftover").write_bytes(b"x" * 1000)
    (cache.folder / "notes.txt").write_text("mine")
    assert cache.size() == CacheSize(2, 2 * 42 + 7)


def test_leftovers_of_killed_processes_go_after_a_day(cache):
    cache.put("key", "digest", b"payload")
    old, fresh = cache.folder / "scratch" / "old", cache.folder / "scratch" / "fresh"
    old.touch()
    fresh.touch()
    os.utime(old, (time.time() - 25 * 3600,) * 2)
    Cache(cache.folder)
    assert [path.name for path in (cache.folder / "scratch").iterdir()] == ["fresh"]


WRITER = """
import sys
from pathlib import Path
from dialeval.engine import Cache
cache = Cache(Path(sys.argv[1]))
for turn in range(300):
    cache.put("key", str(turn % 3), sys.argv[2].encode() * 20_000)
    found = cache.get("key", str(turn % 3))
    assert found in (b"a" * 20_000, b"b" * 20_000), "torn"
"""


def test_processes_that_write_the_same_results_never_see_half_a_file(cache):
    writers = [
        subprocess.Popen([sys.executable, "-W", "error", "-c", WRITER, str(cache.folder), letter])
        for letter in "ab"
    ]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
    assert cache.size().files == 3
    assert not list((cache.folder / "scratch").iterdir())


def test_results_from_other_folders_are_as_old_as_they_are_there(tmp_path):
    old = Cache(tmp_path / "old")
    old.put("key", "digest", b"result")
    os.utime(old.path("key", "digest"), (1e9, 1e9))
    counted = CountingCache(LayeredCache(tmp_path / "new", [tmp_path / "old"]))
    for found in (1, 2):
        assert counted.get("key", "digest") == b"result"
        assert counted.times == [1e9] * found
