"""Sources of bytes: a file or standard input, zipped or not, in lines of bounded length; formats by file name.

A zipped or coded file may unpack to so many times its size at most (``allow_ratio``).
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, NamedTuple, TypeAlias, cast

from dialeval.data.codec.bad import BadLine, OnBad
from dialeval.data.codec.dialects import WINDOWS, as_utf8, is_windows, likely_encoding, tell
from dialeval.errors import BadInput, close_names
from dialeval.files.digests import Stamp, stamp
from dialeval.files.folders import is_there, with_home

if TYPE_CHECKING:
    import pyarrow as pa


Source: TypeAlias = str | Path
"""A path, or ``-`` for standard input."""

LINE_LIMIT: Final = 8 * 1024 * 1024
"""The longest line or record we hold, in bytes."""

MOST_BLANK: Final = 1_000_000
"""Blank lines, or rows of a table without content, that may follow each other."""

UTF8_MARK: Final = b"\xef\xbb\xbf"
"""The byte-order mark some editors put before UTF-8 text; we read past it."""


class Line(NamedTuple):
    """One line of a text file, with its ending."""

    number: int
    text: str


def is_stdin(source: Source) -> bool:
    """Whether ``source`` means standard input."""
    return source == "-"


def shown(source: Source) -> str:
    """The source as errors name it."""
    return "<stdin>" if is_stdin(source) else str(source)


class NamedSource(NamedTuple):
    """A source, and the format that stood before it."""

    source: Source
    format: str | None


OWN_READER: Final = re.compile(r"(.+\.py):([A-Za-z_]\w*)")
"""A custom reader: ``logs.py:read``."""
_OWN_PREFIX: Final = re.compile(rf"({OWN_READER.pattern}):(.+)")
"""A custom reader before its file: ``logs.py:read:chats.log``."""
_PREFIX: Final = re.compile(r"(?:(.*)/)?([a-z][a-z0-9+-]+):([^:].*)")


def split_format(source: Source) -> NamedSource:
    """``FORMAT:FILE`` as the file and its format, also behind a folder put before it; other sources as given."""
    from dialeval.data.formats import FORMATS

    if (own := _OWN_PREFIX.fullmatch(str(source))) is not None and not is_there(Path(source)):
        return NamedSource(type(source)(own[4]), own[1])
    match = _PREFIX.fullmatch(str(source))
    if match is None or match[2] not in FORMATS or is_there(Path(source)):
        return NamedSource(source, None)
    folder, name, rest = match.groups()
    if rest == "-":
        return NamedSource("-", name)
    joined = Path(folder or ("/" if str(source).startswith("/") else "")) / with_home(rest)
    return NamedSource(joined if isinstance(source, Path) else str(joined), name)


def beside(folder: Path, source: Path | str) -> Path:
    """The source where paths are relative to this folder: of ``my.py:read:logs.txt`` both the reader and its file."""
    own = _OWN_PREFIX.fullmatch(str(source))
    if own is None or is_there(folder / with_home(source)):
        return folder / with_home(source)
    return Path(f"{folder / with_home(own[1])}:{folder / with_home(own[4])}")


def file_of(source: Source) -> Path:
    """The file itself: of ``openai:chats.jsonl`` that behind the format, of ``book.xlsx#Ratings`` the workbook."""
    path = Path(split_format(source).source)
    name, mark, _ = path.name.rpartition("#")
    return path.with_name(name) if mark and name.lower().endswith(".xlsx") and not is_there(path) else path


def source_stamp(source: Path) -> Stamp:
    """The state of the source's file now, under the source's name: a key for what was read from it."""
    return stamp(file_of(source))._replace(path=source)


def conversion(path: str, form: str = "FORMAT", *, kind: str = "") -> str:
    """The command that makes a file of ours from another format, for hints: every verb takes what it writes."""
    from shlex import quote

    named = "-" if path == "<stdin>" else quote(path)
    chosen = f" --as {kind}" if kind else ""
    return f"'dialeval data convert {named} OUT.jsonl --from {form}{chosen}'"


