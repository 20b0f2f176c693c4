"""Parts of records: messages as files have them."""

from __future__ import annotations

import pytest

from dialeval.data.codec.bad import Where
from dialeval.data.codec.parts import turns
from dialeval.data.types import Turn

WHERE = Where("answers.jsonl", 3)


def test_what_parquet_packs_beside_role_and_content_is_unpacked():
    calls = [{"function": {"name": "seek"}}]
    message = {
        "role": "assistant",
        "content": None,
        "extra": '{"tool_calls": [{"function": {"name": "seek"}}]}',
    }
    expected = Turn("assistant", "", extra={"content": None, "tool_calls": calls})
    assert turns([message], WHERE, "context") == (expected,)


@pytest.mark.parametrize(
    "extra", ["my note", "[1]", "7", "{", "[" * 100_000, '{"mine": 1}', {"mine": 1}, None]
)
def test_a_field_called_extra_that_is_not_ours_is_passed_over_as_other_fields_are(extra):
    message = {"role": "user", "content": "hello", "extra": extra}
    assert turns([message], WHERE, "context") == (Turn("user", "hello"),)
