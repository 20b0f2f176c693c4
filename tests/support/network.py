"""No test reaches the network: the watch over sockets is on, and a test in which something was tried fails."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.sockets import attempts


@pytest.fixture(autouse=True)
def nothing_leaves_this_machine() -> Iterator[None]:
    """Fail the test in which something tried to reach the network, even where it took the refusal well."""
    before = len(attempts)
    yield
    assert attempts[before:] == []
