"""A proxy that stands before a server and spoils chosen requests: what networks and busy servers do, on order."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Reply:
    """Answer this instead of asking the server."""

    status: int
    body: str = "{}"
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Drop:
    """Close the connection without a word."""


@dataclass(frozen=True)
class Truncate:
    """Pass on half of the answer's JSON, as if that were all."""


@dataclass(frozen=True)
class BreakOff:
    """Promise the whole answer, pass on half, and close the connection."""


@dataclass(frozen=True)
class Drip:
    """Pass the answer on byte by byte, so many seconds apart."""

    pause: float
    bytes_at_once: int = 1


Fault = Reply | Drop | Truncate | BreakOff | Drip | None
"""None lets the request pass."""


@dataclass
class FaultyProxy:
    """Spoils the requests in the order of its script; those after its end pass."""

    upstream: str
    script: list[Fault] = field(default_factory=list)
    bodies: list[dict[str, object]] = field(default_factory=list)
    """What each request that reached the proxy asked."""
    forwarded: int = 0
    """Requests that were passed on to the server."""
    busy: int = 0
    most_busy: int = 0
    """The most requests that were under way at once."""
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def received(self) -> int:
        return len(self.bodies)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.busy += 1
        self.most_busy = max(self.most_busy, self.busy)
        try:
            head, body = await _message(reader)
            fault = self.script.pop(0) if self.script else None
            self.bodies.append(json.loads(body))
            await self._answer(fault, head, body, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.busy -= 1
            writer.close()

    async def _answer(self, fault: Fault, head: bytes, body: bytes, writer: asyncio.StreamWriter) -> None:
        if isinstance(fault, Drop):
            return
        if isinstance(fault, Reply):
            await _write(writer, fault.status, fault.body.encode(), fault.headers)
            return
        status, content = await self._forward(head, body)
        if isinstance(fault, Truncate):
            await _write(writer, status, content[: len(content) // 2])
        elif isinstance(fault, BreakOff):
            await _write(writer, status, content[: len(content) // 2], length=len(content))
        elif isinstance(fault, Drip):
            await _write(writer, status, b"", length=len(content))
            for start in range(0, len(content), fault.bytes_at_once):
                writer.write(content[start : start + fault.bytes_at_once])
                await writer.drain()
                await asyncio.sleep(fault.pause)
        else:
            await _write(writer, status, content)

    async def _forward(self, head: bytes, body: bytes) -> tuple[int, bytes]:
        self.forwarded += 1
        address = urlsplit(self.upstream)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        lines = [line for line in head.split(b"\r\n") if line and not line.lower().startswith(b"connection:")]
        writer.write(b"\r\n".join([*lines, b"Connection: close", b"", b""]) + body)
        answer, content = await _message(reader)
        writer.close()
        return int(answer.split(b" ", 2)[1]), content


async def _message(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """Head and body of a request or an answer."""
    head = await reader.readuntil(b"\r\n\r\n")
    fields = [line.lower().split(b":", 1) for line in head.split(b"\r\n") if b":" in line]
    length = {name.strip(): value.strip() for name, value in fields}.get(b"content-length")
    return head, await (reader.readexactly(int(length)) if length is not None else reader.read())


async def _write(
    writer: asyncio.StreamWriter,
    status: int,
    content: bytes,
    headers: Sequence[tuple[str, str]] = (),
    *,
    length: int | None = None,
) -> None:
    size = len(content) if length is None else length
    fields = [
        ("Content-Type", "application/json"),
        ("Content-Length", str(size)),
        ("Connection", "close"),
        *headers,
    ]
    head = "".join(f"{name}: {value}\r\n" for name, value in fields)
    writer.write(f"HTTP/1.1 {status} Spoiled\r\n{head}\r\n".encode() + content)
    await writer.drain()


@contextmanager
def faulty_proxy(upstream: str, *script: Fault) -> Iterator[FaultyProxy]:
    """A proxy before ``upstream`` on a free loopback port, running in a thread of its own."""
    proxy = FaultyProxy(upstream, list(script))
    ready = threading.Event()
    stop: list[Callable[[], object]] = []

    async def serve() -> None:
        over = asyncio.Event()
        loop = asyncio.get_running_loop()
        stop.append(lambda: loop.call_soon_threadsafe(over.set))
        server = await asyncio.start_server(proxy.handle, "127.0.0.1", 0)
        proxy.port = server.sockets[0].getsockname()[1]
        ready.set()
        await over.wait()
        server.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(10)
    try:
        yield proxy
    finally:
        stop[0]()
        thread.join()