def check(source: Source, *, folder: bool = False) -> None:
    """Raise BadInput unless ``source`` is there and is a file (or a folder)."""
    if is_stdin(source):
        return
    path = file_of(source)
    expected = "a folder" if folder else "a file"
    if not is_there(path):
        near = path.parent if path.parent.is_dir() else None
        close = close_names(path.name, sorted(os.listdir(near))) if near else []
        hint = (
            f"Did you mean {' or '.join(repr(str(path.with_name(name))) for name in close)}?" if close else ""
        )
        raise BadInput(
            str(source), f"no such {'folder' if folder else 'file'}", expected, hint or "Check the path."
        )
    if folder and not path.is_dir():
        raise BadInput(str(source), "a file", expected, "Name the folder that holds the corpus.")
    if not folder and path.is_dir():
        raise BadInput(str(source), "a directory", expected, "Name one of the files in it.")


@contextmanager
def opened(source: Source) -> Iterator[io.BufferedReader]:
    """The source's bytes, unzipped if they are gzipped, and as UTF-8 if they are UTF-16 or UTF-32.

    All these are known by the first bytes, so a piped or misnamed file is read too.
    """
    check(source)
    with _plain(source) as plain:
        if plain.peek(2)[:2] != b"\x1f\x8b":
            yield as_utf8(plain, shown(source))
            return
        with _unzipped(plain, shown(source)) as unzipped:
            yield as_utf8(unzipped, shown(source))


@contextmanager
def _unzipped(handle: BinaryIO, path: str) -> Iterator[io.BufferedReader]:
    import gzip
    import zlib

    packed = PackedStream(handle)
    unpacked = UnpackedStream(gzip.GzipFile(fileobj=cast(BinaryIO, packed), mode="rb"), packed, path)
    try:
        yield io.BufferedReader(unpacked, 1 << 16)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        todo = "Fetch or compress it again."
        raise BadInput(path, f"broken gzip data ({error})", "a whole .gz file", todo) from None


@contextmanager
def _plain(source: Source) -> Iterator[io.BufferedReader]:
    if is_stdin(source):
        yield cast(io.BufferedReader, sys.stdin.buffer)
        return
    with _open(Path(source)) as handle:
        yield handle


def _open(path: Path) -> io.BufferedReader:
    try:
        return io.BufferedReader(io.FileIO(path), 1 << 16)
    except OSError as error:
        found = f"a file that cannot be opened ({error.strerror})"
        raise BadInput(str(path), found, "a readable file", "Check its permissions.") from None


def lines(source: Source, on_bad: OnBad, *, expected: str = "lines of text") -> Iterator[Line]:
    """The source's lines, in UTF-8 or Windows-1252; those too long or in neither go to ``on_bad``."""
    with opened(source) as handle:
        yield from lines_of(handle, shown(source), on_bad, expected=expected, windows=True)


def lines_of(
    handle: io.BufferedReader,
    path: str,
    on_bad: OnBad,
    *,
    expected: str = "lines of text",
    windows: bool = False,
) -> Iterator[Line]:
    """The lines of an open file; never holds more than ``LINE_LIMIT`` bytes.

    With ``windows``, a file that is plain ASCII up to its first line that is not UTF-8 is Windows-1252 from there on.
    """
    number, offset, readline, encoding, held = 0, 0, handle.readline, "utf-8", 0
    while raw := readline(LINE_LIMIT + 1):
        number += 1
        if raw.isspace():
            if number - held > MOST_BLANK:
                raise too_blank(path, number)
        else:
            held = number
        if len(raw) > LINE_LIMIT and not raw.endswith(b"\n"):
            on_bad(_too_long(raw, path, number, expected))
            offset += len(raw) + _skip_line(handle)
            continue
        if windows and not raw.isascii():  # the first such line decides
            windows = False
            if not _is_utf8(raw) and is_windows(raw + handle.peek(1 << 15)):
                encoding = WINDOWS
                tell(path, "read as Windows-1252; save it as UTF-8 if letters look wrong")
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError as error:
            on_bad(_not_utf8(raw, path, number, offset, error.start))
        else:
            yield Line(number, text.removeprefix("\ufeff") if number == 1 else text)
        offset += len(raw)


def too_blank(path: str, number: int) -> BadInput:
    """The error for a file with more blank lines in a row than anybody means: a small packed file may hold millions."""
    found, todo = f"more than {MOST_BLANK:,} blank lines in a row", "Check how the file was written."
    return BadInput(path, found, "lines that hold something", todo, number)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _skip_line(handle: BinaryIO) -> int:
    skipped = 0
    while part := handle.readline(1 << 20):
        skipped += len(part)
        if part.endswith(b"\n"):
            break
    return skipped


