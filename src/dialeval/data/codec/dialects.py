"""Dialects of exported files: text encodings, separators of tables, decimal commas; told once for each file."""

from __future__ import annotations

import codecs
import io
import logging
import math
import os
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final, NamedTuple, cast

_LOG: Final = logging.getLogger("dialeval.data")
_told: set[tuple[str, str]] = set()
"""Files, by their absolute paths, and what was said of each."""


def tell(path: str, what: str) -> None:
    """Log how a file is read if that is not the usual way: once for each file and way."""
    if not is_told(path, what):
        note_told(path, what)
        _LOG.info("%s: %s", path, what)  # apart, so that who prints them can say the same once


def is_told(path: str, what: str) -> bool:
    """Whether this was said of the file since ``forget_told``."""
    return (os.path.abspath(path), what) in _told


def note_told(path: str, what: str) -> None:
    """Remember that this was said of the file, if by other words."""
    _told.add((os.path.abspath(path), what))


def forget_told() -> None:
    """Forget what was said: a new command says it again, whatever its process read before."""
    _told.clear()


_MARKS: Final[Mapping[bytes, str]] = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Byte-order marks of encodings that are not UTF-8; the longer ones first, since one begins like another."""


def wide_encoding(head: bytes) -> str | None:
    """The encoding of text whose characters take two or four bytes, by its mark or its zero bytes; else None."""
    marked = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    if marked or len(head) < 4:
        return marked
    sample = head[: len(head) // 2 * 2][:512]
    zeros = sample[::2].count(0), sample[1::2].count(0)
    if 0 in zeros and max(zeros) > 0.4 * len(sample) / 2:
        return "utf-16-le" if zeros[1] else "utf-16-be"
    return None


def as_utf8(handle: io.BufferedReader, path: str) -> io.BufferedReader:
    """Return the same text as UTF-8 with line feeds, whatever its Unicode encoding; itself if it is already so."""
    head = handle.peek(1 << 16)
    encoding = wide_encoding(head)
    # Spreadsheets on old Macs end lines with carriage returns alone.
    returns = encoding is None and b"\r" in head[:-1].removesuffix(b"\r") and b"\n" not in head
    if encoding is None and not returns:
        return handle
    tell(path, f"read as {encoding.upper()}" if encoding else "read with carriage returns as line ends")
    recoded = _Utf8Stream(handle, encoding or "utf-8", returns=returns)
    return cast(io.BufferedReader, io.BufferedReader(recoded, 1 << 16))


def _marked(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "\udcff", error.end


# What cannot be decoded becomes the byte 0xFF, which no UTF-8 text holds, so that its line is refused where it stands.
codecs.register_error("dialeval.marked", _marked)


class _Utf8Stream(io.RawIOBase):
    """Bytes of another encoding as UTF-8."""

    def __init__(self, handle: io.BufferedReader, encoding: str, *, returns: bool) -> None:
        self._handle, self._returns = handle, returns
        errors = "surrogateescape" if encoding == "utf-8" else "dialeval.marked"
        self._decoder = codecs.getincrementaldecoder(encoding)(errors)
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer)).cast("B")
        while not self._left:
            raw = self._handle.read1(1 << 15)
            text = self._decoder.decode(raw, final=not raw)
            if self._returns:
                text = text.replace("\r", "\n")
            self._left = text.encode("utf-8", "surrogateescape")
            if not raw:
                break
        count = min(len(view), len(self._left))
        view[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


WINDOWS: Final = "cp1252"
_FOREIGN: Final = re.compile(r"[^\W\d_a-zA-Z]{3,}|[a-z\u00df-\u00ff][ŠŒŽŸÀ-Þ]|[\x80-\x9fÿ]")
"""Signs of text that is read as Windows-1252 but is not: runs of accented letters, capitals inside a word, ``ÿ``."""


def is_windows(raw: bytes) -> bool:
    """Whether bytes that are not UTF-8 read like a Western European language in Windows-1252."""
    try:
        text = raw.decode(WINDOWS)
    except UnicodeDecodeError:
        return False
    # Most of these are signs in Windows-1252, and no letters.
    if _resembles(raw, "SHIFT_JIS") or _resembles(raw, "EUC-JP") or _ideographs(raw):
        return False
    foreign = sum(len(match) for match in _FOREIGN.findall(text))
    return foreign <= 0.05 * sum(character > "\x7f" for character in text)


_LEGACY: Final[Mapping[str, tuple[str, str, float]]] = {
    "SHIFT_JIS": ("cp932", r"[\u3041-\u30fe]", 0.2),
    "EUC-JP": ("euc_jp", r"[\u3041-\u30fe]", 0.2),
    "EUC-KR": ("euc_kr", r"[\uac00-\ud7a3]", 0.6),
    "WINDOWS-1251": ("cp1251", r"[\u0430-\u044f]", 0.6),
    "KOI8-R": ("koi8_r", r"[\u0430-\u044f]", 0.6),
}
"""Encodings as iconv calls them: Python's name, and characters that make up at least this share of such a text."""
_IDEOGRAPHS: Final[Mapping[str, tuple[str, str, range]]] = {
    "GB18030": ("gb18030", "gb2312", range(0xB0, 0xD8)),
    "BIG5": ("cp950", "big5", range(0xA4, 0xC7)),
    "SHIFT_JIS": ("cp932", "shift_jis", range(0x88, 0x98)),
}
"""Encodings of Chinese, and of Japanese without kana: Python's name, the core of it, and the first bytes of its most
common characters."""
_COMMON: Final = 0.8
"""The share of characters that are most common ones in Chinese or Japanese."""
_FEWEST: Final = 3
"""Below so many of them, a text may be of any language."""


