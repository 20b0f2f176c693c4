"""Connections to the rating server: how many there may be, and how long a request may take to arrive.

uvicorn waits for ever for the rest of a request, and asyncio accepts connections until the process may open no more
files, then says so thousands of times a second. Here, a connection that does not send a whole request in time is
closed, and when there are too many, altogether or from one address, the one that has waited longest for a request
gives way to the new one. A connection whose request is being answered is never closed.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

ACCEPTED_AT_ONCE: Final = 128
"""Connections that are accepted before any of them is looked at, and that wait in the kernel's queue."""
_LOGGERS: Final = ("uvicorn.error", "asyncio", "dialeval.annotation", "python_multipart.multipart")
"""Loggers that clients can make write."""
_VARYING: Final = re.compile(r"\d+|'.*?'|\".*?\"")


class Limits(NamedTuple):
    """Bounds on connections."""

    connections: int
    """In all; half of the files that the process may open, since the store and systems need some, too."""
    per_address: int
    """From one address; half of all, so that one address cannot keep the others out."""
    head_seconds: float = 15.0
    """For the head of a request, from the opening of the connection or the first byte after another request."""
    body_seconds: float = 60.0
    """For its body, which is 1 MB at most."""

    @classmethod
    def of_process(cls) -> Limits:
        """Limits for the files that this process may open."""
        most = max(8, min(4096, (_open_files() - ACCEPTED_AT_ONCE) // 2))
        return cls(most, max(4, most // 2))


def _open_files() -> int:
    try:
        import resource
    except ImportError:  # not on Windows, which has no such limit
        return 4096
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 4096 if soft == resource.RLIM_INFINITY else soft


class Gate:
    """Connections of one server, those that wait for a request in the order in which they began to."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._count: Counter[str] = Counter()
        self._waiting: dict[GuardedProtocol, None] = {}
        self.most = 0
        """The largest number of connections at any time."""

    def admit(self, one: GuardedProtocol) -> bool:
        """Count a new connection, closing one that waits if there are too many; False if it cannot be admitted."""
        crowded = self._count[one.address] >= self.limits.per_address
        if crowded and not self._close_one(one.address):
            return False
        if self._count.total() >= self.limits.connections and not self._close_one(None):
            return False
        self._count[one.address] += 1
        self._waiting[one] = None
        self.most = max(self.most, self._count.total())
        return True

    def busy(self, one: GuardedProtocol) -> None:
        """Keep a connection whose request has arrived."""
        self._waiting.pop(one, None)

    def waits(self, one: GuardedProtocol) -> None:
        """Let a connection whose request was answered give way to others."""
        self._waiting.setdefault(one, None)

    def forget(self, one: GuardedProtocol) -> None:
        """Stop counting a connection that was closed."""
        self._waiting.pop(one, None)
        self._count[one.address] -= 1
        if self._count[one.address] <= 0:
            del self._count[one.address]

    def _close_one(self, address: str | None) -> bool:
        """Close the connection that has waited longest, of an address or of all; False if all are being answered."""
        for one in self._waiting:
            if address is None or one.address == address:
                one.give_way()
                return True
        return False


class GuardedProtocol(H11Protocol):
    """HTTP on one connection, within the limits of a gate."""

    gate: Gate
    address: str = ""
    _counted: bool = False
    _timer: asyncio.TimerHandle | None = None
    _in_body: bool = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Admit the connection, or close it."""
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if isinstance(peer, tuple) else ""
        self._counted = self.gate.admit(self)
        super().connection_made(transport)
        if self._counted:
            self._arm(self.gate.limits.head_seconds)
        else:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take part of a request; only time that it takes as a whole counts, so that single bytes win none."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the rest of one that was answered early."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._disarm()
        if self._counted:
            self._counted = False
            self.gate.forget(self)
        super().connection_lost(exc)

    def give_way(self) -> None:
        """Close a connection that waits, at once."""
        self._disarm()
        if self._counted:
            self._counted = False
            self.gate.forget(self)
        self.transport.abort()

    def _watch(self) -> None:
        """Set the time that is left for what the connection waits for."""
        if not self._counted or self.transport.is_closing():
            return
        state = self.conn.their_state
        answered = self.cycle is None or self.cycle.response_complete
        if state is h11.SEND_BODY:
            if not self._in_body:
                self._in_body = True
                self._arm(self.gate.limits.body_seconds)
        else:
            self._in_body = False
            if state is not h11.IDLE or (answered and self.timeout_keep_alive_task is not None):
                self._disarm()  # uvicorn closes what stays idle between requests
            elif self._timer is None:
                self._arm(self.gate.limits.head_seconds)
        if state is h11.IDLE or self._in_body:
            self.gate.waits(self)
        else:
            self.gate.busy(self)

    def _arm(self, seconds: float) -> None:
        self._disarm()
        self._timer = self.loop.call_later(seconds, self.give_way)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def guarded_protocol(gate: Gate) -> type[GuardedProtocol]:
    """Protocol class of a server whose connections pass a gate."""
    return type("GatedProtocol", (GuardedProtocol,), {"gate": gate})


class Sparing(logging.Filter):
    """Passes a few records of each kind in a while, and says with the next one how many it held back."""

    def __init__(
        self, times: int = 5, seconds: float = 60.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._times, self._seconds, self._clock = times, seconds, clock
        self._kinds: dict[tuple[str, object], tuple[float, int, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written."""
        # Of what others log, the first line without numbers and quotations is the kind: the rest differs each time.
        kind = (record.name, _VARYING.sub("", str(record.msg).partition("\n")[0])[:100])
        now = self._clock()
        began, passed, held = self._kinds.get(kind, (now, 0, 0))
        if now - began >= self._seconds:
            began, passed = now, 0
        if passed >= self._times:
            self._kinds[kind] = (began, passed, held + 1)
            return False
        if held:
            record.msg = f"{record.getMessage()} ({held:,} more like it since)"
            record.args = ()
        self._kinds[kind] = (began, passed + 1, 0)
        return True


@contextmanager
def sparing_logs() -> Iterator[None]:
    """Keep what a server logs from filling the disk, however often clients provoke it."""
    spare: Any = Sparing()
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addFilter(spare)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(spare)
