"""The targets in groups, each made once: what the tests and the long command run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from support.fuzzing import folders, targets
from support.fuzzing.targets import Target


@cache
def _natives() -> list[Target]:
    return targets.natives()


@cache
def _imported() -> list[Target]:
    return targets.imported()


@cache
def _further() -> list[Target]:
    return targets.further()


@cache
def _tensors() -> list[Target]:
    return targets.tensors()


_made: list[Target] = []


def _folders(folder: Path) -> list[Target]:
    if not _made:
        _made.extend(folders.made(folder / "made"))
    return _made


GROUPS: Final[Mapping[str, Callable[[Path], list[Target]]]] = {
    "our own records": lambda folder: _natives(),
    "formats of others": lambda folder: _imported(),
    "files of evaluations": lambda folder: _further(),
    "weights and cache": lambda folder: _tensors(),
    "folders": _folders,
}
"""The targets; some need a folder to be made in."""


def cases_of(target: Target, cases: int) -> int:
    """How many cases the target gets where one of share 1 gets ``cases``."""
    return max(1, round(cases * target.share))
