"""The manifest of a run: where its numbers come from, when and on what machine they were made."""

from __future__ import annotations

import platform
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Final

from dialeval.data.codec.sources import file_of
from dialeval.files.digests import hash_file
from dialeval.study.document import ClaimPlan, FileDigest, Manifest, Trace
from dialeval.study.run import Run, Scored
from dialeval.systems.building import inputs_of
from dialeval.version import __version__


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


def manifest_of(run: Run, circumstances: Circumstances) -> Manifest:
    """What ``manifest.json`` holds."""
    study = run.study
    return Manifest(
        format=1,
        dialeval=__version__,
        python=platform.python_version(),
        platform=platform.platform(),
        started=circumstances.started.isoformat(timespec="seconds"),
        finished=circumstances.finished.isoformat(timespec="seconds"),
        command=circumstances.command,
        study=_digest(study.path),
        files=tuple(map(_digest, _files(run))),
        provenance=tuple(map(_trace, run.scored)),
        packages=_packages(),
        plan=ClaimPlan(study.missing, study.primary, study.correction, dict(study.margins)),
        unmatched=run.unmatched,
    )


def _digest(path: Path) -> FileDigest:
    return FileDigest(str(path), hash_file(file_of(path)))


def _files(run: Run) -> list[Path]:
    """Every file that the study read, once."""
    given = [run.study.data, *run.study.references]
    paths = [*given, *(path for system in run.study.systems for path in inputs_of(system).values())]
    paths += [run.study.human.path] if run.study.human else []
    paths += [path for measure in run.study.measures for path in measure.inputs.values() if path is not None]
    return [path for path in dict.fromkeys(paths) if file_of(path).is_file()]


def _trace(scored: Scored) -> Trace:
    source = scored.result.provenance
    return Trace(
        system=scored.system,
        measure=scored.measure.label,
        signature=str(source.signature),
        data=source.data,
        package=source.package,
        seed=source.seed,
        trials=source.resamples,
        resources=dict(source.resources),
    )


def _packages() -> dict[str, str]:
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
