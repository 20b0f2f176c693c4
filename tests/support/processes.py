"""Environment of the programs that tests start."""

from __future__ import annotations

import os

from support.paths import TESTS


def environment() -> dict[str, str]:
    """The environment of this process, in which ``support`` is importable as well."""
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, (str(TESTS), os.environ.get("PYTHONPATH"))))
    }
