"""Two machines as far as the network goes: network namespaces with one cable between them, which can be cut."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

Cut = Literal["link down", "packets lost"]
_NOBODY = "02:00:00:00:00:99"
"""An Ethernet address that no machine has: what is sent there is lost, and nobody is told."""


@dataclass(frozen=True)
class Machine:
    """A network namespace with an address of its own, which nothing but its peer can reach."""

    name: str
    address: str
    peer: str
    temporary: Path
    """What programs there find at ``shared``."""
    shared: Path

    @property
    def inside(self) -> Sequence[str]:
        """Begin of a command line that runs there, with a temporary folder that the peer does not see."""
        mount = 'mount --bind "$1" "$2" && shift 2 && exec "$@"'
        places = (str(self.temporary), str(self.shared))
        return ("ip", "netns", "exec", self.name, "sh", "-c", mount, "sh", *places)

    @property
    def network(self) -> str:
        """Name that /proc/PID/ns/net of a process there links to."""
        return f"net:[{os.stat(f'/run/netns/{self.name}').st_ino}]"

    def cut(self, how: Cut) -> None:
        """Cut the cable at this end."""
        if how == "link down":
            _ip("-n", self.name, "link", "set", "cable", "down")
        else:
            _ip(
                "-n",
                self.name,
                "neigh",
                "replace",
                self.peer,
                "lladdr",
                _NOBODY,
                "dev",
                "cable",
                "nud",
                "permanent",
            )

    def mend(self, how: Cut) -> None:
        """Undo a cut."""
        if how == "link down":
            _ip("-n", self.name, "link", "set", "cable", "up")
        else:
            _ip("-n", self.name, "neigh", "del", self.peer, "dev", "cable")

    def kill_all(self) -> None:
        """Kill every process of this machine."""
        found = subprocess.run(["ip", "netns", "pids", self.name], capture_output=True, text=True)
        for pid in map(int, found.stdout.split()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def two_machines(shared: Path) -> Iterator[tuple[Machine, Machine]]:
    """Two connected machines, each with its own folder in place of ``shared``; skips the test if there can be none."""
    mark = uuid.uuid4().hex[:8]
    here, there = "10.203.0.1", "10.203.0.2"
    pair = [
        Machine(f"dialeval-{mark}-{n}", own, peer, shared.with_name(f"{shared.name}-{n}"), shared)
        for n, (own, peer) in enumerate(((here, there), (there, here)))
    ]
    try:
        for machine in pair:
            if shutil.which("ip") is None or os.geteuid() or not _tried("netns", "add", machine.name):
                pytest.skip("needs the right to make network namespaces")
            machine.temporary.mkdir()
            _ip("-n", machine.name, "link", "set", "lo", "up")
        first, second = pair
        ends = ("name", "cable", "type", "veth", "peer", "name", "cable", "netns", second.name)
        if not _tried("-n", first.name, "link", "add", *ends):
            pytest.skip("needs the right to make network namespaces (and cables between them)")
        for machine in pair:
            _ip("-n", machine.name, "addr", "add", f"{machine.address}/24", "dev", "cable")
            _ip("-n", machine.name, "link", "set", "cable", "up")
        yield first, second
    finally:
        for machine in pair:
            machine.kill_all()
            _tried("netns", "del", machine.name)
            shutil.rmtree(machine.temporary, ignore_errors=True)


def _tried(*arguments: str) -> bool:
    return subprocess.run(["ip", *arguments], capture_output=True).returncode == 0


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)
