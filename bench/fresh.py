"""A function run in its own interpreter, so that memory and caches of other benches do not count."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import NamedTuple


class Fresh(NamedTuple):
    """Wall time of the call, without start-up and imports, and the process's peak resident memory."""

    seconds: float
    peak_mb: float


def fresh(module: str, function: str) -> Fresh:
    """What ``module.function()`` takes in a new interpreter."""
    command = [sys.executable, "-m", "bench.fresh", module, function]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Fresh(*json.loads(done.stdout))


def _peak_mb() -> float:
    # Not getrusage: its ru_maxrss survives exec, so it would report a large parent's memory as ours.
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else float("nan")


if __name__ == "__main__":
    work = getattr(import_module(sys.argv[1]), sys.argv[2])
    start = time.perf_counter()
    work()
    print(json.dumps([time.perf_counter() - start, _peak_mb()]))