def _too_long(raw: bytes, path: str, number: int, expected: str) -> BadLine:
    error = BadInput(
        path,
        f"a line longer than {LINE_LIMIT // 2**20} MiB",
        expected,
        "It may be one big JSON document: a list at the top level can be read, anything else needs one record a line. "
        f"Convert chat files with {conversion(path, 'openai')} (or sharegpt).",
        line=number,
    )
    return BadLine(error, raw[:1000].decode("utf-8", "replace") + " ...")


def _not_utf8(raw: bytes, path: str, number: int, offset: int, start: int) -> BadLine:
    error = BadInput(
        path,
        f"byte 0x{raw[start]:02x} at offset {offset + start}, which is not UTF-8",
        "UTF-8 text",
        encoding_advice(_around(raw, path), path),
        line=number,
    )
    return BadLine(error, raw.decode("utf-8", "backslashreplace").rstrip("\r\n"))


def encoding_advice(raw: bytes, path: str) -> str:
    """Advice on text that is not UTF-8: the encoding that it looks like, and the command that converts it."""
    likely = likely_encoding(raw)
    told = f"It looks like {likely}. " if likely else ""
    return f"{told}Save it as UTF-8, or convert it: {_iconv(path, likely or 'ENCODING')}."


def _around(raw: bytes, path: str) -> bytes:
    """More of the file than the line that is at fault, which may be too short to tell its encoding."""
    try:
        with open(path, "rb") as file:
            head = b"".join(file.readlines(1 << 14))
    except (OSError, ValueError):  # standard input
        return raw
    return head if raw in head else raw


def _iconv(path: str, encoding: str) -> str:
    """The command that writes the file again in UTF-8, beside it."""
    if path == "<stdin>":
        return f"iconv -f {encoding} -t UTF-8 | dialeval ..."
    from shlex import quote

    beside = Path(path).with_name(f"utf8-{Path(path).name}")
    return f"iconv -f {encoding} -t UTF-8 {quote(path)} > {quote(str(beside))}"


Native: TypeAlias = Literal["jsonl", "csv", "tsv", "xlsx", "parquet"]

_SUFFIXES: Final[Mapping[str, Native]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".xlsx": "xlsx",
    ".parquet": "parquet",
}


def native_format(source: Source, *, writing: bool = False) -> Native:
    """The format a file's name gives away; JSON Lines for standard input and other pipes."""
    path = file_of(source)
    if is_stdin(source) or path.is_fifo() or path.is_char_device():
        return "jsonl"
    suffixes = [suffix.lower() for suffix in path.suffixes]
    zipped = suffixes[-1:] == [".gz"]
    ending = suffixes[-2:-1] if zipped else suffixes[-1:]
    if ending == [".xlsx"] and writing:
        todo = "Write .csv, which spreadsheets open."
        raise BadInput(shown(source), "a workbook to write", "a format that we write", todo)
    if ending == [".parquet"] and zipped:
        todo = "Unzip it, or write it without .gz: Parquet is compressed inside."
        raise BadInput(shown(source), "gzipped Parquet", "a name that ends in .parquet", todo)
    if not ending or ending[0] not in _SUFFIXES:
        raise BadInput(
            shown(source),
            f"a name that ends in {path.suffix!r}" if path.suffix else "a name without an ending",
            f"one of {', '.join(_SUFFIXES)} (or with .gz)",
            "Give it one of these endings." if writing else _other_format(source),
        )
    return _SUFFIXES[ending[0]]


def _other_format(source: Source) -> str:
    command = conversion(shown(source))
    return f"Rename the file, or convert it with {command} ('dialeval data ls' lists the formats)."


FREE: Final = 256 * 1024 * 1024
RATIO: Final = 200.0
_ratio: ContextVar[float] = ContextVar("unpack_ratio", default=RATIO)


def allow_ratio(ratio: float) -> None:
    """Let files unpack to this many times their size from here on, as ``dialeval --unpack-ratio`` does."""
    _ratio.set(ratio)


@contextmanager
def allowed_ratio(ratio: float) -> Iterator[None]:
    """Let files unpack to this many times their size within the block."""
    token = _ratio.set(ratio)
    try:
        yield
    finally:
        _ratio.reset(token)


