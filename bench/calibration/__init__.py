"""Coverage and type I error of what we print, on real text and on made designs with known truth.

``python -m bench calibration`` prints every table; ``python -m bench calibration:scores`` one of them. All is seeded.
Real text comes from DIALEVAL_DATA, as in the other benches; tables that need it are left out without it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib import import_module
from typing import Final

from bench.result import BenchResult

SECTIONS: Final = ("scores", "differences", "agreement", "claims")


def run(section: str | None = None) -> Iterator[BenchResult]:
    """Print the tables, and yield how long each took."""
    for name in SECTIONS if section is None else (section,):
        start = time.perf_counter()
        import_module(f"bench.calibration.{name}").report()
        yield BenchResult(f"calibration, {name}", time.perf_counter() - start, float("nan"), "tables above")
