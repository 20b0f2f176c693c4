"""Bodies of a server's answers, read and unpacked up to a limit, and decoded to text."""

from __future__ import annotations

import codecs
import json
import zlib
from collections.abc import AsyncIterator, Mapping
from email.message import Message
from typing import Final, NamedTuple, Protocol

LARGEST: Final = 8 * 2**20
"""Bytes of an answer, unpacked; more are not read."""
ENCODINGS: Final = "gzip, deflate"
"""Those that are unpacked here, as others cannot be stopped in the middle."""
_GZIP_OR_ZLIB: Final = 47
_BARE: Final = -15


class Answered(Protocol):
    """The head of an answer, and the bytes of its body as they come."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The head's fields."""

    def aiter_raw(self) -> AsyncIterator[bytes]:
        """The body, as it was sent."""


class Body(NamedTuple):
    """What could be read of a body."""

    content: bytes
    fault: str | None = None
    """Why it is not the whole body; None if it is."""


async def read_body(response: Answered) -> Body:
    """The body, unpacked; at most `LARGEST` bytes of it, however long or packed it is."""
    packing = response.headers.get("content-encoding", "").strip().lower()
    if packing not in ("", "identity", "gzip", "x-gzip", "deflate"):
        return Body(b"", f"an answer packed as {packing[:40]!r}, which was not asked for")
    content, unpacker = bytearray(), None if packing in ("", "identity") else _Unpacker()
    async for part in response.aiter_raw():
        room = LARGEST + 1 - len(content)
        try:
            content += part[:room] if unpacker is None else unpacker.unpack(part, room)
        except zlib.error:
            return Body(bytes(content), f"an answer that is not what its head says, {packing}")
        if len(content) > LARGEST:
            return Body(bytes(content[:LARGEST]), f"an answer of more than {LARGEST // 2**20} MiB, unpacked")
    return Body(bytes(content))


class _Unpacker:
    """Unpacks gzip and deflate, never more than there is room for."""

    def __init__(self) -> None:
        self._unpacking = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._begun = False

    def unpack(self, part: bytes, room: int) -> bytes:
        """The next bytes; of several packed files in a row, all."""
        unpacked = bytearray()
        while part and len(unpacked) < room:
            if self._unpacking.eof:
                self._unpacking = zlib.decompressobj(_GZIP_OR_ZLIB)
            try:
                unpacked += self._unpacking.decompress(part, room - len(unpacked))
            except zlib.error:
                if self._begun:
                    raise
                # Some servers send deflate without its head.
                self._unpacking = zlib.decompressobj(_BARE)
                unpacked += self._unpacking.decompress(part, room - len(unpacked))
            self._begun = True
            part = self._unpacking.unused_data if self._unpacking.eof else b""
        return bytes(unpacked)


def text_of(content: bytes, content_type: str) -> str | None:
    """The text of a JSON body: UTF-8, 16 or 32, or what the server says it is; None if it is none of these."""
    try:
        return content.decode(json.detect_encoding(content))
    except UnicodeDecodeError:
        pass
    head = Message()
    head["content-type"] = content_type.encode("ascii", "replace").decode()
    try:
        named = codecs.lookup(str(head.get_param("charset") or ""))
        # Others are not encodings of text, as base64 and rot13, or run for ever.
        text, _ = named.decode(content, "strict") if named.name in _CHARSETS else (None, 0)
        return text
    except (LookupError, ValueError):
        return None


_CHARSETS: Final = frozenset(
    codecs.lookup(name).name
    for name in (
        "latin-1",
        "cp1252",
        "iso8859-15",
        "cp1251",
        "koi8-r",
        "shift_jis",
        "euc-jp",
        "euc-kr",
        "gb18030",
        "big5",
    )
)
