"""GloVe and word2vec text files, converted once to a matrix and a list of words that open at once."""

from __future__ import annotations

import bz2
import gzip
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Final, NamedTuple

import numpy as np

from dialeval.errors import BadInput, ResourceUnavailable
from dialeval.files.atomic import atomic_path
from dialeval.metrics.embedding.vectors import Vectors

_LINES_AT_ONCE: Final = 4096
_HEADER_BYTES: Final = 128
_TODO: Final = "Correct or remove the line; word2vec's binary files must be saved as text first."


class Line(NamedTuple):
    """One word and its numbers, still text."""

    number: int
    word: str
    numbers: str


def convert(path: Path, matrix: Path, words: Path) -> None:
    """Write the vectors in the text file ``path`` to ``matrix`` (.npy, float32) and ``words`` (one a line).

    The file is streamed, so memory does not grow with it. The matrix comes last and whole: where it is, all is.
    """
    try:
        matrix.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(matrix) as numbers, atomic_path(words) as listed:
            _convert(path, numbers, listed)
    except OSError as error:
        raise ResourceUnavailable(
            f"The vectors in {path} could not be converted to {matrix.parent}: {error}. Free some space or make "
            "that folder writable, or convert them yourself to a .npy matrix with a .vocab.txt list of words beside it."
        ) from error


def _convert(path: Path, matrix: Path, words: Path) -> None:
    rows = columns = 0
    with matrix.open("wb") as numbers, words.open("w", encoding="utf-8", newline="\n") as listed:
        numbers.write(bytes(_HEADER_BYTES))
        lines = _lines(path)
        while chunk := list(islice(lines, _LINES_AT_ONCE)):
            columns = columns or len(chunk[0].numbers.split())
            numbers.write(_parse(path, chunk, columns).tobytes())
            listed.writelines(line.word + "\n" for line in chunk)
            rows += len(chunk)
        numbers.seek(0)
        numbers.write(_npy_header(rows, columns))
    if not rows:
        raise BadInput(str(path), "no vectors", "lines of a word and its numbers", "Give another file.")


def _lines(path: Path) -> Iterator[Line]:
    """The lines with their words split off; a first line of two whole numbers is word2vec's header."""
    columns = 0
    with _OPENERS.get(path.suffix, _open_plain)(path) as file:
        for number, raw in enumerate(file, start=1):
            text = _decoded(path, number, raw)
            if number == 1 and _is_header(text):
                columns = int(text.split()[1])
            elif text:
                columns = columns or text.count(" ")
                yield _split(path, number, text, columns)


def _is_header(text: str) -> bool:
    fields = text.split(" ")
    return len(fields) == 2 and all(field.isascii() and field.isdigit() for field in fields)


def _split(path: Path, number: int, text: str, columns: int) -> Line:
    spaces = text.count(" ")
    if columns == 0 or spaces < columns:
        raise _bad(path, number, f"{spaces} numbers after the word", str(columns or "at least 1"))
    if spaces == columns:
        word, _, numbers = text.partition(" ")
        return Line(number, word, numbers)
    # Words of some files hold spaces, so the numbers are counted from the right.
    word, *fields = text.rsplit(" ", columns)
    return Line(number, word, " ".join(fields))


def _decoded(path: Path, number: int, raw: bytes) -> str:
    try:
        return raw.decode("utf-8").rstrip(" \r\n")
    except UnicodeDecodeError as error:
        raise _bad(path, number, f"bytes that are not UTF-8 ({error.reason})", "UTF-8 text") from None


def _parse(path: Path, lines: Sequence[Line], columns: int) -> Vectors:
    parsed = _numbers(" ".join([line.numbers for line in lines]))
    if parsed is not None and parsed.size == len(lines) * columns:
        return parsed
    for line in lines:
        numbers = _numbers(line.numbers)
        if numbers is None or numbers.size != columns:
            shown = line.numbers if len(line.numbers) <= 60 else line.numbers[:57] + "..."
            raise _bad(path, line.number, f"{shown!r} after {line.word!r}", f"{columns} finite numbers")
    raise AssertionError("lines that are good one by one are good together")


def _numbers(text: str) -> Vectors | None:
    """The finite numbers in the text; None where anything else is in it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            parsed = np.fromstring(text, np.float32, sep=" ")
        except (DeprecationWarning, ValueError):
            return None
    return parsed if np.isfinite(parsed).all() else None


def _npy_header(rows: int, columns: int) -> bytes:
    """The start of a .npy file of that shape, always of one length, so that it can be written last."""
    described = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    start = b"\x93NUMPY\x01\x00" + (_HEADER_BYTES - 10).to_bytes(2, "little")
    return start + described.ljust(_HEADER_BYTES - 11).encode("ascii") + b"\n"


def _bad(path: Path, line: int, found: str, expected: str) -> BadInput:
    return BadInput(str(path), found, expected, _TODO, line=line)


def _open_plain(path: Path) -> IO[bytes]:
    return path.open("rb")


def _open_gzip(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb")  # type: ignore[return-value]


def _open_bz2(path: Path) -> IO[bytes]:
    return bz2.open(path, "rb")


_OPENERS: Final[Mapping[str, Callable[[Path], IO[bytes]]]] = {".gz": _open_gzip, ".bz2": _open_bz2}
