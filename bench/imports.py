"""Start-up time: ``import dialeval`` and ``dialeval --help``."""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.result import BenchResult

REPEATS = 7
HEAVY = ("torch", "numba", "matplotlib", "fastapi", "scipy.stats", "pyarrow", "pydantic", "jinja2")


def run() -> Iterator[BenchResult]:
    """Medians of several starts; the peers are what cannot be avoided, numpy and the bare interpreter."""
    importing = [sys.executable, "-c", "import dialeval"]
    yield BenchResult(
        "import dialeval",
        statistics.median(_import_seconds("dialeval") for _ in range(REPEATS)),
        statistics.median(_import_seconds("numpy") for _ in range(REPEATS)),
        f"import numpy; promised 0.3 s; {_heavy(importing)}",
    )
    helping = [str(Path(sys.executable).with_name("dialeval")), "--help"]
    yield BenchResult(
        "dialeval --help",
        statistics.median(_wall_seconds(helping) for _ in range(REPEATS)),
        statistics.median(_wall_seconds([sys.executable, "-c", "pass"]) for _ in range(REPEATS)),
        "bare interpreter; promised 0.5 s",
    )


def _import_seconds(package: str) -> float:
    command = [sys.executable, "-X", "importtime", "-c", f"import {package}"]
    report = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    found = re.findall(rf"\|\s+(\d+) \| {package}$", report, flags=re.MULTILINE)
    return int(found[-1]) / 1e6


def _wall_seconds(command: Sequence[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _heavy(command: Sequence[str]) -> str:
    """Which heavy libraries the command loads."""
    probe = f"{command[-1]}; import sys; print(*sorted(set({HEAVY!r}) & sys.modules.keys()))"
    done = subprocess.run([*command[:-1], probe], check=True, stdout=subprocess.PIPE, text=True)
    return f"loads {done.stdout.strip() or 'nothing heavy'}"
