"""``manifest.json``: where a run's numbers come from, when and on what machine they were made."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Final, TypeAlias

from dialeval.files.digests import hash_file
from dialeval.study.run import Run, Scored
from dialeval.systems.building import inputs_of
from dialeval.version import __version__

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Circumstances:
    """When and how a run was made; the only part of a run folder that differs between equal runs."""

    started: datetime
    finished: datetime
    command: str

    @classmethod
    def now(cls) -> Circumstances:
        """This moment, for runs made from Python."""
        moment = datetime.now(UTC)
        return cls(moment, moment, "dialeval.run_study(...)")


def manifest(run: Run, circumstances: Circumstances) -> Json:
    """The content of ``manifest.json``."""
    study = run.study
    return {
        "format": 1,
        "dialeval": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "started": circumstances.started.isoformat(timespec="seconds"),
        "finished": circumstances.finished.isoformat(timespec="seconds"),
        "command": circumstances.command,
        "study": {"path": str(study.path), "sha256": hash_file(study.path)},
        "files": [{"path": str(path), "sha256": hash_file(path)} for path in _files(run)],
        "provenance": [_provenance(one) for one in run.scored],
        "packages": _packages(),
    }


def _files(run: Run) -> list[Path]:
    """Every file that the study read, once."""
    paths = [run.study.data, *(path for system in run.study.systems for path in inputs_of(system).values())]
    paths += [run.study.human.path] if run.study.human else []
    paths += [measure.file for measure in run.study.measures if measure.file is not None]
    return [path for path in dict.fromkeys(paths) if path.is_file()]


def _provenance(one: Scored) -> Json:
    source = one.result.provenance
    return {
        "system": one.system,
        "measure": one.measure.label,
        "signature": str(source.signature),
        "data": source.data,
        "package": source.package,
        "seed": source.seed,
        "trials": source.resamples,
        "resources": dict(source.resources),
    }


def _packages() -> Mapping[str, str]:
    """Versions of what dialeval rests on, extras included where they are installed."""
    declared = [line for line in metadata.requires("dialeval") or [] if not _TOOLS.search(line)]
    names = sorted({re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in declared} - {"dialeval"})
    return {name: metadata.version(name) for name in names if _installed(name)}


_TOOLS: Final = re.compile(r"extra == ['\"](dev|peers)['\"]")


def _installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True
