"""Tasks that worker processes can import, and a small program that tests start, interrupt and kill."""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from dialeval.core import Floats, PartlyAnswered
from dialeval.engine import ROWS, Batch, Cache, Job, ProcessPool, run
from dialeval.errors import BadInput, UnknownName


def digest(content: Sequence[int]) -> str:
    return hashlib.sha256(repr(list(content)).encode()).hexdigest()


def batched(numbers: Sequence[int], sizes: Sequence[int]) -> list[Batch[int]]:
    """Cut the numbers into batches of the given sizes, the last taking the rest."""
    batches, at = [], 0
    for size in (*sizes, len(numbers)):
        batches.append(Batch(numbers[at : at + size], digest(numbers[at : at + size])))
        at += size
    return batches


def square(numbers: Sequence[int]) -> Floats:
    return np.array([(n, n * n) for n in numbers], dtype=np.float64).reshape(-1, 2)


def square_slowly_at_first(numbers: Sequence[int]) -> Floats:
    """Sleeps longer for smaller numbers, so that later batches finish first."""
    time.sleep(0.3 / (1 + numbers[0]))
    return square(numbers)


def die_at_five(numbers: Sequence[int]) -> Floats:
    if 5 in numbers:
        os._exit(3)
    return square(numbers)


def fail_at_three(numbers: Sequence[int]) -> Floats:
    if 3 in numbers:
        raise BadInput("a.jsonl", found="three", expected="four", todo="Count on.", line=3)
    return square(numbers)


def name_a_stranger(numbers: Sequence[int]) -> Floats:
    raise UnknownName("metric", "blue", ["bleu"])


class Sent(Exception):
    """An error as clients of servers raise them: it cannot be made from its words alone."""

    def __init__(self, message: str, *, request: object) -> None:
        super().__init__(message)
        self.request = request


def fail_with(error: Exception, numbers: Sequence[int]) -> Floats:
    raise error


def fail_halfway(cause: Exception, numbers: Sequence[int]) -> Floats:
    """Answers the first and then fails, by this cause."""
    error = PartlyAnswered("failed after 1", [(), *[None] * (len(numbers) - 1)])
    error.cause = cause
    raise error


def pid_of_worker(numbers: Sequence[int]) -> Floats:
    return np.array([[os.getpid()]], dtype=np.float64)


def sleep_a_minute(marks: Sequence[Path]) -> None:
    """Touches the first path, so that others see it has begun, and sleeps."""
    marks[0].touch()
    time.sleep(60)


@dataclass(frozen=True)
class Recorded:
    """Squares, and leaves a line for each batch in a file."""

    log: Path
    seconds: float = 0.0
    dies: int | None = None
    """The number at which its process is killed, once, as where memory is out."""

    def __call__(self, numbers: Sequence[int]) -> Floats:
        with self.log.open("a") as file:
            file.write(f"{os.getpid()} {' '.join(map(str, numbers))}\n")
        time.sleep(self.seconds)
        died = self.log.with_name(f"{type(self).__name__}-died")
        if self.dies in numbers and not died.exists():
            died.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return square(numbers)


@dataclass(frozen=True)
class RecordedModel(Recorded):
    """The same, and says that it holds a model."""

    resources: ClassVar = {"weights": "0" * 64}


@dataclass(frozen=True)
class Heavy:
    """A task that writes down each time it is unpickled."""

    log: Path

    def __setstate__(self, state: dict[str, Path]) -> None:
        self.__dict__.update(state)
        with self.log.open("a") as file:
            file.write(f"{os.getpid()}\n")

    def __call__(self, numbers: Sequence[int]) -> Floats:
        return square(numbers)


def main(folder: str, jobs: str, seconds: str) -> None:
    """Square forty batches over a cache and write all rows to ``out`` at the end."""
    place = Path(folder)
    batches = batched(range(120), [3] * 39)
    job = Job("squares", Recorded(place / "log", float(seconds)), ROWS)
    with ProcessPool(int(jobs)) as pool:
        rows = list(run(job, batches, executor=pool, cache=Cache(place / "cache")))
    (place / "out").write_bytes(np.concatenate(rows).tobytes())


if __name__ == "__main__":
    main(*sys.argv[1:])
