"""Commands in forks of one warm process, killed on order: a kill at the n-th change of a file, or after some seconds.

Run as a program, it loads dialeval once and takes a JSON object a line: ``argv``, ``cwd``, ``log``, and optionally
``strike`` (the number of the change at which the signal comes), ``signal``, ``seconds``, ``memory`` (bytes that it may
take beyond the warm process) and ``out`` (the file for its standard output). It answers with a line.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypedDict

from support.processes import environment

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
CHANGES = frozenset({"os.rename", "os.remove", "os.mkdir", "os.truncate", "os.rmdir"})
PRELOADED = (
    "dialeval.cli.main",
    "dialeval.study.folder",
    "dialeval.study.run",
    "dialeval.study.sides",
    "dialeval.meta.examination",
    "dialeval.selection.asking.choices",
    "dialeval.selection.drafting.drafts",
    "pyarrow.parquet",
    "pydantic",
    "jinja2",
    "matplotlib.figure",
    "scipy.stats",
    "rich.console",
    "yaml",
    # Loaded by the first use of others.
    "pandas",
    "matplotlib.style",
    "PIL.features",
    "charset_normalizer",
    "torch._dynamo",
    "tantivy",
    "faiss",
    "dialeval.metrics.skip_thought.model",
)


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    """Negative for the signal that ended it."""
    changes: int
    """Changes of files below its folder, where it ended by itself."""
    said: str
    seconds: float
    elsewhere: frozenset[str] = frozenset()
    """Files outside of its folder that it changed or meant to, if it ended by itself."""


class Forks:
    """The warm process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(
        self,
        folder: Path,
        *argv: object,
        strike: int | None = None,
        by: signal.Signals = signal.SIGKILL,
        seconds: float | None = None,
        memory: int | None = None,
        out: str | None = None,
    ) -> Ended:
        """Run ``dialeval ARGV`` in the folder, to its end or to the strike."""
        return self.wait(
            self.start(folder, *argv, strike=strike, by=by, seconds=seconds, memory=memory, out=out)
        )

    def start(
        self,
        folder: Path,
        *argv: object,
        strike: int | None = None,
        by: signal.Signals = signal.SIGKILL,
        seconds: float | None = None,
        memory: int | None = None,
        out: str | None = None,
    ) -> Path:
        """Start it, and return the log that ``wait`` needs; ``memory`` is what it may take beyond the warm process."""
        log = folder.parent / f"{folder.name}-{time.monotonic_ns()}.log"
        order = {"argv": [str(each) for each in argv], "cwd": str(folder), "log": str(log)}
        order |= {"strike": strike, "signal": int(by), "seconds": seconds}
        order |= {"memory": memory, "out": out}
        self._pipe("stdin").write(json.dumps(order) + "\n")
        self._pipe("stdin").flush()
        return log

    def wait(self, log: Path) -> Ended:
        """Wait for a command that was started; several are answered in the order in which they end."""
        place = Path(f"{log}.ended")
        end = time.monotonic() + 600
        while not place.exists():
            assert self._process.poll() is None, "the warm process has ended"
            assert time.monotonic() < end, f"no end: {log.read_text()[-2000:]}"
            time.sleep(0.01)
        told = json.loads(place.read_text())
        counted = Path(f"{log}.changes")
        changes = json.loads(counted.read_text()) if counted.exists() else {"count": -1, "elsewhere": []}
        said, elsewhere = log.read_text(errors="surrogateescape"), frozenset(changes["elsewhere"])
        return Ended(told["code"], changes["count"], said, told["seconds"], elsewhere)

    def _pipe(self, name: str) -> IO[str]:
        pipe: IO[str] = getattr(self._process, name)
        return pipe


