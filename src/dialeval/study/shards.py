"""Shards of a command: the folder of one (docs/files.md), its work, and the checks before all are merged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from dialeval.core import Metric, Replayer, System, resources_of
from dialeval.data import Prompt
from dialeval.display.wording import listing
from dialeval.engine import Workshop
from dialeval.errors import BadInput, described
from dialeval.evaluation.answers import ANSWERED_AT_ONCE, answers_of
from dialeval.evaluation.measure import Measure, Respondent, Subjects, Tools, can_answer, recorded_together
from dialeval.evaluation.runner import Plan, Tally
from dialeval.evaluation.runs import over_runs, repeated
from dialeval.evaluation.shards import Shard, whole_batches
from dialeval.files.digests import FileDigest
from dialeval.files.documents import Origin, read_document, require_file, write_document
from dialeval.files.folders import check_target
from dialeval.study.answers import as_example, ask
from dialeval.study.document import Failure
from dialeval.study.file import Study
from dialeval.study.freshness import AnswerPolicy, check_servers
from dialeval.study.run import Inputs, read_inputs, uses_answers

FILE: Final = "shard.json"
KEPT: Final = "kept"
"""The cache of the shard's batches."""
SHARD: Final = Origin(
    "the folder of a shard as written by 'dialeval run --shard' and other verbs with --shard",
    "Run the shard again; what was computed is kept, so it is quick.",
)
Verb: TypeAlias = Literal["run", "score"]


@dataclass(frozen=True, slots=True)
class Task:
    """Task that all shards of one command have in common; shards of different tasks are not merged."""

    verb: Verb
    arguments: dict[str, Any]
    """The options that can move a result, by the names of the command's parameters."""
    dialeval: str
    """The version."""
    files: tuple[FileDigest, ...]
    """Every file that is read."""
    signatures: dict[str, str]
    """Of every system and measure, with its resources."""


@dataclass(frozen=True, slots=True)
class ShardDocument:
    """Content of ``shard.json``."""

    format: Literal[1]
    shard: int
    shards: int
    task: Task
    folder: str
    """The working folder, which paths are relative to."""
    command: str
    finished: bool
    failures: tuple[Failure, ...] = ()
    """Failures, if it was not interrupted."""

    @property
    def name(self) -> Shard:
        """Which of the shards it is."""
        return Shard(self.shard, self.shards)


def check_shard_target(folder: Path) -> None:
    """Refuse a folder that holds something else than a shard."""
    check_target(folder, FILE, kind="shard", parts=(KEPT,))


def write_shard(folder: Path, document: ShardDocument) -> None:
    """Write ``shard.json``: before the work, and again once it is finished."""
    folder.mkdir(parents=True, exist_ok=True)
    write_document(folder / FILE, document)


def read_shard(folder: Path) -> ShardDocument:
    """The shard in the folder; BadInput where there is none, or a whole run."""
    if (folder / "manifest.json").is_file():
        raise BadInput(str(folder), "a whole run", SHARD.expected, "Leave it out.")
    return read_document(ShardDocument, require_file(folder, FILE, SHARD), SHARD)


def shard_in(folder: Path) -> ShardDocument | None:
    """The shard in the folder; None where there is none that can be read."""
    try:
        return read_shard(folder)
    except BadInput:
        return None


def signature_of(part: System | Metric[Any]) -> str:
    """All that could move the results of a system or measure, its resources included."""
    resources = resources_of(part)
    held = "".join(f" {name}={digest}" for name, digest in sorted(resources.items()))
    return f"{part.signature}{held}"


def digests_by_path(files: Iterable[FileDigest]) -> dict[str, str]:
    """The content of each file by its path."""
    return {file.path: file.sha256 for file in files}


_EXPECTED = "every shard of one command, each once and finished"
_LISTED = 100
"""Missing shards that an error lists: a damaged file may ask for billions."""


