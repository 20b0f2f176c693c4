from __future__ import annotations

from pathlib import Path

import pytest

from dialeval.cli.execution import default_cache_folder


def test_the_cache_follows_the_desktop(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_folder() == tmp_path / "dialeval"


@pytest.mark.parametrize("value", ["", "relative/path", None])
def test_without_a_usable_setting_it_is_in_the_home(monkeypatch, tmp_path, value):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if value is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", value)
    assert default_cache_folder() == Path(tmp_path, ".cache", "dialeval")