@contextlib.contextmanager
def forks(*modules: str) -> Iterator[Forks]:
    """A warm process that has loaded these modules, too."""
    command = [sys.executable, "-m", "support.forked", *modules]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    process = subprocess.Popen(command, env=environment() | threads, stdin=subprocess.PIPE, text=True)
    try:
        yield Forks(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(timeout=60)


def main(modules: Sequence[str]) -> None:
    """Load what commands load, then fork for every line."""
    for name in (*PRELOADED, *modules):
        with contextlib.suppress(ImportError):
            __import__(name)
    running: dict[int, tuple[dict[str, object], float]] = {}
    os.set_blocking(0, False)
    waiting, open_end = "", True
    while open_end or running:
        if open_end:
            try:
                read = os.read(0, 1 << 16)
            except BlockingIOError:
                read = None
            open_end = read != b""
            waiting += (read or b"").decode()
        while "\n" in waiting:
            line, _, waiting = waiting.partition("\n")
            order = json.loads(line)
            pid = os.fork()
            if not pid:
                _child(order)
            running[pid] = (order, time.monotonic())
        _gather(running)
        time.sleep(0.002)


def _gather(running: dict[int, tuple[dict[str, object], float]]) -> None:
    for pid, (order, began) in list(running.items()):
        limit = order["seconds"]
        if isinstance(limit, float) and time.monotonic() - began > limit:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, int(str(order["signal"])))
            order["seconds"] = None
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            del running[pid]
            told = {"code": os.waitstatus_to_exitcode(status), "seconds": time.monotonic() - began}
            scratch = Path(f"{order['log']}.ending")
            scratch.write_text(json.dumps(told))
            scratch.rename(f"{order['log']}.ended")


def _child(order: dict[str, object]) -> None:
    """Be the command; never returns."""
    code = 1
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.chdir(str(order["cwd"]))
        log = os.open(str(order["log"]), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for number in (1, 2):
            os.dup2(log, number)
        os.environ["XDG_CACHE_HOME"] = str(order["cwd"]) + "/home"
        changes = _striking(str(order["cwd"]), order["strike"], int(str(order["signal"])))
        sys.argv = ["dialeval", *order["argv"]]  # type: ignore[misc]
        if order["out"] is not None:
            os.dup2(os.open(str(order["out"]), os.O_WRONLY), 1)
        if order["memory"] is not None:
            _limit(int(str(order["memory"])))
        code = _command()
        Path(f"{order['log']}.changes").write_text(json.dumps(changes))
    except BaseException as error:
        print(f"the command let an exception through: {type(error).__name__}: {error}", flush=True)
        code = 70
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


_PATIENCE = 120
"""Seconds of CPU time for a command under a limit of memory."""


def _limit(more: int) -> None:
    """Refuse this process more memory than that beyond what it has."""
    import resource

    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + more, used + more))
    # Arrow's dictionaries search forever if they could not grow; a command that refuses so little memory takes seconds.
    resource.setrlimit(resource.RLIMIT_CPU, (_PATIENCE, _PATIENCE + 5))


def _command() -> int:
    from dialeval.cli.main import main as dialeval

    try:
        dialeval()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    return 0


class Changes(TypedDict):
    """How often files below the folder were changed, and which elsewhere."""

    count: int
    elsewhere: list[str]


def _striking(folder: str, strike: object, number: int) -> Changes:
    """Count the changes of files below the folder, and send the signal before the one that was ordered."""
    changes = Changes(count=0, elsewhere=[])

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            flags = arguments[2]
            if not isinstance(flags, int) or not flags & WRITES:
                return
        elif event not in CHANGES:
            return
        if isinstance(arguments[0], int):
            return
        paths = arguments[: 2 if event == "os.rename" else 1]
        far = [path for path in map(_real, paths) if not path.startswith(folder)]
        changes["elsewhere"] += far
        if far:
            return
        changes["count"] += 1
        if changes["count"] == strike:
            os.kill(os.getpid(), number)

    folder = os.path.realpath(folder)
    sys.addaudithook(hook)
    return changes


def _real(path: object) -> str:
    return os.path.realpath(os.fsdecode(path))  # type: ignore[arg-type]


if __name__ == "__main__":
    main(sys.argv[1:])
