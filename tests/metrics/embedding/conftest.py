"""Vectors small enough to score by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dialeval.resources import check

WORDS = {"a": (1.0, 0.0), "b": (0.0, 1.0), "c": (-1.0, 0.0), "d": (3.0, 4.0)}


@pytest.fixture
def plane(tmp_path: Path) -> str:
    """Four words in two dimensions; their mean is (0.75, 1.25)."""
    np.save(tmp_path / "plane.npy", np.array(list(WORDS.values()), np.float32))
    (tmp_path / "plane.vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    return str(tmp_path / "plane.npy")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of one's own, where conversions are kept."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(scope="session")
def encoder_folder() -> Path:
    """The embedded encoder's files, where they are installed."""
    status = check("all-minilm-l6-v2", verify=False)
    if status.path is None:
        pytest.skip(status.detail)
    return status.path
