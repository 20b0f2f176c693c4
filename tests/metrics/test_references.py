from __future__ import annotations

import pytest

from dialeval.data.types import Example, Response
from dialeval.errors import Unsuitable
from dialeval.metrics.rows import lacks_references, require_references

WITH = Example("with", "s", (), Response("a"), ("b",))
BARE = Example("bare", "s", (), Response("a"))


def test_only_examples_without_any_reference_lack_them() -> None:
    assert lacks_references(WITH) is None
    assert lacks_references(BARE) == "no references"


def test_a_batch_is_refused_with_the_first_item_at_fault() -> None:
    require_references("m", [WITH])
    require_references("m", [])
    with pytest.raises(Unsuitable, match=r"2 of 3 have none \(first: 'bare'\)"):
        require_references("m", [WITH, BARE, BARE])
