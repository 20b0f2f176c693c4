"""Environment, address and room of Ray: what is set, reached and counted before batches are sent."""

from __future__ import annotations

import os
import re
import secrets
import socket
from collections.abc import Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

EMBEDDED: Final = "local"
"""The address of a cluster that is started in this process."""
ATTEMPTS: Final = 5
"""Attempts at a batch whose worker or node died; then the run fails, as a batch may kill whatever runs it."""
_ALWAYS: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_raylet_start_wait_time_s": "120",
    "RAY_task_oom_retries": str(ATTEMPTS - 1),
}
"""Nothing is reported to Ray's makers, a busy machine may start slowly, and a task that Ray killed because memory was
out is not tried for ever."""
_LOOPBACK_ONLY: Final = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""By this Ray binds to 127.0.0.1, which it else takes for the machine's public address."""
_BY_ADDRESS: Final = {
    "RAY_NUM_REDIS_GET_RETRIES": "2",
    "RAY_grpc_client_keepalive_time_ms": "65000",
    "RAY_grpc_client_keepalive_timeout_ms": "20000",
}
"""Ray tries 20 times, for 40 seconds each, to get an answer from what may not be a cluster.

A task on a node that was cut off without a word is given up after 85 seconds, where Ray waits for minutes. Its servers
close connections that ask more often than once a minute.
"""
_HOST_AND_PORT: Final = re.compile(r"(?:ray://)?(?P<host>[^/\s]+):(?P<port>\d{1,5})")
_REACHED: Final = 20.0
"""Seconds in which a cluster has to accept a connection."""
_MODE: Final = "RAY_AUTH_MODE"
_TOKENS: Final = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")


def settings_for(address: str, known: Mapping[str, str]) -> dict[str, str]:
    """Return what Ray should find in its environment; what is ``known`` there already is the user's and stays.

    An embedded cluster has a token of its own. Left to itself, Ray keeps one in the user's home where others may read
    it, and later clusters of the user ask for it. A cluster by address is asked with the user's token, if there is one.
    """
    settings = _ALWAYS | (_LOOPBACK_ONLY if address == EMBEDDED else _BY_ADDRESS)
    given = any(known.get(name) for name in _TOKENS)
    if _MODE in known:
        pass
    elif address != EMBEDDED:
        settings |= {_MODE: "token"} if given or _kept_by_ray().is_file() else {}
    elif not given:
        settings |= {_MODE: "token", _TOKENS[0]: secrets.token_hex(32)}
    return {name: value for name, value in settings.items() if name not in known}


_set: dict[str, str] = {}
"""Variables that `prepare_environment` has set in this process."""


def prepare_environment(address: str, environment: MutableMapping[str, str]) -> None:
    """Set what Ray should find in its environment; what was set for another cluster before is not taken for the user's.

    Embedded clusters of one process have one token, which Ray remembers.
    """
    own = {name: value for name, value in _set.items() if environment.get(name) == value}
    for name in own:
        del environment[name]
    settings = settings_for(address, environment)
    if _TOKENS[0] in settings:
        settings[_TOKENS[0]] = own.get(_TOKENS[0], settings[_TOKENS[0]])
    _set.clear()
    _set.update(settings)
    environment.update(settings)


def _kept_by_ray() -> Path:
    """Where 'ray get-auth-token --generate' keeps the token that 'ray start --head' then asks for."""
    return Path(os.path.expanduser("~/.ray/auth_token"))


def reach(address: str) -> None:
    """Connect to the address once; OSError where nothing listens, which Ray would try for minutes."""
    place = _HOST_AND_PORT.fullmatch(address)
    if place is not None:
        with socket.create_connection((place["host"].strip("[]"), int(place["port"])), _REACHED):
            pass


@dataclass(frozen=True, slots=True)
class Needs:
    """Resources that each worker takes of the cluster."""

    cpus: float = 1.0
    gpus: float = 0.0
    """Only of workers that hold a model."""


def room_for(needs: Needs, nodes: Iterable[Mapping[str, Any]]) -> int:
    """Return the number of workers that these nodes, as Ray describes them, can hold; a worker is on one node."""
    asked = {"CPU": needs.cpus, "GPU": needs.gpus}
    shares = {kind: share for kind, share in asked.items() if share}
    return sum(
        min((int(node["Resources"].get(kind, 0) // share) for kind, share in shares.items()), default=1)
        for node in nodes
        if node["Alive"]
    )


def no_room(needs: Needs, address: str, total: Mapping[str, float]) -> str:
    """Return the message if no node of a cluster can hold a worker."""
    return (
        f"The Ray cluster at {address} has {total.get('CPU', 0):g} CPUs and {total.get('GPU', 0):g} GPUs, "
        f"and each worker needs {needs.cpus:g} and {needs.gpus:g} on one node. Ask for less with 'resources', or "
        "give the address of a larger cluster."
    )
