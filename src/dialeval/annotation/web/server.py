"""Serving of an app by uvicorn: in the foreground, or in a thread for simulated raters."""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dialeval.errors import DialevalError, RunFailed, Unsuitable
from dialeval.options import Option

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

    from dialeval.annotation.web.connections import Limits


@dataclass(frozen=True, slots=True)
class Binding:
    """Address of an app."""

    host: Annotated[str, Option()] = "127.0.0.1"
    """The address to listen on."""
    port: Annotated[int, Option(min=0, max=65535)] = 0
    """The port to listen on; 0 for any free one."""
    certificate: Annotated[Path | None, Option()] = None
    """TLS certificate: a PEM file."""
    key: Annotated[Path | None, Option()] = None
    """TLS: the private key of the certificate."""
    proxy: Annotated[str | None, Option(metavar="IP", show_default="none")] = None
    """The reverse proxy whose X-Forwarded-For and X-Forwarded-Proto are believed."""

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)

    @property
    def scheme(self) -> str:
        """Of its links."""
        return "https" if self.certificate else "http"


def is_loopback(host: str) -> bool:
    """Whether an address is of this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_binding(binding: Binding, *, open: bool, join_code: str) -> str | None:
    """Refuse a public address at which anybody could join; return a warning if there is no TLS."""
    if binding.loopback:
        return None
    if open and not join_code:
        raise Unsuitable(
            f"Found --open on {binding.host}, which other machines can reach: anybody could join. Invite raters by "
            "links instead, give a --join-code, or serve on 127.0.0.1."
        )
    if binding.certificate is None:
        return (
            f"{binding.host} can be reached from other machines without TLS: links and answers can be read on the way. "
            "Give --certificate and --key, or serve on 127.0.0.1 behind a proxy that has them."
        )
    return None


def bound(binding: Binding) -> socket.socket:
    """A listening socket; of port 0, any free one."""
    family = socket.AF_INET6 if ":" in binding.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((binding.host, binding.port))
    except OSError as error:
        listener.close()
        reason = (error.strerror or str(error)).lower()
        raise DialevalError(
            f"Cannot serve on {binding.host}:{binding.port}: {reason}. Give another --port, or --port 0 for any."
        ) from None
    listener.set_inheritable(True)
    listener.listen(2048)  # a link that is opened before the server runs is served once it does
    return listener


def server_of(app: FastAPI, binding: Binding, limits: Limits | None = None) -> uvicorn.Server:
    """A server that writes no address to its log: those of links hold tokens."""
    import uvicorn

    from dialeval.annotation.web.connections import ACCEPTED_AT_ONCE, Gate, Limits, guarded_protocol

    config = uvicorn.Config(
        app,
        # Its own set-up of logging would close every handler of the process.
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        ssl_certfile=binding.certificate,
        ssl_keyfile=binding.key,
        http=guarded_protocol(Gate(limits or Limits.of_process())),
        ws="none",
        # asyncio accepts so many before any of them is looked at: more of them would use up all files.
        backlog=ACCEPTED_AT_ONCE,
        # Nobody says whose request it is but a proxy that the owner has named.
        proxy_headers=binding.proxy is not None,
        forwarded_allow_ips=binding.proxy or "",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=5,
    )
    return uvicorn.Server(config)


def run_server(server: uvicorn.Server, listener: socket.socket) -> None:
    """Serve until the server is told to stop."""
    from dialeval.annotation.web.connections import sparing_logs

    with sparing_logs():
        server.run(sockets=[listener])


@contextmanager
def in_background(
    app: FastAPI, binding: Binding | None = None, limits: Limits | None = None
) -> Iterator[str]:
    """Serve an app in a thread while the block runs; gives its address."""
    where = binding or Binding()
    listener = bound(where)
    server = server_of(app, where, limits)
    thread = threading.Thread(target=run_server, args=(server, listener), daemon=True)
    thread.start()
    try:
        deadline = time.monotonic() + 30
        while not server.started:
            if time.monotonic() > deadline or not thread.is_alive():
                raise RunFailed("The rating server did not start within 30 seconds.")
            time.sleep(0.01)
        yield f"{where.scheme}://{where.host}:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=15)
        listener.close()