def check_unpacked(path: str, packed: int, unpacked: int) -> None:
    """Raise BadInput if ``unpacked`` bytes are more than a file of ``packed`` bytes may hold."""
    ratio = _ratio.get()
    if unpacked <= _allowed(packed):
        return
    found = f"{packed:,} packed bytes that unpack to {unpacked:,} or more"
    expected = f"at most {ratio:g} times as many (or {FREE // 2**20} MiB)"
    todo = "If you trust the file, unpack it yourself, or raise the limit: 'dialeval --unpack-ratio 1000 COMMAND ...'."
    raise BadInput(path, found, expected, todo)


def _allowed(packed: int) -> float:
    return max(FREE, _ratio.get() * packed)


class PackedStream:
    """The packed bytes of a stream, counted as they are read."""

    def __init__(self, handle: BinaryIO) -> None:
        self.count = 0
        self._handle = handle

    def read(self, size: int = -1) -> bytes:
        """The next bytes, at most this many."""
        raw = self._handle.read(size)
        self.count += len(raw)
        return raw


class UnpackedStream(io.RawIOBase):
    """The unpacked bytes of a stream; BadInput if there are far more of them than packed ones."""

    def __init__(self, handle: io.BufferedIOBase, packed: PackedStream, path: str) -> None:
        self._handle, self._packed, self._path = handle, packed, path
        self._count = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes, into a buffer."""
        count = self._handle.readinto(buffer)
        self._count += count
        check_unpacked(self._path, self._packed.count, self._count)
        return count


def check_archive(file: Path, path: str) -> None:
    """Refuse a zip archive whose directory promises too much; ``zipfile`` never unpacks more than that."""
    import zipfile

    with zipfile.ZipFile(file) as archive:
        promised = sum(entry.file_size for entry in archive.infolist())
    check_unpacked(path, file.stat().st_size, promised)


class DecodedBatches:
    """The batches of a Parquet file, counted as they are decoded."""

    def __init__(self, file: Path, path: str) -> None:
        self._packed, self._path = file.stat().st_size, path
        self._count = 0

    def check_groups(self, metadata: pa.FileMetaData) -> None:
        """Refuse a file whose row groups unpack to too much, before any of them is read."""
        for group in range(metadata.num_row_groups):
            chunk = metadata.row_group(group)
            check_unpacked(self._path, self._packed, chunk.total_byte_size)
            for column in range(chunk.num_columns):  # of lists, all that is in them
                check_unpacked(self._path, self._packed, _BYTES * chunk.column(column).num_values)

    def rows_at_once(self, metadata: pa.FileMetaData, most: int) -> int:
        """Return the rows to decode before they are counted: a quarter of the limit, were each as large as its group.

        A dictionary holds a value once that may stand in every row.
        """
        groups = (metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
        largest = max(groups, default=0)
        return max(1, min(most, int(_allowed(self._packed) / 4 / max(1, largest))))

    def add(self, batch: pa.RecordBatch) -> None:
        """Count a batch: dictionaries and runs unpack after decompression."""
        size = _size(batch)
        self._count += size
        check_unpacked(self._path, self._packed, self._count)
        for row in range(batch.num_rows if size > LINE_LIMIT else 0):
            if _size(batch.slice(row, 1)) > LINE_LIMIT:
                found, expected = f"a row of more than {LINE_LIMIT // 2**20} MiB", "rows of single records"
                raise BadInput(self._path, found, expected, "Split what it holds over several rows.")


_BYTES: Final = 8
"""Of a value in a list, at least: a null or a small number takes that much in Python."""


def _size(batch: pa.RecordBatch) -> int:
    """Bytes of a batch, with those that its lists take beyond their values."""
    return int(batch.nbytes) + _BYTES * sum(map(_listed, batch.columns))


def _listed(array: pa.Array) -> int:
    """Return the number of values in lists of the array, and in lists of these."""
    import pyarrow as pa

    if pa.types.is_struct(array.type):
        return sum(map(_listed, array.flatten()))
    if not pa.types.is_nested(array.type) or pa.types.is_union(array.type):
        return 0
    inside = array.flatten() if not pa.types.is_map(array.type) else array.items
    return len(inside) + _listed(inside)
