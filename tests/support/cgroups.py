"""Groups of processes that the kernel gives no more than so much memory (control groups of either version)."""

from __future__ import annotations

import contextlib
import os
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

MOUNTED = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Group:
    """A control group, which a process joins by writing its id into ``joining``."""

    folder: Path

    @property
    def joining(self) -> Path:
        return self.folder / "cgroup.procs"

    def killed(self) -> int:
        """How many of its processes the kernel has killed because memory was out."""
        told = (self.folder / name for name in ("memory.oom_control", "memory.events"))
        words = next(path for path in told if path.exists()).read_text().split()
        return int(words[words.index("oom_kill") + 1])


@contextlib.contextmanager
def little_memory(size: int) -> Iterator[Group]:
    """A group of ``size`` bytes below the one that we are in, or else above it; the test is skipped without one."""
    group = next((group for parent in _parents() if (group := _made(parent, size))), None)
    if group is None:
        pytest.skip("needs the right to make a memory control group")
    try:
        yield group
    finally:
        for _ in range(100):  # what was killed takes a moment to leave
            with contextlib.suppress(OSError):
                group.folder.rmdir()
                break
            time.sleep(0.05)


def _parents() -> Iterator[Path]:
    """Where a group could be made, our own group first."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        number, kinds, place = line.split(":", 2)
        if "memory" in kinds.split(","):
            root = MOUNTED / "memory"
        elif number == "0":
            root = MOUNTED
        else:
            continue
        own = root / place.strip("/")
        yield from (folder for folder in (own, *own.parents) if folder.is_relative_to(root))


def _without_swap(folder: Path, size: int) -> None:
    """Give the group no memory on disks, where the kernel counts it."""
    for name, limit in (("memory.memsw.limit_in_bytes", size), ("memory.swap.max", 0)):
        with contextlib.suppress(OSError):
            if (folder / name).exists():
                (folder / name).write_text(str(limit))


def _made(parent: Path, size: int) -> Group | None:
    folder = parent / f"dialeval-{uuid.uuid4().hex[:8]}"
    if os.geteuid() or not parent.is_dir():
        return None
    try:
        folder.mkdir()
    except OSError:
        return None
    for name in ("memory.limit_in_bytes", "memory.max"):
        with contextlib.suppress(OSError):
            if (folder / name).exists():
                (folder / name).write_text(str(size))
                _without_swap(folder, size)
                return Group(folder)
    folder.rmdir()
    return None
