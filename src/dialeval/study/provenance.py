"""The manifest of a run: where its numbers come from, when and on what machine they were made."""

from __future__ import annotations

import platform
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import metadata
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from dialeval.catalogue.building import inputs_of
from dialeval.core import Missing, Priced, innermost
from dialeval.data.codec.sources import file_of
from dialeval.evaluation.measure import Respondent
from dialeval.files.digests import FileDigest, hash_file
from dialeval.study.document import ClaimPlan, Manifest, SystemUsage, Trace
from dialeval.study.file import Study
from dialeval.study.run import Run
from dialeval.study.scores import SystemResult
from dialeval.systems.transcript import Transcript
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


class Beginning(NamedTuple):
    """When a run began, by the clock and by one that nobody can set."""

    moment: datetime
    steady: float

    @classmethod
    def now(cls) -> Beginning:
        """This moment."""
        return cls(datetime.now(UTC), time.monotonic())

    def end(self, command: str) -> Circumstances:
        """The run ends now; a clock that was set back meanwhile does not let it end before it began."""
        passed = self.moment + timedelta(seconds=time.monotonic() - self.steady)
        return Circumstances(self.moment, max(datetime.now(UTC), passed), command)


def manifest_of(run: Run, circumstances: Circumstances) -> Manifest:
    """Return the content of ``manifest.json``."""
    study = run.study
    return Manifest(
        format=1,
        dialeval=__version__,
        python=platform.python_version(),
        platform=platform.platform(),
        started=circumstances.started.isoformat(timespec="seconds"),
        finished=circumstances.finished.isoformat(timespec="seconds"),
        command=circumstances.command,
        study=FileDigest(str(study.path), study.digest),
        files=digests_of(study),
        provenance=tuple(map(_trace, run.scored)),
        packages=_packages(),
        plan=ClaimPlan(study.missing, study.primary, study.correction, dict(study.margins)),
        unmatched=run.unmatched,
        usage=tuple(usage for respondent in run.respondents if (usage := _usage(respondent))),
        answers=run.answers,
        judges=run.judges,
        judge_pairs=None if run.pairs is None else run.pairs.record,
    )


def digest_of(path: Path) -> FileDigest:
    """The file by its content."""
    return FileDigest(str(path), hash_file(file_of(path)))


def digests_of(study: Study) -> tuple[FileDigest, ...]:
    """Every file that the study reads, once."""
    given = [study.data, *study.references]
    paths = [*given, *(path for system in study.systems for _, path in inputs_of(system))]
    paths += [study.human.path] if study.human else []
    paths += [study.pairs.preferences] if study.pairs and study.pairs.preferences else []
    paths += [path for measure in study.measures for path in measure.inputs.values() if path is not None]
    paths = [index if (index := path / "repository.json").is_file() else path for path in paths]
    return tuple(digest_of(path) for path in dict.fromkeys(paths) if file_of(path).is_file())


def _trace(scored: SystemResult) -> Trace:
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


def _usage(respondent: Respondent) -> SystemUsage | None:
    """Return what the system's answers took; None if that is not known of any."""
    if isinstance(
        innermost(respondent.system), Transcript
    ):  # no file says it, and there may be millions of lines
        return None
    said = (example.response for example in respondent.examples if not isinstance(example, Missing))
    known = [response.usage for response in said if response.usage]
    if not known:
        return None
    seconds = [usage.seconds for usage in known if usage.seconds is not None]
    middle, slow = np.percentile(seconds, [50, 95]).round(6).tolist() if seconds else (None, None)
    prompt = _total([usage.prompt_tokens for usage in known])
    completion = _total([usage.completion_tokens for usage in known])
    system, cost = respondent.system, None
    if isinstance(system, Priced) and prompt is not None and completion is not None:
        cost = system.cost(prompt, completion)
    return SystemUsage(system.name, len(known), middle, slow, prompt, completion, cost)


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


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
