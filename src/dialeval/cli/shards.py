"""Shards on the command line: the work of one, in a folder of its own."""

from __future__ import annotations

import dataclasses
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

from dialeval.cli.gates import show_in_job
from dialeval.cli.workshop import default_cache_folder, open_workshop

if TYPE_CHECKING:
    from dialeval.engine import EngineSettings
    from dialeval.evaluation.measure import AnyMetric
    from dialeval.evaluation.shards import Shard
    from dialeval.study import Study, Workshop
    from dialeval.study.document import Failure
    from dialeval.study.shards.folder import ShardDocument, Task


def work_on_study(
    study: Study,
    arguments: Mapping[str, Any],
    shard: Shard,
    folder: Path,
    *,
    jobs: int,
    cache: Path | None,
    resume: bool,
    engine: EngineSettings | None,
    own_only: bool,
) -> None:
    """Do one shard of a study, and leave with 1 where part of it failed."""
    from dialeval.errors import Unsuitable
    from dialeval.study.freshness import AnswerPolicy
    from dialeval.study.shards.folder import KEPT
    from dialeval.study.shards.working import work_on_shard

    uncached = [name for name, rule in study.caches.items() if rule == "none"]
    if uncached:
        raise Unsuitable(
            f"A shard cannot be merged without its answers, and the study says 'cache: none' for {uncached[0]!r}. Use "
            "'cache: run' there, which keeps them in the shard only."
        )
    task = task_of_study(study, arguments)
    used = engine or study.engine
    with open_shard(task, shard, folder, jobs=jobs, cache=cache, resume=resume, engine=used) as (
        workshop,
        failures,
    ):
        policy = AnswerPolicy(own_only=own_only, folder=folder / KEPT)
        failures += work_on_shard(study, shard, workshop, policy)
    leave_shard(shard, folder, failures)


@contextmanager
def open_shard(
    task: Task,
    shard: Shard,
    folder: Path,
    *,
    jobs: int,
    cache: Path | None,
    resume: bool,
    engine: EngineSettings | None,
) -> Iterator[tuple[Workshop, list[Failure]]]:
    """A workshop whose cache is the shard's, and a list for what fails; the shard is finished when the block ends."""
    from dialeval.study.shards.folder import KEPT, ShardDocument, check_shard_target, write_shard

    check_shard_target(folder)
    command = shlex.join(["dialeval", *sys.argv[1:]])
    document = ShardDocument(1, shard.number, shard.of, task, str(Path.cwd()), command, finished=False)
    _warn_of_another_command(document, folder)
    write_shard(folder, document)
    if not resume:
        rmtree(folder / KEPT, ignore_errors=True)
    others = [cache or default_cache_folder()] if resume else []
    failures: list[Failure] = []
    with open_workshop(
        jobs=jobs, cache=folder / KEPT, resume=True, others=others, engine=engine, must_keep=True
    ) as workshop:
        yield workshop, failures
    write_shard(folder, dataclasses.replace(document, finished=True, failures=tuple(failures)))


def _warn_of_another_command(document: ShardDocument, folder: Path) -> None:
    """Say so where the folder has a shard of another command, which this one replaces."""
    from dialeval.study.shards.folder import shard_in
    from dialeval.study.shards.merging import difference_of_commands

    other = shard_in(folder)
    difference = other and difference_of_commands(other, document)
    if difference:
        print(
            f"warning: {folder} has the shard of another command ({difference}), which will be replaced by shard "
            f"{document.name} of this one. To keep both, stop and give another -o.",
            file=sys.stderr,
        )


def leave_shard(shard: Shard, folder: Path, failures: Sequence[Failure]) -> None:
    """Say that the shard is finished; RunFailed where part of it is not."""
    from dialeval.display.wording import count
    from dialeval.errors import RunFailed

    for failure in failures:
        show_in_job(failure.sentence)
        print(f"warning: {failure.sentence}", file=sys.stderr)
    if any(failure.measure is None for failure in failures):
        failed = count(sum(failure.measure is None for failure in failures), "system")
        raise RunFailed(
            f"{failed} failed in shard {shard}, which cannot be merged yet. What was answered is kept in {folder}; the "
            "same command asks only for the rest."
        )
    print(f"Shard {shard}: {folder}")
    if failures:
        sys.exit(1)


def task_of_study(study: Study, arguments: Mapping[str, Any]) -> Task:
    """What every shard of the study has in common, as things are now."""
    from dialeval.study.provenance import digest_of, digests_of
    from dialeval.study.shards.folder import Task, signature_of
    from dialeval.version import __version__

    signatures = {system.name: signature_of(system) for system in study.systems}
    signatures |= {measure.label: signature_of(measure.metric) for measure in study.measures}
    files = (digest_of(study.path), *digests_of(study))
    return Task("run", dict(arguments), __version__, files, signatures)


def task_of_scoring(
    metrics: Mapping[str, AnyMetric], arguments: Mapping[str, Any], files: Sequence[str | Path]
) -> Task:
    """The same of responses that are scored."""
    from dialeval.study.provenance import digest_of
    from dialeval.study.shards.folder import Task, signature_of
    from dialeval.version import __version__

    signatures = {name: signature_of(metric) for name, metric in metrics.items()}
    digests = tuple(digest_of(Path(file)) for file in files)
    return Task("score", dict(arguments), __version__, digests, signatures)
