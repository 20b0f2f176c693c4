"""Sources of bytes: a file or standard input, zipped or not, in lines of bounded length; formats by file name."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, Literal, NamedTuple, TypeAlias, cast

from dialeval.data.codec.bad import BadLine, OnBad
from dialeval.data.codec.dialects import WINDOWS, as_utf8, is_windows, likely_encoding, tell
from dialeval.data.codec.limits import Packed, Unpacked
from dialeval.errors import BadInput, close_names
from dialeval.files.digests import Stamp, stamp
from dialeval.files.folders import is_there, with_home

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


class Named(NamedTuple):
    """A source, and the format that stood before it."""

    source: Source
    format: str | None


_OWN_PREFIX: Final = re.compile(r"(.+\.py:[A-Za-z_]\w*):(.+)")
"""A custom reader before its file: ``logs.py:read:chats.log``."""
_PREFIX: Final = re.compile(r"(?:(.*)/)?([a-z][a-z0-9+-]+):([^:].*)")


def split_format(source: Source) -> Named:
    """``FORMAT:FILE`` as the file and its format, also behind a folder put before it; other sources as given."""
    from dialeval.data.formats import FORMATS

    if (own := _OWN_PREFIX.fullmatch(str(source))) is not None and not is_there(Path(source)):
        return Named(type(source)(own[2]), own[1])
    match = _PREFIX.fullmatch(str(source))
    if match is None or match[2] not in FORMATS or is_there(Path(source)):
        return Named(source, None)
    folder, name, rest = match.groups()
    if rest == "-":
        return Named("-", name)
    joined = Path(folder or ("/" if str(source).startswith("/") else "")) / with_home(rest)
    return Named(joined if isinstance(source, Path) else str(joined), name)


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
    named = "-" if path == "<stdin>" else path
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
    """The source's bytes, unzipped where they are gzipped, and as UTF-8 where they are UTF-16 or UTF-32.

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

    packed = Packed(handle)
    unpacked = Unpacked(gzip.GzipFile(fileobj=cast(BinaryIO, packed), mode="rb"), packed, path)
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
    likely = likely_encoding(raw)
    told = f"It looks like {likely}. " if likely else ""
    error = BadInput(
        path,
        f"byte 0x{raw[start]:02x} at offset {offset + start}, which is not UTF-8",
        "UTF-8 text",
        f"{told}Save it as UTF-8, or convert it: {_iconv(path, likely or 'ENCODING')}.",
        line=number,
    )
    return BadLine(error, raw.decode("utf-8", "backslashreplace").rstrip("\r\n"))


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
