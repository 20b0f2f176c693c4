"""Folder of the real corpora."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.paths import ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora: $DIALEVAL_DATA, else ../shared/data beside the checkout."""
    folder = Path(os.environ.get("DIALEVAL_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real data not found at {folder}; set DIALEVAL_DATA to the folder that holds it")
    return folder
