"""Environment of Ray, which reads these settings from nowhere else."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Final

EMBEDDED: Final = "local"
"""The address of a cluster that is started in this process."""
ATTEMPTS: Final = 5
"""How often a batch is tried whose worker or node died; then the run fails, as a batch may kill whatever runs it."""
_ALWAYS: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_raylet_start_wait_time_s": "120",
    "RAY_task_oom_retries": str(ATTEMPTS - 1),
}
"""Nothing is reported to Ray's makers, a busy machine may start slowly, and a task that Ray killed because memory was
out is not tried for ever."""
_LOOPBACK_ONLY: Final = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""By this Ray binds to 127.0.0.1, which it else takes for the machine's public address."""
_MODE: Final = "RAY_AUTH_MODE"
_TOKENS: Final = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")


def settings_for(address: str, known: Mapping[str, str]) -> dict[str, str]:
    """What Ray should find in its environment; what is ``known`` there already is the user's and stays.

    An embedded cluster has a token of its own. Left to itself, Ray keeps one in the user's home where others may read
    it, and later clusters of the user ask for it. A cluster by address is asked with the user's token, if there is one.
    """
    settings = _ALWAYS | (_LOOPBACK_ONLY if address == EMBEDDED else {})
    given = any(known.get(name) for name in _TOKENS)
    if _MODE in known:
        pass
    elif address != EMBEDDED:
        settings |= {_MODE: "token"} if given or _kept_by_ray().is_file() else {}
    elif not given:
        settings |= {_MODE: "token", _TOKENS[0]: secrets.token_hex(32)}
    return {name: value for name, value in settings.items() if name not in known}


def _kept_by_ray() -> Path:
    """Where 'ray get-auth-token --generate' keeps the token that 'ray start --head' then asks for."""
    return Path("~/.ray/auth_token").expanduser()
