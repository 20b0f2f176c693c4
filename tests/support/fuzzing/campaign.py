"""Runs of mutated files through readers: a clear error or a complete result, and nothing else."""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from dialeval.errors import DialevalError
from support.fuzzing.mutations import mutated
from support.fuzzing.targets import REFUSED, Given, Target


class Finding(NamedTuple):
    """A case that breaks the rule; target and seed bring it back."""

    target: str
    seed: int
    what: str
    file: str
    raw: bytes

    def __str__(self) -> str:
        return f"{self.target}, seed {self.seed} ({self.file}): {self.what}"


def run_cases(target: Target, folder: Path, seeds: Iterable[int]) -> Iterator[Finding]:
    """Mutate one of the target's files for each seed, read, and yield what breaks the rule."""
    here = folder / target.name.replace(" ", "_").replace("/", "_")
    for name, raw in target.files.items():
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_bytes(raw)
    first = next(iter(target.files))
    for seed in seeds:
        chance = Random(f"{target.name}/{seed}")
        name = chance.choice(target.spoilt or [first])
        raw = (
            chance.choice(target.mutations)(target.files[name], chance)
            if target.harmless
            else mutated(target.files[name], target.mutations, chance)
        )
        (here / name).write_bytes(raw)
        fault = _fault(target, here / first, raw, whole=name == first)
        if fault:
            yield Finding(target.name, seed, fault, name, raw)
        (here / name).write_bytes(target.files[name])


def _fault(target: Target, path: Path, raw: bytes, *, whole: bool) -> str | None:
    """How the reader breaks the rule; None where it keeps it."""
    try:
        with _quiet():
            given = target.read(path)
    except DialevalError as error:
        if target.harmless:
            return f"refused a file whose content is as before: {error}"
        return None if str(error).strip() else "an error without a message"
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]
    expected = target.count(raw) if whole and given is not None else None
    if expected is REFUSED:
        return "read a file that cannot be unpacked"
    if given is not None and isinstance(expected, int) and given.records + given.bad != expected:
        return f"{given.records} records and {given.bad} bad lines of {expected}"
    return None


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without the notes and warnings that a person would see."""
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)


__all__ = ["Finding", "Given", "run_cases"]
