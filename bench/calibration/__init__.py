"""Coverage and false claims of what we print, on real text and on made designs with known truth.

``python -m bench calibration`` prints every table; ``python -m bench calibration:scores`` one of them; ``--markdown``
prints them as docs/trust.md has them. All is seeded. Scores and comparisons come from the public functions ``evaluate``
and ``compare``. Real text comes from DIALEVAL_DATA, as in the other benches; rows that need it are left out without it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib import import_module
from typing import Final

from bench.calibration.table import print_table
from bench.result import BenchResult

SECTIONS: Final = ("scores", "differences", "agreement", "claims", "runs", "gates", "talks", "judges")


def run(section: str | None = None, *, markdown: bool = False) -> Iterator[BenchResult]:
    """Print the tables, and yield how long each took."""
    for name in SECTIONS if section is None else (section,):
        start = time.perf_counter()
        for table in import_module(f"bench.calibration.{name}").tables():
            print_table(table, markdown=markdown)
        yield BenchResult(f"calibration, {name}", time.perf_counter() - start, float("nan"), "tables above")
