"""Disks that are small, full or cannot be written, mounted for as long as a test needs them."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

FILLER = "filler"
"""The file that fills a disk."""


@contextlib.contextmanager
def mounted(place: Path, *options: str) -> Iterator[Path]:
    """A mount there, for as long as the block lasts; the test is skipped where we may not mount."""
    place.mkdir(parents=True, exist_ok=True)
    if os.geteuid() or subprocess.run(["mount", *options, str(place)], capture_output=True).returncode:
        pytest.skip("needs the right to mount a file system")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@contextlib.contextmanager
def small_disk(place: Path, size: str) -> Iterator[Path]:
    with mounted(place, "-t", "tmpfs", "-o", f"size={size}", "tmpfs") as disk:
        yield disk


def enlarge(disk: Path, size: str) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)


def fill(disk: Path) -> None:
    """Leave no room for another byte."""
    with (disk / FILLER).open("ab", buffering=0) as file:
        for piece in (bytes(1 << 20), bytes(4096)):
            with contextlib.suppress(OSError):
                while file.write(piece):
                    pass


@contextlib.contextmanager
def read_only(place: Path) -> Iterator[Path]:
    with mounted(place, "--bind", str(place)):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(place)], check=True)
        yield place
