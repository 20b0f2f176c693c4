from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dialeval.errors import BadInput
from dialeval.metrics.embedding.sources import read_table, words_beside


def save(folder: Path, matrix: object, words: str) -> tuple[Path, Path]:
    np.save(folder / "v.npy", np.asarray(matrix))
    (folder / "v.vocab.txt").write_bytes(words.encode())
    return folder / "v.npy", folder / "v.vocab.txt"


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_floats_of_any_size_become_float32(tmp_path: Path, kind: type) -> None:
    words, matrix = read_table(*save(tmp_path, np.array([[1, 2], [3, 4]], kind), "x\ny\n"))
    assert words == ["x", "y"]
    assert matrix.dtype == np.float32
    assert matrix.tolist() == [[1, 2], [3, 4]]


def test_only_line_feeds_part_words(tmp_path: Path) -> None:
    words, _ = read_table(*save(tmp_path, np.ones((3, 1)), "\x85\r\n\u2028\n a b"))
    assert words == ["\x85", "\u2028", " a b"]


@pytest.mark.parametrize("ending", [".vocab.txt", ".txt"])
def test_the_words_are_found_beside_the_matrix(tmp_path: Path, ending: str) -> None:
    (tmp_path / f"v{ending}").touch()
    assert words_beside(tmp_path / "v.npy") == tmp_path / f"v{ending}"


def test_a_matrix_without_words_says_what_is_needed(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"expected v.vocab.txt or v.txt beside it"):
        words_beside(tmp_path / "v.npy")


def test_as_many_words_as_rows(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"found 1 words, expected as many as v.npy has rows, 2"):
        read_table(*save(tmp_path, np.ones((2, 2)), "x\n"))


@pytest.mark.parametrize(
    ("matrix", "found"),
    [
        (np.ones(3), r"float64 of shape \(3,\)"),
        (np.ones((2, 2), int), "int64 of shape"),
        (np.ones((0, 2)), r"float64 of shape \(0, 2\)"),
        (np.array([[{}]], dtype=object), "no matrix"),  # a pickle, which is never loaded
    ],
)
def test_what_is_no_matrix_of_floats_is_refused(tmp_path: Path, matrix: object, found: str) -> None:
    with pytest.raises(BadInput, match=found):
        read_table(*save(tmp_path, matrix, "x\ny"))


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path, words = save(tmp_path, np.ones((1, 1)), "x")
    path.write_text("the 0.1 0.2\n", encoding="utf-8")
    with pytest.raises(BadInput, match="no matrix"):
        read_table(path, words)


def test_words_must_be_utf8(tmp_path: Path) -> None:
    path, words = save(tmp_path, np.ones((1, 1)), "x")
    words.write_bytes(b"\xff")
    with pytest.raises(BadInput, match="not UTF-8"):
        read_table(path, words)
