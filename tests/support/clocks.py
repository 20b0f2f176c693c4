"""A wall clock that tests can set back, for the programs that they start."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from support.paths import TESTS

DAYS_400 = 400 * 86_400


def settable_clock(folder: Path) -> Mapping[str, str]:
    """The environment of programs whose clock is behind by the seconds in ``folder/behind``; 0 at first."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    library = folder / "clock.so"
    source = TESTS / "support" / "clock.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(source)], check=True)
    (folder / "behind").write_text("0")
    return {"LD_PRELOAD": str(library), "CLOCK_BEHIND": str(folder / "behind")}
