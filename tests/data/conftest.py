"""What the tests of data share."""

from __future__ import annotations

import pytest


@pytest.fixture
def put(tmp_path, monkeypatch):
    """Write a file into an empty working folder and return its name."""
    monkeypatch.chdir(tmp_path)

    def put(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    return put
