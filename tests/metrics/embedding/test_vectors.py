from __future__ import annotations

import bz2
import gzip
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from dialeval.errors import BadInput, ResourceUnavailable
from dialeval.metrics.embedding.sources import read_table
from dialeval.metrics.embedding.vectors import WordVectors, convert, table

ROWS = np.array([[1, 0], [0, 2], [3, 3]], np.float32)


def test_a_table_gives_each_word_its_row_and_unknown_words_zeros() -> None:
    found, known = table("t", "0" * 64, ["x", "y", "z"], ROWS).of(["z", "?", "x"])
    np.testing.assert_array_equal(found, np.array([[3, 3], [0, 0], [1, 0]], np.float32))
    assert known.tolist() == [True, False, True]
    assert found.dtype == np.float32


def test_the_first_of_two_rows_for_one_word_counts() -> None:
    assert table("t", "0" * 64, ["x", "x", "z"], ROWS).spell("x") == (0,)


def test_a_word_of_several_pieces_is_their_mean() -> None:
    spelled = {"xy": (0, 1), "xyz": (0, 1, 2), "z": (2,)}
    vectors = WordVectors("t", "0" * 64, ROWS, lambda word: spelled.get(word, ()))
    found, known = vectors.of(["xyz", "z", "xy", "?"])
    np.testing.assert_allclose(found, [[4 / 3, 5 / 3], [3, 3], [0.5, 1], [0, 0]], rtol=1e-7)
    assert known.tolist() == [True, True, True, False]


def test_the_mean_is_of_all_rows() -> None:
    np.testing.assert_allclose(table("t", "0" * 64, ["x", "y", "z"], ROWS).mean(), [4 / 3, 5 / 3], rtol=1e-7)


def test_the_mean_of_a_long_table_is_summed_in_float64() -> None:
    rows = np.full((40_000, 1), 0.1, np.float32)
    assert table("t", "0" * 64, list(map(str, range(40_000))), rows).mean()[0] == np.float32(0.1)


def test_no_words_have_no_vectors() -> None:
    found, known = table("t", "0" * 64, ["x", "y", "z"], ROWS).of([])
    assert found.shape == (0, 2)
    assert known.shape == (0,)


GLOVE = "the 0.5 -1.25\n, 1e-3 2\n"


def converted(folder: Path, content: bytes, name: str = "v.txt") -> tuple[list[str], list[list[float]]]:
    (folder / name).write_bytes(content)
    convert(folder / name, folder / "out" / "v.npy", folder / "out" / "v.vocab.txt")
    words, matrix = read_table(folder / "out" / "v.npy", folder / "out" / "v.vocab.txt")
    return words, matrix.tolist()


@pytest.mark.parametrize("pack", [("v.txt", bytes), ("v.txt.gz", gzip.compress), ("v.txt.bz2", bz2.compress)])
def test_glove_files_are_read_packed_or_not(tmp_path: Path, pack) -> None:
    name, compress = pack
    words, rows = converted(tmp_path, compress(GLOVE.encode()), name)
    assert words == ["the", ","]
    assert rows == [[0.5, -1.25], [np.float32(1e-3), 2]]


@pytest.mark.parametrize(
    ("content", "words", "rows"),
    [
        ("2 2\nx 1 2\ny 3 4\n", ["x", "y"], [[1, 2], [3, 4]]),  # word2vec's header
        ("x 1 2 \r\ny 3 4 ", ["x", "y"], [[1, 2], [3, 4]]),  # word2vec's blank at the end; other line ends
        ("x 1 2\n. . . 3 4\n", ["x", ". . ."], [[1, 2], [3, 4]]),  # words with blanks, as in GloVe 840B
        (
            "1 2\n. . 3 4\nx 1 2\n",
            [". .", "x"],
            [[3, 4], [1, 2]],
        ),  # even first, where a header counts columns
        ("\x85 1 2\n東京 3 4\n", ["\x85", "東京"], [[1, 2], [3, 4]]),
        ("\nx 1 2\n\n", ["x"], [[1, 2]]),
    ],
)
def test_lines_by_hand(tmp_path: Path, content: str, words: list[str], rows: list[list[float]]) -> None:
    assert converted(tmp_path, content.encode()) == (words, rows)


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        (b"x 1 2\ny 3\n", 2, "1 numbers after the word, expected 2"),
        (b"x 1 2\ny 3 four\n", 2, "'3 four' after 'y', expected 2 finite numbers"),
        (b"x 1 2\ny 3 nan\n", 2, "expected 2 finite numbers"),
        (b"x 1 2\ny 3  4\n", 2, "expected 2 finite numbers"),
        (b"x\n", 1, "0 numbers after the word, expected at least 1"),
        (b"x 1 2\n\xff 3 4\n", 2, "bytes that are not UTF-8"),
        (b"3 2\nx 1 2\n\ny 3\n", 4, "1 numbers"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, content: bytes, line: int, found: str) -> None:
    with pytest.raises(BadInput) as caught:
        converted(tmp_path, content)
    assert caught.value.line == line
    assert found in str(caught.value)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_bad_line_far_down_is_named(tmp_path: Path) -> None:
    lines = [f"w{at} {at} {at + 1}" for at in range(10_000)]
    lines[9_000] = "w9000 1 x"
    with pytest.raises(BadInput) as caught:
        converted(tmp_path, "\n".join(lines).encode())
    assert caught.value.line == 9_001


def test_numbers_are_the_nearest_float32(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(5_000, 7))
    lines = "\n".join(f"w{at} " + " ".join(map(repr, row.tolist())) for at, row in enumerate(numbers))
    words, rows = converted(tmp_path, lines.encode())
    assert words == [f"w{at}" for at in range(5_000)]
    np.testing.assert_array_equal(np.array(rows, np.float32), numbers.astype(np.float32))


@pytest.mark.parametrize("content", ["", "\n\n", "0 50\n"])
def test_a_file_without_vectors_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(BadInput, match="no vectors"):
        converted(tmp_path, content.encode())


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file, no folder", encoding="utf-8")
    with pytest.raises(ResourceUnavailable, match="convert them yourself"):
        converted(tmp_path, GLOVE.encode())


def test_conversion_streams(tmp_path: Path) -> None:
    row = " ".join(["0.125"] * 50)
    (tmp_path / "v.txt").write_text("".join(f"w{at} {row}\n" for at in range(60_000)), encoding="utf-8")
    tracemalloc.start()
    convert(tmp_path / "v.txt", tmp_path / "v.npy", tmp_path / "v.vocab.txt")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (tmp_path / "v.npy").stat().st_size == 128 + 60_000 * 50 * 4
    assert peak < 6_000_000
