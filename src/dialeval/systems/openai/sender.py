"""Requests over HTTP, retried if the server is busy, broken or slow; bodies of answers, unpacked up to a limit."""

from __future__ import annotations

import asyncio
import codecs
import json
import random
import ssl
import time
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Generic, Literal, NamedTuple, Protocol, TypeVar

from dialeval.errors import ResourceUnavailable, RunFailed, install_advice
from dialeval.systems.openai.answers import (
    GivenUp,
    Malformed,
    Unusable,
    error_in,
    refusal,
    said,
    spent_on,
    worth_retrying,
)
from dialeval.systems.openai.keys import Key, hidden_in_logs
from dialeval.systems.spending import OUTAGE, Meter, Spent

try:
    import httpx2
except ImportError:
    raise ResourceUnavailable(
        f"Systems of the kind 'openai' need the package httpx2. Run: {install_advice('api')}"
    ) from None

LARGEST: Final = 8 * 2**20
"""Bytes of an answer, unpacked; more are not read."""
ENCODINGS: Final = "gzip, deflate"
"""Those that are unpacked here, as others cannot be stopped in the middle."""
_GZIP_OR_ZLIB: Final = 47
_BARE: Final = -15


class RawAnswer(Protocol):
    """The head of an answer, and the bytes of its body as they come."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The head's fields."""

    def aiter_raw(self) -> AsyncIterator[bytes]:
        """The body, as it was sent."""


class Body(NamedTuple):
    """Readable part of a body."""

    content: bytes
    fault: str | None = None
    """Reason why it is not the whole body; None if it is."""


async def read_body(response: RawAnswer, largest: int = LARGEST) -> Body:
    """The body, unpacked; at most so many bytes of it, however long or packed it is."""
    packing = response.headers.get("content-encoding", "").strip().lower()
    if packing not in ("", "identity", "gzip", "x-gzip", "deflate"):
        return Body(b"", f"an answer packed as {packing[:40]!r}, which was not asked for")
    content, unpacker = bytearray(), None if packing in ("", "identity") else _Unpacker()
    async for part in response.aiter_raw():
        room = largest + 1 - len(content)
        try:
            content += part[:room] if unpacker is None else unpacker.unpack(part, room)
        except zlib.error:
            return Body(bytes(content), f"an answer that is not what its head says, {packing}")
        if len(content) > largest:
            return Body(bytes(content[:largest]), f"an answer of more than {largest // 2**20} MiB, unpacked")
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


T = TypeVar("T")

_CONNECTING: Final = 10.0
LONGEST: Final = 300.0
"""Seconds; a server that asks for more is not waited for."""
_CEILING: Final = 30.0
_BUSY: Final = frozenset({429, 503})


@dataclass(frozen=True, slots=True)
class Connection:
    """Address of a server, and the patience with which it is asked; nothing in it moves an answer but the address."""

    base_url: str
    api_key_env: str | None
    concurrency: int
    retries: int
    timeout: float
    backoff: float


@dataclass(frozen=True, slots=True)
class _Fault:
    """Something that went wrong and may go well the next time."""

    what: str
    wait: float | None = None
    """Seconds that the server asked for."""
    unreachable: bool = False
    busy: bool = False
    """Whether the server speaks of itself, so that it concerns all requests."""
    of_item: bool = False
    """Whether it concerns this answer only, so that others may be asked for though it does not go well.

    Where it is none of the three, what becomes of other requests shows whether it does.
    """


class Outgoing(NamedTuple):
    """A request as it is sent."""

    method: Literal["GET", "POST"]
    path: str
    """Under the server's address."""
    fields: Mapping[str, Any] = MappingProxyType({})
    """Its body, as the HTTP library takes it: ``json``, or ``data`` and ``files``."""
    parse: Callable[[str], object] = json.loads
    """From the text of an answer to what is read."""
    largest: int = LARGEST
    paid: bool = True
    """Whether it counts as a request, and its answer's tokens as spent."""