def read_shards(folders: Sequence[Path]) -> list[tuple[Path, ShardDocument]]:
    """The shards in these folders, in order; BadInput names one that is missing, repeated, unfinished or foreign."""
    documents = [(folder, read_shard(folder)) for folder in folders]
    first_folder, first = documents[0]
    for folder, document in documents:
        _check_same(first_folder, first, folder, document)
    _check_each_once(documents)
    for folder, document in documents:
        _check_finished(folder, document)
    return sorted(documents, key=lambda pair: pair[1].shard)


def check_unchanged(folder: Path, then: Task, now: Task) -> None:
    """Refuse shards whose files, systems, measures or version are not those of this moment."""
    difference = next(_differences(then, now), None)
    if difference is not None:
        raise BadInput(
            str(folder),
            f"a shard of another state: {difference}",
            "shards of the files, systems, measures and version as they are now",
            "Restore what has changed, or run every shard again.",
        )


def difference_of_commands(first: ShardDocument, other: ShardDocument) -> str | None:
    """In what two shards are not of the same command, in words; its files may have changed in between."""
    if first.name != other.name:
        return f"it is shard {first.name}"
    return next(_differences_of_options(first.task, other.task), None)


def _check_same(first_folder: Path, first: ShardDocument, folder: Path, document: ShardDocument) -> None:
    if document.shards != first.shards:
        difference: str | None = f"it is shard {document.name}, and {first_folder} is shard {first.name}"
    else:
        difference = next(_differences(first.task, document.task), None)
    if difference is not None:
        raise BadInput(
            str(folder),
            f"a shard of another command than {first_folder}: {difference}",
            _EXPECTED,
            "Leave it out, or run the shards again with the same files and options.",
        )


def _differences(first: Task, other: Task) -> Iterator[str]:
    """In what two tasks differ, in words."""
    if first.dialeval != other.dialeval:
        yield f"dialeval {first.dialeval} and {other.dialeval}"
    yield from _differences_of_options(first, other)
    yield from _unequal("the file", digests_by_path(first.files), digests_by_path(other.files))
    yield from _unequal("the system or measure", first.signatures, other.signatures)


def _differences_of_options(first: Task, other: Task) -> Iterator[str]:
    if first.verb != other.verb:
        yield f"one is of 'dialeval {first.verb}', the other of 'dialeval {other.verb}'"
    yield from _unequal("the option", first.arguments, other.arguments)


def _unequal(what: str, first: Mapping[str, object], other: Mapping[str, object]) -> Iterator[str]:
    for name in dict.fromkeys((*first, *other)):
        one, two = first.get(name), other.get(name)
        if one != two:
            yield f"{what} {name} differs ({_shown(one)} and {_shown(two)})"


def _shown(value: object) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _check_each_once(documents: Sequence[tuple[Path, ShardDocument]]) -> None:
    places: dict[int, Path] = {}
    for folder, document in documents:
        if document.shard in places:
            raise BadInput(
                str(folder),
                f"shard {document.name}, which {places[document.shard]} is too",
                _EXPECTED,
                "Give it once.",
            )
        places[document.shard] = folder
    _, first = documents[0]
    absent = (number for number in range(1, first.shards + 1) if number not in places)
    missing = [Shard(number, first.shards) for number in islice(absent, _LISTED)]
    if missing:
        given = listing([str(document.name) for _, document in documents])
        more = first.shards - len(places) - len(missing)
        without = [*map(str, missing), *([f"{more:,} more"] if more > 0 else [])]
        raise BadInput(
            listing([str(folder) for folder, _ in documents]),
            f"shards {given}, without {listing(without)}",
            _EXPECTED,
            f"Run what is missing with --shard {missing[0]} and give its folder too.",
        )


def _check_finished(folder: Path, document: ShardDocument) -> None:
    again = f"Run it again ('{document.command}'); what was computed is kept."
    if not document.finished:
        raise BadInput(str(folder), f"shard {document.name}, which was interrupted", _EXPECTED, again)
    failed = [failure for failure in document.failures if failure.measure is None]
    if failed:
        why = f"shard {document.name}, in which {failed[0].system} failed: {failed[0].message.rstrip('.')}"
        raise BadInput(str(folder), why, _EXPECTED, again)


