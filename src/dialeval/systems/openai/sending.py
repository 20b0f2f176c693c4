"""Requests over HTTP, retried when the server is busy, broken or slow."""

from __future__ import annotations

import asyncio
import json
import random
import ssl
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Final, Generic, TypeVar

from dialeval.errors import ResourceUnavailable, RunFailed, install_advice
from dialeval.systems.openai.answers import Malformed, tokens_spent
from dialeval.systems.openai.bodies import ENCODINGS, Body, read_body, text_of
from dialeval.systems.openai.budget import Meter
from dialeval.systems.openai.keys import Key, hidden_in_logs
from dialeval.systems.openai.refusals import Unusable, error_in, refusal, said, worth_retrying

try:
    import httpx2
except ImportError:
    raise ResourceUnavailable(
        f"Systems of the kind 'openai' need the package httpx2. Run: {install_advice('api')}"
    ) from None

T = TypeVar("T")

_CONNECTING: Final = 10.0
LONGEST: Final = 300.0
"""Seconds; a server that asks for more is not waited for."""
_CEILING: Final = 30.0


@dataclass(frozen=True, slots=True)
class Connection:
    """Where a server is and how patiently it is asked; nothing in it moves an answer but the address."""

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
    of_item: bool = False
    """Whether it concerns this answer only, so that others may be asked for though it does not go well."""


@dataclass(frozen=True, slots=True)
class Sent(Generic[T]):
    """What came of a request that was answered."""

    content: T
    tokens: int | None
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

    async def send(self, path: str, body: Mapping[str, object], read: Callable[[object], T]) -> Sent[T]:
        """What ``read`` makes of the server's answer, after at most ``retries`` more attempts.

        RunFailed where there is none, Refusal where the server will not give one.
        """
        began, attempts = time.monotonic(), 0
        while True:
            await self._keep_quiet()
            if self.stopped and not attempts:
                raise RunFailed("Not sent, because another request failed for good.")
            self.meter.charge_request()
            result = await self._attempt(path, body, read)
            if isinstance(result, Sent):
                self.meter.charge_tokens(result.tokens)
                return result
            attempts += 1
            wait = back_off(self.connection.backoff, attempts) if result.wait is None else result.wait
            if attempts > self.connection.retries and result.of_item:
                raise Unusable(result.what)
            if attempts > self.connection.retries or wait > LONGEST or self.stopped:
                raise RunFailed(self._given_up(result, attempts, time.monotonic() - began))
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

    async def _attempt(
        self, path: str, body: Mapping[str, object], read: Callable[[object], T]
    ) -> Sent[T] | _Fault:
        url, began = f"{self.connection.base_url}/{path}", time.monotonic()
        try:
            # A server that sends a byte now and then never times out by itself; hence the limit on the whole.
            async with (
                asyncio.timeout(self.connection.timeout),
                self._client.stream("POST", url, json=body) as response,
            ):
                content = await read_body(response)
        except (TimeoutError, httpx2.TimeoutException):
            return _Fault(f"no whole answer within {self.connection.timeout:g} s")
        except httpx2.ConnectError as error:
            return _Fault(self._words(error), unreachable=True)
        except httpx2.TransportError as error:
            return _Fault(f"the connection broke off ({self._words(error)})")
        except (httpx2.InvalidURL, httpx2.RequestError) as error:
            raise RunFailed(f"{url} cannot be asked: {self._words(error)}") from None
        return self._read(response, content, read, time.monotonic() - began)

    def _read(
        self, response: httpx2.Response, body: Body, read: Callable[[object], T], seconds: float
    ) -> Sent[T] | _Fault:
        status, shown = response.status_code, body.content.decode(errors="replace")
        if worth_retrying(status, shown):
            return _Fault(f"HTTP {status}, {said(shown, self._key)}", wait=retry_after(response.headers))
        if status != 200:
            raise refusal(status, shown, self._key, self.connection.api_key_env)
        if body.fault is not None:
            raise Unusable(body.fault)
        text = text_of(body.content, response.headers.get("content-type", ""))
        if text is None:
            return _Fault("an answer that is not UTF-8", of_item=True)
        try:
            # Decoded first: JSON has many spellings of one text.
            content = self._key.hide_in_all(json.loads(text))
            wrong = error_in(content)
        except RecursionError:
            raise Unusable("an answer of JSON that is nested too deeply") from None
        except ValueError:
            return _Fault(f"an answer of {len(text)} characters that is not whole JSON")
        if wrong is not None:
            raise refusal(status, wrong, self._key, self.connection.api_key_env)
        try:
            return Sent(read(content), tokens_spent(content), seconds)
        except Malformed as error:
            return _Fault(f"an answer of an unknown shape ({self._words(error)})")

    def _words(self, error: Exception) -> str:
        return self._key.hide((str(error) or type(error).__name__).splitlines()[0])

    def _given_up(self, fault: _Fault, attempts: int, seconds: float) -> str:
        server = f"The server at {self.connection.base_url}"
        tried = "once" if attempts == 1 else f"{attempts} times in {seconds:.1f} s"
        if fault.wait is not None and fault.wait > LONGEST:
            return (
                f"{server} asks to be left alone for {fault.wait:.0f} s: {fault.what} Run again after that."
            )
        if fault.unreachable:
            return (
                f"{server} cannot be reached, tried {tried}: {fault.what}. Start it, or correct 'base_url'."
            )
        todo = "Ask less at a time ('concurrency'), or be more patient ('retries', 'timeout')."
        return (
            f"{server} gave no usable answer, tried {tried}; the last time: {fault.what.rstrip('.')}. {todo}"
        )


def back_off(first: float, attempt: int) -> float:
    """Seconds before attempt ``attempt`` + 1: twice as long each time, up to half a minute, and then a random share.

    At least half of it is waited, so that the server gets its rest; the random half keeps clients from coming back all
    at once.
    """
    longest = min(_CEILING, first * 2.0 ** min(attempt, 16))
    return longest * (0.5 + 0.5 * random.random())


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds the server asks to be left alone, given as a number or a date (RFC 9110, section 10.2.3).

    A date is counted from that of the answer, since the clock here may be wrong; from ``now`` where it has none. None
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
    """The date of a header; None where it is not one."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):  # odd dates raise all of them
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
