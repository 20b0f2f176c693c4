"""Vectors of words, wherever they come from, and texts as numbers of those words."""

from __future__ import annotations

import bz2
import gzip
import io
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.data.codec.sources import LINE_LIMIT, PackedStream, UnpackedStream
from dialeval.errors import BadInput, ResourceUnavailable
from dialeval.files.atomic import atomic_path

Vectors: TypeAlias = NDArray[np.float32]

_ROWS_AT_ONCE: Final = 16384
Unknown: TypeAlias = Literal["mean", "skip"]
Integers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class WordVectors:
    """A table of vectors, and which of its rows a word is the mean of: one row, or one for each of its pieces."""

    name: str
    sha256: str
    matrix: Vectors
    """Shape (rows, dimensions)."""
    spell: Callable[[str], tuple[int, ...]]
    """The rows whose mean is the word's vector; none for an unknown word."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.matrix.shape[1])

    def knows(self, word: str) -> bool:
        """Whether the word has a vector."""
        return bool(self.spell(word))

    def of(self, words: Sequence[str]) -> tuple[Vectors, NDArray[np.bool_]]:
        """The words' vectors, shape (words, dimensions), and which are known; the others' are zero."""
        spelled = [self.spell(word) for word in words]
        pieces = np.fromiter(map(len, spelled), np.int64, len(spelled))
        vectors = self.matrix.take([rows[0] if rows else 0 for rows in spelled], axis=0)
        vectors[pieces == 0] = 0
        several = np.flatnonzero(pieces > 1)
        vectors[several] = self._means([spelled[index] for index in several.tolist()])
        return vectors, pieces > 0

    def mean(self) -> Vectors:
        """The mean of all rows of the table, which nlg-eval gives to every unknown word."""
        return _mean(self)

    def _means(self, spelled: Sequence[tuple[int, ...]]) -> Vectors:
        total = np.zeros((len(spelled), self.dimensions))
        # First pieces, then second ones, and so on: each word's sum is the same whatever its neighbours are.
        for place in range(max(map(len, spelled), default=0)):
            rows = [index for index, pieces in enumerate(spelled) if len(pieces) > place]
            total[rows] += self.matrix[[spelled[index][place] for index in rows]]
        counts = np.array([len(pieces) for pieces in spelled]).reshape(-1, 1)
        return np.asarray(total / np.maximum(counts, 1), np.float32)


def table(name: str, sha256: str, words: Sequence[str], matrix: Vectors) -> WordVectors:
    """Vectors with one row per word; of a word listed twice, the first row counts."""
    index: dict[str, tuple[int, ...]] = {}
    for row, word in enumerate(words):
        index.setdefault(word, (row,))
    return WordVectors(name, sha256, matrix, _Lookup(index))


@dataclass(frozen=True, slots=True)
class _Lookup:
    """The row of a word in a table, if it is there."""

    index: Mapping[str, tuple[int, ...]]

    def __call__(self, word: str) -> tuple[int, ...]:
        return self.index.get(word, ())


@lru_cache(maxsize=2)
def _mean(vectors: WordVectors) -> Vectors:
    total = np.zeros(vectors.dimensions)
    for start in range(0, len(vectors.matrix), _ROWS_AT_ONCE):
        total += vectors.matrix[start : start + _ROWS_AT_ONCE].sum(axis=0, dtype=np.float64)
    return np.asarray(total / len(vectors.matrix), np.float32)


class EncodedTexts(NamedTuple):
    """Texts ready for the kernels."""

    matrix: Vectors
    """One row per distinct word of these texts."""
    words: Integers
    """Rows of ``matrix``, one text after the other."""
    starts: Integers
    """Beginning of each text in ``words``, and last the end of the last one."""
    lengths: Integers
    """Words of each text, known or not."""
    unknown: Integers
    """Words of each text that have no vector of their own."""


def encode(texts: Sequence[Sequence[str]], vectors: WordVectors, *, unknown: Unknown) -> EncodedTexts:
    """The texts as numbers; unknown words get the mean of the table or are skipped."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    flat = list(chain.from_iterable(texts))
    numbers = _Numbers()
    words = np.fromiter(map(numbers.__getitem__, flat), np.int64, len(flat))
    matrix, known = vectors.of(list(numbers))
    kept = known[words]
    starts = _bounds(lengths)
    known_before = _bounds(kept)
    unknown_words = lengths - np.diff(known_before[starts])
    if unknown == "skip":
        return EncodedTexts(matrix, words[kept], known_before[starts], lengths, unknown_words)
    if not known.all():
        matrix[~known] = vectors.mean()
    return EncodedTexts(matrix, words, starts, lengths, unknown_words)


class _Numbers(dict[str, int]):
    """Words, numbered as they are met."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


def _bounds(counts: NDArray[np.int64] | NDArray[np.bool_]) -> Integers:
    bounds = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=bounds[1:])
    return bounds


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

    The file is streamed, so memory does not grow with it. The matrix comes last and whole: if it is there, all is.
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
    with _opened(path) as file:
        for number, raw in enumerate(iter(partial(file.readline, LINE_LIMIT + 1), b""), start=1):
            if len(raw) > LINE_LIMIT:
                raise _bad(
                    path, number, f"a line longer than {LINE_LIMIT // 2**20} MiB", "a word and its numbers"
                )
            text = _decoded(path, number, raw)
            if number == 1 and _is_header(text):
                columns = int(text.split()[1])
            elif text:
                columns = columns or text.count(" ")
                yield _split(path, number, text, columns)


def _is_header(text: str) -> bool:
    fields = text.split(" ")
    return len(fields) == 2 and all(
        field.isascii() and field.isdigit() and len(field) < 19 for field in fields
    )


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
    """The finite numbers in the text; None if anything else is in it."""
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


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """Open the file's bytes, unpacked as its ending says; BadInput if they are damaged or far more than packed."""
    with path.open("rb") as plain:
        unpack = _UNPACKERS.get(path.suffix)
        if unpack is None:
            yield plain
            return
        packed = PackedStream(plain)
        try:
            yield io.BufferedReader(UnpackedStream(unpack(packed), packed, str(path)))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            todo = "Fetch or compress it again."
            raise BadInput(
                str(path), f"broken packed data ({error})", f"a whole {path.suffix} file", todo
            ) from None


_UNPACKERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    ".gz": lambda packed: gzip.GzipFile(fileobj=packed, mode="rb"),
    ".bz2": bz2.BZ2File,
}
