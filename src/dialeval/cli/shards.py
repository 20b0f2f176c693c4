"""Shards on the command line: the work of one, in a folder of its own."""

from __future__ import annotations

import dataclasses
import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any, get_type_hints

from pydantic import ConfigDict, ValidationError, create_model

from dialeval.cli.execution import Execution, default_cache_folder, open_workshop
from dialeval.cli.gates import in_ci, show_in_job
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.display.wording import count
from dialeval.errors import RunFailed, Unsuitable
from dialeval.files.digests import FileDigest
from dialeval.files.documents import damaged
from dialeval.study.freshness import AnswerPolicy
from dialeval.study.provenance import digest_of, digests_of
from dialeval.study.shards import (
    FILE,
    KEPT,
    SHARD,
    ShardDocument,
    Task,
    check_shard_target,
    difference_of_commands,
    shard_in,
    signature_of,
    work_on_shard,
    write_shard,
)
from dialeval.version import __version__

if TYPE_CHECKING:
    from dialeval.core import Metric
    from dialeval.data import Example
    from dialeval.engine import EngineSettings
    from dialeval.evaluation.shards import Shard
    from dialeval.study import Study, Workshop
    from dialeval.study.document import Failure


def work_on_study(
    study: Study, arguments: Mapping[str, Any], shard: Shard, folder: Path, execution: Execution
) -> None:
    """Do one shard of a study, and leave with 1 if part of it failed."""
    if execution.ask_again:
        raise BadUsage(
            "cannot be combined with --shard; change the system's 'revision:' instead", where="--ask-again"
        )
    uncached = [name for name, rule in study.caches.items() if rule == "none"]
    if uncached:
        raise Unsuitable(
            f"A shard cannot be merged without its answers, and the study says 'cache: none' for {uncached[0]!r}. Use "
            "'cache: run' there, which keeps them in the shard only."
        )
    task = task_of_study(study, arguments)
    with open_shard(task, shard, folder, execution, engine=study.engine) as (workshop, failures):
        own_only = in_ci() and execution.ask_again is None
        policy = AnswerPolicy(own_only=own_only, folder=folder / KEPT)
        failures += work_on_shard(study, shard, workshop, policy)
    leave_shard(shard, folder, failures)


@contextmanager
def open_shard(
    task: Task, shard: Shard, folder: Path, execution: Execution, *, engine: EngineSettings | None = None
) -> Iterator[tuple[Workshop, list[Failure]]]:
    """Open a workshop whose cache is the shard's, and a list of failures; the shard is finished as the block ends."""
    check_shard_target(folder)
    command = shlex.join(["dialeval", *sys.argv[1:]])
    document = ShardDocument(1, shard.number, shard.of, task, str(Path.cwd()), command, finished=False)
    _warn_of_another_command(document, folder)
    write_shard(folder, document)
    if not execution.resume:
        rmtree(folder / KEPT, ignore_errors=True)
    others = [execution.cache or default_cache_folder()] if execution.resume else []
    failures: list[Failure] = []
    own = dataclasses.replace(execution, cache=folder / KEPT, resume=True)
    with open_workshop(own, engine=engine, others=others, must_keep=True) as workshop:
        yield workshop, failures
    write_shard(folder, dataclasses.replace(document, finished=True, failures=tuple(failures)))


def _warn_of_another_command(document: ShardDocument, folder: Path) -> None:
    """Warn if the folder has a shard of another command, which this one replaces."""
    other = shard_in(folder)
    difference = other and difference_of_commands(other, document)
    if difference:
        print(
            f"warning: {folder} has the shard of another command ({difference}), which will be replaced by shard "
            f"{document.name} of this one. To keep both, stop and give another -o.",
            file=sys.stderr,
        )


def leave_shard(shard: Shard, folder: Path, failures: Sequence[Failure]) -> None:
    """Print that the shard is finished; RunFailed if part of it is not."""
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
    """Return the task that all shards of the study have in common, as things are now."""
    signatures = {system.name: signature_of(system) for system in study.systems}
    signatures |= {measure.label: signature_of(measure.metric) for measure in study.measures}
    files = (FileDigest(str(study.path), study.digest), *digests_of(study))
    return Task("run", dict(arguments), __version__, files, signatures)


def task_of_scoring(
    metrics: Mapping[str, Metric[Example]], arguments: Mapping[str, Any], files: Sequence[str | Path]
) -> Task:
    """Return the task that all shards of a scoring have in common."""
    signatures = {name: signature_of(metric) for name, metric in metrics.items()}
    digests = tuple(digest_of(Path(file)) for file in files)
    return Task("score", dict(arguments), __version__, digests, signatures)


def check_arguments(folder: Path, task: Task, taking: Callable[..., Any]) -> None:
    """Refuse a shard whose options are not those that ``taking`` takes: whoever sent it may have written others."""
    types = get_type_hints(taking, localns={"Study": object})
    fields: dict[str, Any] = {
        name: (types[name], ... if option.default is option.empty else option.default)
        for name, option in signature(taking).parameters.items()
    }
    options = create_model("Options", __config__=ConfigDict(extra="forbid", strict=True), **fields)
    try:
        options.model_validate_json(json.dumps(task.arguments))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, ("task", "arguments", *first["loc"])))
        raise damaged(folder / FILE, first["msg"], SHARD, field) from None