def likely_encoding(raw: bytes) -> str | None:
    """The encoding, as iconv calls it, of bytes that are not UTF-8; None if they resemble no encoding we know."""
    if is_windows(raw):
        return "WINDOWS-1252"
    for name in _LEGACY:
        if _resembles(raw, name):
            return name
    return _ideographs(raw)


def _ideographs(raw: bytes) -> str | None:
    """The encoding under which most of the text is common ideographs."""
    for name, (codec, core, firsts) in _IDEOGRAPHS.items():
        text = _decoded(raw, codec)
        common = [letter for letter in text if letter.encode(core, "replace")[0] in firsts]
        if len(common) >= max(_FEWEST, _COMMON * sum(letter.isalpha() for letter in text)):
            return name
    return None


def _resembles(raw: bytes, name: str) -> bool:
    codec, usual, share = _LEGACY[name]
    text = _decoded(raw, codec)
    return bool(text) and len(re.findall(usual, text)) >= share * len(text)


def _decoded(raw: bytes, codec: str) -> str:
    """The text beyond ASCII; nothing if the bytes are no text in this encoding."""
    try:
        return "".join(letter for letter in raw.decode(codec) if letter > "\x7f")
    except UnicodeDecodeError:
        return ""


_NAMES: Final[Mapping[str, str]] = {
    ",": "commas",
    ";": "semicolons",
    "\t": "tabs",
    "|": "vertical bars",
}


class Separator(NamedTuple):
    """Separator of the cells of a table."""

    mark: str
    declared: bool = False
    """Whether the first line is ``sep=;``, as spreadsheets write it, and no header."""

    def tell(self, path: str, usual: str) -> None:
        """Log the separator if it is not the one that the file's ending promises."""
        if self.mark != usual:
            tell(path, f"read with {_NAMES.get(self.mark, repr(self.mark))} between the cells")


def separator_of(header: str, usual: str, known: Collection[str]) -> Separator:
    """The separator under which the header has the most columns of ``known`` names, then the most columns."""
    line = header.rstrip("\r\n")
    if line[:4].lower() == "sep=" and len(line) == 5:
        return Separator(line[4], declared=True)

    import csv

    def columns(mark: str) -> tuple[int, int]:
        try:
            cells = next(csv.reader(header.splitlines(keepends=True), delimiter=mark, strict=True), [])
        except csv.Error:
            return (0, 0)
        return (sum(cell.strip().lower() in known for cell in cells), len(cells))

    marks = [usual, *(mark for mark in _NAMES if mark != usual)]
    return Separator(max(marks, key=columns))


def header_lines(lines: Iterator[str]) -> list[str]:
    """The lines of a table's first row: more than one if a quoted name holds a line break."""
    taken: list[str] = []
    for line in lines:
        taken.append(line)
        if "".join(taken).strip() and "".join(taken).count('"') % 2 == 0:
            break
        if len(taken) > 50:
            break
    return taken


_DECIMAL_COMMA: Final = re.compile(r"[-+]?(\d{1,3}(\.\d{3})+|\d+),\d+")
_THOUSANDS: Final = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")


def number_in(cell: str, separator: str = ",") -> float:
    """The number a cell holds, with a decimal point or a decimal comma; NaN if it holds none.

    ``1,234`` is a decimal number if commas do not separate the cells; if they do, it may as well mean 1234, so
    it is none.
    """
    written = cell.strip()
    if _DECIMAL_COMMA.fullmatch(written) and not (separator == "," and _THOUSANDS.fullmatch(written)):
        written = written.replace(".", "").replace(",", ".")
    try:
        return float(written)
    except ValueError:
        return math.nan
