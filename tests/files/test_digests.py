from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from dialeval.errors import BadInput
from dialeval.files.digests import hash_file, stamp


def test_the_digest_follows_the_content(tmp_path: Path) -> None:
    path = tmp_path / "f"
    for content in (b"a", b"bc"):
        path.write_bytes(content)
        assert hash_file(path) == hashlib.sha256(content).hexdigest()


def test_a_stamp_tells_two_states_of_a_file_apart(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"a")
    before = stamp(path)
    assert stamp(path) == before
    path.write_bytes(b"ab")
    assert stamp(path) != before


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        BadInput, match=r"gone: found no usable file \(No such file or directory\), expected a file"
    ):
        stamp(tmp_path / "gone")
