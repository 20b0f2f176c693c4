"""Canonical lines and digests."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given, strategies as st

from dialeval.data import (
    Dialogue,
    Example,
    Judgement,
    NBest,
    Response,
    Turn,
    canonical,
    digest,
    encode,
)
from dialeval.errors import Unsuitable
from support.record_strategies import RECORDS

EXAMPLE = Example("1", "s", (Turn("user", "Hé\n", "Ann"),), Response("Yes", -0.5), ("No",))


def test_a_canonical_line_by_hand():
    assert canonical(EXAMPLE).decode() == (
        '{"id":"1","system":"s","context":[{"role":"user","content":"Hé\\n","name":"Ann"}],'
        '"response":{"text":"Yes","logprob":-0.5},"references":["No"]}'
    )


@pytest.mark.parametrize("kind", RECORDS)
@given(data=st.data())
def test_canonical_is_what_json_would_write(kind, data):
    record = data.draw(RECORDS[kind])
    line = canonical(record)
    assert b"\n" not in line
    assert line == json.dumps(encode(record), ensure_ascii=False, separators=(",", ":")).encode()


@given(st.data())
def test_different_records_have_different_lines(data):
    records = st.one_of(*RECORDS.values())
    one, other = data.draw(records), data.draw(records)
    # Text comparison of floats tells -0.0 from 0.0, which are equal as numbers.
    assert (canonical(one) == canonical(other)) <= (one == other)


def test_the_order_of_metadata_is_no_difference():
    one, other = {"a": 1, "b": 2}, {"b": 2, "a": 1}
    assert canonical(Dialogue("1", (), "", one)) == canonical(Dialogue("1", (), "", other))


def test_a_digest_is_the_sha256_of_the_lines():
    expected = hashlib.sha256(canonical(EXAMPLE) + b"\n" + canonical(EXAMPLE) + b"\n").hexdigest()
    assert digest([EXAMPLE, EXAMPLE]) == expected
    assert digest([]) == hashlib.sha256(b"").hexdigest()


def test_nan_is_no_value_and_infinity_is_refused():
    assert encode(Judgement("1", "s", "r", "c", float("nan")))["value"] is None
    with pytest.raises(Unsuitable, match="-inf cannot be written"):
        canonical(NBest("1", "s", (), (Response("a", float("-inf")),)))


def test_a_lone_surrogate_is_refused_by_item():
    with pytest.raises(Unsuitable, match=r"'1' holds half of a character"):
        canonical(Example("1", "s", (), Response("\ud83d")))