@dataclass(frozen=True, slots=True)
class RequestResult(Generic[T]):
    """Result of a request that was answered."""

    content: T
    tokens: Spent
    seconds: float
    """From the request to the whole answer."""


@asynccontextmanager
async def open_sender(connection: Connection, key: Key, meter: Meter) -> AsyncIterator[Sender]:
    """A sender, as long as the block lasts."""
    # The environment's proxies and .netrc passwords stay out: nothing below the command line reads it.
    async with httpx2.AsyncClient(
        headers={**key.headers, "Accept-Encoding": ENCODINGS},
        timeout=httpx2.Timeout(connection.timeout, connect=min(_CONNECTING, connection.timeout)),
        limits=httpx2.Limits(max_connections=connection.concurrency),
        verify=_certificates(),
        trust_env=False,
        follow_redirects=False,
    ) as client:
        with hidden_in_logs(key):
            yield Sender(client, connection, key, meter)


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    # Reading them takes longer than a quick answer, and each batch opens new connections.
    return httpx2.create_ssl_context(trust_env=False)


class Sender:
    """An open connection to a server."""

    def __init__(self, client: httpx2.AsyncClient, connection: Connection, key: Key, meter: Meter) -> None:
        self.connection = connection
        self.stopped = False
        """Once true, what is on its way is finished and nothing is sent any more."""
        self._client, self._key, self.meter = client, key, meter
        self._quiet_until = 0.0

    async def send(
        self, path: str, body: Mapping[str, object], read: Callable[[object], T]
    ) -> RequestResult[T]:
        """Return what ``read`` makes of the server's answer, after at most ``retries`` more attempts.

        RunFailed if there is none, GivenUp if that may concern this request alone, Refusal if the server will not give
        one.
        """
        return await self.exchange(Outgoing("POST", path, {"json": body}), read)

    async def exchange(self, request: Outgoing, read: Callable[[object], T]) -> RequestResult[T]:
        """The same of any request."""
        began, attempts = time.monotonic(), 0
        while True:
            await self._keep_quiet()
            if self.stopped and not attempts:
                raise RunFailed("Not sent, because another request failed for good.")
            if request.paid:
                self.meter.charge_request()
            result = await self._attempt(request, read)
            if isinstance(result, RequestResult):
                self.meter.note_answer()
                if request.paid:
                    self.meter.charge_tokens(result.tokens)
                return result
            attempts += 1
            wait = back_off(self.connection.backoff, attempts) if result.wait is None else result.wait
            if attempts > self.connection.retries and result.of_item:
                raise Unusable(result.what)
            if attempts > self.connection.retries or wait > LONGEST or self.stopped:
                raise self._given_up(result, attempts, began)
            if result.wait is None:
                await asyncio.sleep(wait)
            else:
                # One answer of this kind speaks for all requests.
                self._quiet_until = max(self._quiet_until, time.monotonic() + wait)

    async def _keep_quiet(self) -> None:
        while (wait := self._quiet_until - time.monotonic()) > 0:
            if self.stopped:
                raise RunFailed("Another request failed for good while this one waited.")
            await asyncio.sleep(wait)

    async def _attempt(self, request: Outgoing, read: Callable[[object], T]) -> RequestResult[T] | _Fault:
        url, began = f"{self.connection.base_url}/{request.path}", time.monotonic()
        try:
            # A server that sends a byte now and then never times out by itself; hence the limit on the whole.
            async with (
                asyncio.timeout(self.connection.timeout),
                self._client.stream(request.method, url, **request.fields) as response,
            ):
                content = await read_body(response, request.largest)
        except (TimeoutError, httpx2.TimeoutException):
            return _Fault(f"no whole answer within {self.connection.timeout:g} s")
        except httpx2.ConnectError as error:
            return _Fault(self._words(error), unreachable=True)
        except httpx2.TransportError as error:
            return _Fault(f"the connection broke off ({self._words(error)})")
        except (httpx2.InvalidURL, httpx2.RequestError) as error:
            raise RunFailed(f"{url} cannot be asked: {self._words(error)}") from None
        return self._read(request, response, content, read, time.monotonic() - began)

    def _read(
        self,
        request: Outgoing,
        response: httpx2.Response,
        body: Body,
        read: Callable[[object], T],
        seconds: float,
    ) -> RequestResult[T] | _Fault:
        status, shown = response.status_code, body.content.decode(errors="replace")
        if worth_retrying(status, shown):
            wait = retry_after(response.headers)
            busy = wait is not None or status in _BUSY
            return _Fault(f"HTTP {status}, {said(shown, self._key)}", wait, busy=busy)
        if status != 200:
            raise refusal(status, shown, self._key, self.connection.api_key_env)
        if body.fault is not None:
            raise Unusable(body.fault)
        text = text_of(body.content, response.headers.get("content-type", ""))
        if text is None:
            return _Fault("an answer that is not UTF-8", of_item=True)
        try:
            # Decoded first: JSON has many spellings of one text.
            content = self._key.hide_in_all(request.parse(text))
            wrong = error_in(content)
        except RecursionError:
            raise Unusable("an answer of JSON that is nested too deeply") from None
        except ValueError:
            return _Fault(f"an answer of {len(text)} characters that is not whole JSON")
        if wrong is not None:
            raise refusal(status, wrong, self._key, self.connection.api_key_env)
        try:
            return RequestResult(read(content), spent_on(content), seconds)
        except Malformed as error:
            return _Fault(f"an answer of an unknown shape ({self._words(error)})")

    def _words(self, error: Exception) -> str:
        return self._key.hide((str(error) or type(error).__name__).splitlines()[0])

    def _given_up(self, fault: _Fault, attempts: int, began: float) -> RunFailed:
        """The error of a request that is not tried again; GivenUp unless the server seems to answer none."""
        server, seconds = f"The server at {self.connection.base_url}", time.monotonic() - began
        tried = "once" if attempts == 1 else f"{attempts} times in {seconds:.1f} s"
        last = fault.what.rstrip(".")
        if fault.wait is not None and fault.wait > LONGEST:
            return RunFailed(
                f"{server} returned Retry-After: {fault.wait:.0f} s (limit {LONGEST:.0f} s): {fault.what} "
                "Run again later."
            )
        if fault.unreachable:
            return RunFailed(
                f"{server} cannot be reached, tried {tried}: {fault.what}. Start it, or correct 'base_url'."
            )
        todo = "Lower 'concurrency', or raise 'retries' or 'timeout'."
        alone = not fault.busy and not self.stopped
        if alone and self.meter.note_loss(began):
            return RunFailed(
                f"{server} answers no more: {OUTAGE} requests in a row were given up, each after its retries; the last "
                f"time: {last}. See whether it is up, and run again."
            )
        told = f"{server} gave no usable answer, tried {tried}; the last time: {last}. {todo}"
        times = "once" if attempts == 1 else f"{attempts} times"
        return GivenUp(told, f"{last} (tried {times})") if alone else RunFailed(told)


def back_off(first: float, attempt: int) -> float:
    """Seconds before attempt ``attempt`` + 1: twice as long each time, up to half a minute, and then a random share.

    At least half of it is waited, so that the server gets its rest; the random half keeps clients from coming back all
    at once.
    """
    longest = min(_CEILING, first * 2.0 ** min(attempt, 16))
    return longest * (0.5 + 0.5 * random.random())


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds the server asks to be left alone, given as a number or a date (RFC 9110, section 10.2.3).

    A date is counted from that of the answer, since the clock here may be wrong; from ``now`` if it has none. None
    if there is neither, as of negative numbers and NaN.
    """
    asked = headers.get("retry-after", "").strip()
    if not asked:
        return None
    try:
        seconds = float(asked)
    except ValueError:
        pass
    else:
        return seconds if seconds >= 0 else None
    moment = _date(asked)
    if moment is None:
        return None
    said_at = _date(headers.get("date", "")) or now or datetime.now(UTC)
    return max(0.0, (moment - said_at).total_seconds())


def _date(text: str) -> datetime | None:
    """The date of a header; None if it is not one."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):  # odd dates raise all of them
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
