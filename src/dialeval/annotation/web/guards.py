"""Guards around every request: headers, limits on sizes and rates."""

from __future__ import annotations

import asyncio
import ipaddress
import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

MOST_BYTES: Final = 1_000_000
"""The largest request body."""
DRAINED_BYTES: Final = 4_000_000
DRAINED_SECONDS: Final = 5.0
"""A refused body is read so far, and so long, before its connection is closed."""
MOST_ADDRESSES: Final = 10_000


def policy(frame_ancestors: Sequence[str] = (), *, forms_to_mturk: bool = False) -> str:
    """The Content-Security-Policy: nothing from elsewhere, no inline script, no frame unless configured."""
    frames = " ".join(frame_ancestors) or "'none'"
    forms = "'self' https://www.mturk.com https://workersandbox.mturk.com" if forms_to_mturk else "'self'"
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        f"form-action {forms}; base-uri 'none'; frame-ancestors {frames}"
    )


class RateLimit:
    """At most ``times`` requests in ``seconds`` from one address, as a bucket that refills evenly."""

    def __init__(self, times: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._times, self._seconds, self._clock = times, seconds, clock
        self._buckets: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def allows(self, address: str, *, count: bool = True) -> bool:
        """Whether one more request from the address is allowed; it counts unless ``count`` is false."""
        now = self._clock()
        with self._lock:
            left, at = self._buckets.pop(address, (float(self._times), now))
            left = min(self._times, left + (now - at) * self._times / self._seconds)
            allowed = left >= 1
            self._buckets[address] = (left - 1 if allowed and count else left, now)
            if len(self._buckets) > MOST_ADDRESSES:  # the address seen longest ago goes
                del self._buckets[next(iter(self._buckets))]
        return allowed


class Guard:
    """ASGI middleware that refuses other hosts and large bodies, and sets the security headers of every response."""

    def __init__(
        self,
        app: Any,
        *,
        policy: str,
        frames: bool = False,
        most_bytes: int = MOST_BYTES,
        hosts: Collection[str] = (),
    ) -> None:
        self._app, self._most = app, most_bytes
        self._hosts = frozenset(host.lower().rstrip(".") for host in hosts) | {"localhost"}
        headers = {
            "content-security-policy": policy,
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "permissions-policy": "camera=(), geolocation=(), microphone=()",
        }
        if not frames:
            headers["x-frame-options"] = "DENY"
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if not self._is_ours(headers.get(b"host", b"").decode("latin-1")):
            await self._refuse(send, 421, b'{"code": "host"}')
            return
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self._most:
            if b"expect" not in headers:  # who waits for leave to send has sent nothing
                await _drain(receive)
            await self._refuse(send)
            return
        taken = 0
        started = False

        async def limited() -> Any:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._most:  # a body without a length, sent in chunks
                raise _TooLarge
            return message

        async def guarded(message: Any) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                present = {name for name, _ in message["headers"]}
                own = self._headers
                if b"cache-control" not in present:
                    own = [*own, (b"cache-control", b"no-store")]
                if b"referrer-policy" in present:
                    own = [header for header in own if header[0] != b"referrer-policy"]
                message = {**message, "headers": [*message["headers"], *own]}
            await send(message)

        try:
            await self._app(scope, limited, guarded)
        except _TooLarge:
            if not started:
                await _drain(receive)
                await self._refuse(send)

    def _is_ours(self, host: str) -> bool:
        """Whether a request is for this server: a page of a site that has its name lead here must not read ours.

        Addresses cannot be made to lead elsewhere, so all are allowed.
        """
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        name = name.strip("[]").lower().rstrip(".")
        if not name or name in self._hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    async def _refuse(self, send: Any, status: int = 413, body: bytes = b'{"code": "too_large"}') -> None:
        headers = [(b"content-type", b"application/json"), (b"connection", b"close"), *self._headers]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class _TooLarge(Exception):
    pass


async def _drain(receive: Any) -> None:
    """Read on in a refused body for a while.

    A connection that is closed with unread bytes is reset, and its client may never see why it was refused.
    """
    taken = 0
    try:
        async with asyncio.timeout(DRAINED_SECONDS):
            while taken < DRAINED_BYTES:
                message = await receive()
                taken += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return
    except TimeoutError:
        return
