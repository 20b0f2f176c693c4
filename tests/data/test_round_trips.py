"""What is written is what is read, in every format, whatever the text."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from dialeval.data import Judgement, Where, canonical, decode, digest, encode, kind_of, read, write
from dialeval.data.codec.rows import _identity
from support.record_strategies import RECORDS

SUFFIXES = ["jsonl", "json", "jsonl.gz", "csv", "csv.gz", "tsv", "parquet"]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", RECORDS)
@given(data=st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_reading_gives_back_what_was_written(tmp_path, kind, suffix, data):
    unique = None if kind == "judgement" else _identity
    records = data.draw(st.lists(RECORDS[kind], min_size=1, max_size=4, unique_by=unique))
    path = tmp_path / f"records.{suffix}"
    assert write(path, records) == len(records)
    assert list(read(path, kind)) == records
    assert kind_of(path) == kind


@pytest.mark.parametrize("kind", RECORDS)
@given(data=st.data())
def test_decoding_undoes_encoding(kind, data):
    record = data.draw(RECORDS[kind])
    assert decode(encode(record), kind, Where("here")) == record


def test_an_empty_reason_survives_where_the_format_can_hold_it(tmp_path):
    record = Judgement("1", "a", "me", "tact", None, "")
    for suffix, reason in (("jsonl", ""), ("parquet", ""), ("csv", None)):
        write(tmp_path / f"j.{suffix}", [record])
        assert next(read(tmp_path / f"j.{suffix}", "judgement")).reason == reason


def test_the_same_records_give_the_same_bytes_zipped_or_not(tmp_path):
    records = [Judgement(str(at), "a", "me", "tact", at / 3) for at in range(9)]
    for name in ("a.jsonl.gz", "b.jsonl.gz", "plain.jsonl"):
        write(tmp_path / name, records)
    packed = (tmp_path / "a.jsonl.gz").read_bytes()
    assert packed == (tmp_path / "b.jsonl.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "plain.jsonl").read_bytes()


def test_a_converted_file_keeps_its_digest(tmp_path):
    records = [Judgement(str(at), "a", "me", "tact", at / 3) for at in range(9)]
    for suffix in SUFFIXES:
        write(tmp_path / f"x.{suffix}", records)
        assert digest(read(tmp_path / f"x.{suffix}", "judgement")) == digest(records)
    assert canonical(records[1]).startswith(b'{"item":"1","system":"a"')