def work_on_shard(
    study: Study, shard: Shard, workshop: Workshop, policy: AnswerPolicy | None = None
) -> list[Failure]:
    """Compute what ``run_study`` would compute of this shard's items, into the workshop's cache.

    What needs all items is left to merging: corpus measures, metrics that are fitted to their corpus or to pools of
    references, batches that lie in two shards, intervals, tests and ranks. What fails is returned, and the rest is
    still done.
    """
    study, workshop = (policy or AnswerPolicy()).applied(study, workshop)
    inputs = read_inputs(study)
    check_servers(study, inputs.prompts, workshop)
    failures: list[Failure] = []
    for system in study.systems:
        worked = _ShardWork(study, shard, workshop, inputs)
        try:
            asked = can_answer(system) and uses_answers(study)
            respondent = worked.answers(system, failures) if asked else Respondent(system, [])
        except (
            Exception
        ) as error:  # a system is foreign code: whatever it raises must not take the others down
            failures.append(Failure(system.name, None, described(error)))
            continue
        for measure in study.measures:
            try:
                worked.measure(measure, respondent)
            except Exception as error:
                failures.append(Failure(system.name, measure.label, described(error)))
    return failures


class _ShardWork:
    """One system's part of a shard."""

    def __init__(self, study: Study, shard: Shard, workshop: Workshop, inputs: Inputs) -> None:
        self.study, self.shard, self.workshop, self.inputs = study, shard, workshop, inputs
        self.places = range(0)
        """Of the prompts whose batches of statistics are this shard's."""
        self.first = 0
        """The place of the first subject that is known."""

    def answers(self, system: System, failures: list[Failure]) -> Respondent:
        """The system's answers to the shard's prompts; recorded ones to all prompts, which costs nothing."""
        prompts, size = self.inputs.prompts, self.workshop.batch_size
        if isinstance(system, Replayer):
            self.places = self.shard.places(len(prompts), size)
            # What is wrong with a file of responses is said when all is merged: nothing has to be asked again.
            return ask(system, prompts, self.inputs.items, self.study, self.workshop, [])
        own = self.shard.places(len(prompts), ANSWERED_AT_ONCE)
        self.places, self.first = whole_batches(own, len(prompts), size), own.start
        return self._generated(system, prompts[own.start : own.stop], failures)

    def _generated(self, system: System, prompts: Sequence[Prompt], failures: list[Failure]) -> Respondent:
        shop = self.workshop
        seed = self.study.resampling.seed
        answers, failure = answers_of(
            system,
            prompts,
            seed,
            cache=shop.answer_cache(system.name),
            watch=shop.watch,
            executor=shop.asking,
        )
        failures += [Failure(system.name, None, failure, partial=True)] if failure else []
        pairs = zip(prompts, answers, strict=True)
        return Respondent(system, [as_example(system, *pair) for pair in pairs])

    def measure(self, measure: Measure, respondent: Respondent) -> None:
        """Ask what a capability asks of the shard's questions, or compute statistics of the shard's batches."""
        shop = self.workshop
        if measure.capability is not None:
            if not respondent.runs:  # several runs are refused when all is merged
                cache = shop.answer_cache(respondent.system.name)
                recorded = recorded_together(self.study.systems)
                tools = Tools(
                    cache, shop.watch, self.study.limit, self.shard, shop.asking, shop.executor, recorded
                )
                measure.subjects(respondent, tools)
        elif can_answer(respondent.system):
            subjects = repeated(respondent.runs) if respondent.runs else respondent.examples
            own = subjects[self.places.start - self.first : self.places.stop - self.first]
            self._statistics(measure, own, max(1, len(respondent.runs)))

    def _statistics(self, measure: Measure, subjects: Subjects, runs: int) -> None:
        metric, shop = over_runs(measure.metric, runs), self.workshop
        if measure.metric.needs_all or measure.pool:
            return
        if not subjects:
            return
        with shop.watch(measure.label, len(subjects)) as progress:
            plan = Plan(
                executor=shop.executor, cache=shop.cache, progress=progress, batch_size=shop.batch_size
            )
            Tally(metric, plan).add(subjects)
