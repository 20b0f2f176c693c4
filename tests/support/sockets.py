"""A watch over sockets: what would leave this machine fails at once, and is recorded."""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from pathlib import Path

RECORD = "DIALEVAL_TESTS_SOCKETS"
"""The variable that names the file where a program that tests start writes what it tried to reach."""

attempts: list[str] = []
_NAMES = frozenset({"socket.getaddrinfo", "socket.gethostbyname"})
_CALLS = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})


def outside(host: object) -> bool:
    """Whether a host is another machine; names under ``.invalid`` are on none."""
    if not isinstance(host, str | bytes) or not host:
        return False
    name = (host.decode() if isinstance(host, bytes) else host).lower().rstrip(".")
    if (
        name == "localhost"
        or name.endswith((".localhost", ".invalid"))
        or name == socket.gethostname().lower()
    ):
        return False
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return True
    return not (address.is_loopback or address.is_unspecified or _own(str(address)))


def _own(address: str) -> bool:
    """Whether this machine has the address: only then can a socket be bound to it."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
    return True


def watch(event: str, arguments: tuple[object, ...]) -> None:
    """An audit hook: refuse and record every name and address outside this machine."""
    if event in _NAMES:
        host = arguments[0]
    elif event in _CALLS and isinstance(arguments[-1], tuple) and arguments[-1]:
        host = arguments[-1][0]
    else:
        return
    if outside(host):
        attempts.append(f"{event} {host!r}")
        if record := os.environ.get(RECORD):
            with Path(record).open("a", encoding="utf-8") as file:
                file.write(attempts[-1] + "\n")
        raise socket.gaierror(f"tests do not reach the network ({event} {host!r})")


sys.addaudithook(watch)
