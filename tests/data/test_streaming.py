"""Large files pass through little memory."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

READ = """
import resource, sys
from dialeval.data import read, write
next(read(sys.argv[1], "example"))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
records = read(sys.argv[1], "example")
count = write(sys.argv[2], records) if len(sys.argv) > 2 else sum(1 for _ in records)
print(count, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def run(*arguments: object) -> tuple[int, int]:
    """Records read, and by how many MiB the process grew over it."""
    done = subprocess.run(
        [sys.executable, "-c", READ, *map(str, arguments)], capture_output=True, text=True, check=True
    )
    count, grown = done.stdout.split()
    return int(count), int(grown)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """60 MB of examples."""
    path = tmp_path_factory.mktemp("large") / "large.jsonl"
    context = [{"role": "user", "content": "How do I get to the station from here, please? " * 20}]
    row = {"system": "s", "context": context, "response": "Turn left. " * 30, "references": ["Left. " * 30]}
    with path.open("w") as file:
        for at in range(40_000):
            file.write(json.dumps({"id": str(at), **row}) + "\n")
    assert path.stat().st_size > 60_000_000
    return path


def test_reading_sixty_megabytes_takes_a_few(large):
    count, grown = run(large)
    assert count == 40_000
    assert grown < 12


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "room"), [("jsonl.gz", 12), ("csv", 12), ("json", 16), ("parquet", 200)])
def test_converting_there_and_back_streams_too(large, tmp_path, suffix, room):
    path = tmp_path / f"large.{suffix}"
    count, grown = run(large, path)
    assert count == 40_000
    assert grown < room
    count, grown = run(path)
    assert count == 40_000
    assert grown < room


@pytest.mark.slow
def test_an_array_on_one_line_streams(large, tmp_path):
    path = tmp_path / "array.json"
    path.write_text("[" + ",".join(large.read_text().splitlines()) + "]")
    count, grown = run(path)
    assert count == 40_000
    assert grown < 16
