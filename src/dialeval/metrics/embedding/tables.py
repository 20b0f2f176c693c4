"""Matrices with a list of their words beside them: ``vectors.npy`` and ``vectors.vocab.txt``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from dialeval.errors import BadInput, first_line
from dialeval.metrics.embedding.vectors import Vectors

_ENDINGS: Final = (".vocab.txt", ".txt")
_TODO: Final = (
    "Save it with numpy.save('vectors.npy', matrix), and its words to vectors.vocab.txt, one a line."
)


def words_beside(path: Path) -> Path:
    """Where the words of this matrix are listed."""
    for ending in _ENDINGS:
        if (beside := path.with_suffix(ending)).is_file():
            return beside
    names = " or ".join(path.with_suffix(ending).name for ending in _ENDINGS)
    raise BadInput(str(path), "no list of its words", f"{names} beside it, one word a line", _TODO)


def read_table(path: Path, words: Path) -> tuple[list[str], Vectors]:
    """The words, and their matrix as float32, mapped from the file where it already is that."""
    matrix = _read_matrix(path)
    try:
        text = words.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"bytes that are not UTF-8 ({error.reason} at byte {error.start})"
        raise BadInput(str(words), found, "UTF-8, one word a line", "Save the list as UTF-8.") from None
    # Not splitlines: word lists hold words such as U+0085, which it takes for line ends.
    listed = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []
    if len(listed) != len(matrix):
        found = f"{len(listed):,} words"
        needed = f"as many as {path.name} has rows, {len(matrix):,}"
        raise BadInput(str(words), found, needed, "List the words in order of the rows.")
    return listed, matrix


def _read_matrix(path: Path) -> Vectors:
    try:
        # Without pickles: loading one can run any code.
        matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        reason = first_line(error)
        raise BadInput(str(path), f"no matrix ({reason})", "a .npy file of numbers", _TODO) from None
    if not isinstance(matrix, np.ndarray) or matrix.ndim != 2 or matrix.dtype.kind != "f" or not matrix.size:
        found = f"{matrix.dtype} of shape {matrix.shape}" if isinstance(matrix, np.ndarray) else "an archive"
        raise BadInput(str(path), found, "a matrix of floats, one row a word", _TODO)
    return np.asarray(matrix, np.float32)
