"""Start-up time: ``import dialeval``, ``dialeval --help``, and small jobs as whole commands."""

from __future__ import annotations

import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.result import BenchResult

REPEATS = 15
LINES = 100
HEAVY = ("torch", "numba", "matplotlib", "fastapi", "scipy", "pyarrow", "pydantic", "jinja2", "rich")


def run() -> Iterator[BenchResult]:
    """Medians of several starts; the peers are what cannot be avoided, numpy and the bare interpreter."""
    importing = [sys.executable, "-c", "import dialeval"]
    yield BenchResult(
        "import dialeval",
        statistics.median(_import_seconds("dialeval") for _ in range(REPEATS)),
        statistics.median(_import_seconds("numpy") for _ in range(REPEATS)),
        f"import numpy; promised 0.3 s; {_heavy(importing)}",
    )
    helping = [str(Path(sys.executable).with_name("dialeval")), "--help"]
    yield BenchResult(
        "dialeval --help",
        statistics.median(_wall_seconds(helping) for _ in range(REPEATS)),
        statistics.median(_wall_seconds([sys.executable, "-c", "pass"]) for _ in range(REPEATS)),
        "bare interpreter; promised 0.5 s",
    )

    yield from _whole_commands()


def _whole_commands() -> Iterator[BenchResult]:
    """CPU seconds of commands on 100 responses, from start to exit, beside the sacrebleu command on the same lines."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        files = _write_lines(folder)
        peer = [_program("sacrebleu"), str(files["ref"]), "-i", str(files["hyp"])]
        score = [_program("dialeval"), "score", str(files["jsonl"]), "--cache", str(folder / "cache")]
        # Bytecode is written once, as where programs are installed, whatever the environment says.
        settings = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
        settings.pop("PYTHONDONTWRITEBYTECODE", None)
        for command in ([*score, "-m", "bleu"], peer):
            _cpu_seconds(command, settings)
        for name, command in (
            ("dialeval score -m bleu", [*score, "--no-resume", "-m", "bleu"]),
            ("dialeval score, default metrics", [*score, "--no-resume"]),
            (
                "dialeval compare -m bleu",
                [_program("dialeval"), "compare", str(files["jsonl"]), str(files["other"]), "-m", "bleu"],
            ),
        ):
            _cpu_seconds(command, settings)
            pairs = [(_cpu_seconds(command, settings), _cpu_seconds(peer, settings)) for _ in range(REPEATS)]
            ours, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
            note = f"the sacrebleu command, which does not load numpy, CPU time; {LINES} responses"
            yield BenchResult(f"{name}, {LINES} lines", ours, theirs, note)


def _write_lines(folder: Path) -> dict[str, Path]:
    """The same responses and references in our format and as plain lines; and those of a second system."""
    files = {name: folder / f"lines.{name}" for name in ("jsonl", "hyp", "ref")}
    files["other"] = folder / "other.jsonl"
    words = [f"word{at}" for at in range(16)]
    responses = [" ".join(words[at % 7 : at % 7 + 3 + at % 9]) for at in range(LINES)]
    references = [" ".join(words[at % 5 : at % 5 + 4 + at % 8]) for at in range(LINES)]
    for name, said in (("jsonl", responses), ("other", responses[1:] + responses[:1])):
        rows = [
            {"id": str(at), "context": [], "response": text, "references": [reference]}
            for at, (text, reference) in enumerate(zip(said, references, strict=True))
        ]
        files[name].write_text("".join(json.dumps(row) + "\n" for row in rows))
    files["hyp"].write_text("".join(f"{text}\n" for text in responses))
    files["ref"].write_text("".join(f"{text}\n" for text in references))
    return files


def _program(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


def _cpu_seconds(command: Sequence[str], settings: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    silent = subprocess.DEVNULL
    subprocess.run(command, check=True, stdout=silent, stderr=silent, env=dict(settings))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _import_seconds(package: str) -> float:
    command = [sys.executable, "-X", "importtime", "-c", f"import {package}"]
    report = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    found = re.findall(rf"\|\s+(\d+) \| {package}$", report, flags=re.MULTILINE)
    return int(found[-1]) / 1e6


def _wall_seconds(command: Sequence[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _heavy(command: Sequence[str]) -> str:
    """Which heavy libraries the command loads."""
    probe = f"{command[-1]}; import sys; print(*sorted(set({HEAVY!r}) & sys.modules.keys()))"
    done = subprocess.run([*command[:-1], probe], check=True, stdout=subprocess.PIPE, text=True)
    return f"loads {done.stdout.strip() or 'nothing heavy'}"
