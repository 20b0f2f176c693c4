"""The interface between a study and its evaluations: measures, kinds of systems, parts of files and pages.

A metric over responses is a measure as it is. An evaluation that asks systems more than one response per prompt is a
`Capability`: it brings measures of its own, and everything a study writes, reads or shows of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from dialeval.core import Metric, Missing, Part, Resampling, Subject, System
from dialeval.data import Example
from dialeval.display.pages import Section
from dialeval.engine import Cache, Executor, Watch, unwatched
from dialeval.errors import DialevalError
from dialeval.evaluation.shards import Shard

Q = TypeVar("Q")
Subjects: TypeAlias = Sequence[Subject | Missing]


@dataclass(frozen=True, slots=True)
class Respondent:
    """A system in a study, with what it answered to every prompt."""

    system: System
    examples: Sequence[Example | Missing]
    runs: Sequence[Sequence[Example | Missing]] = ()
    """The same for each of several runs, the first of which are the examples; nothing where there is one."""


@dataclass(frozen=True, slots=True)
class Tools:
    """Means with which a measure may ask a system more."""

    cache: Cache | None = None
    watch: Watch = unwatched
    limit: int | None = None
    """Use only the first questions."""
    shard: Shard | None = None
    """Ask only the questions of this shard; None where all are asked."""
    executor: Executor | None = None
    """Where systems are asked; None for this process."""
    scoring: Executor | None = None
    """Where batches are scored; None for this process."""
    recorded: Sequence[str] = ()
    """Ids of all that systems recorded that answer no prompts: ``limit`` takes the first of them, for every system."""

    def share(self, questions: Sequence[Q], at_once: int) -> Sequence[Q]:
        """The questions to ask here, of those that are asked in batches of ``at_once``."""
        return questions if self.shard is None else self.shard.part_of(questions, at_once)


class Asking(Protocol):
    """A measure of a capability, as its constructor makes it from a study's options."""

    @property
    def metric(self) -> Metric[Any]:
        """Metric that judges the subjects."""

    @property
    def inputs(self) -> Mapping[str, str | None]:
        """The files it reads, by the option that names each; None where a study does not name it."""

    def subjects(self, inputs: Mapping[str, Path], respondent: Respondent, tools: Tools) -> Subjects:
        """Return the subjects of one system: its choices, its n-best lists, its answers to probes."""


@runtime_checkable
class ReadsAhead(Protocol):
    """A measure of a capability whose files imply options that were not given."""

    def implied(self, inputs: Mapping[str, Path | None]) -> Mapping[str, str]:
        """Return these options; nothing if a file is absent."""


@runtime_checkable
class SharesSubjects(Protocol):
    """A measure of a capability whose subjects other measures use too, so that systems are asked once."""

    @property
    def asks(self) -> Hashable:
        """All that moves the subjects of a system; measures for which it is equal share them."""


@runtime_checkable
class BreaksDown(Protocol):
    """A measure of a capability with scores of parts: by kind of stimulus, by list size, by slot."""

    def breakdowns(self, subjects: Sequence[Any], /) -> Iterable[Part]:
        """Yield the parts of one system's subjects."""


@runtime_checkable
class SharesContexts(Protocol):
    """A measure of a capability whose items may share a context under different ids, and are resampled by it."""

    def contexts(self, inputs: Mapping[str, Path]) -> Iterable[tuple[str, Hashable]]:
        """Return the id and the context of each item."""


@runtime_checkable
class RecordsContexts(Protocol):
    """A capability with such measures, whose items a run folder has."""

    def contexts(self, folder: Path) -> Iterable[tuple[str, Hashable]]:
        """Return the id and the context of each item of the folder."""


class SectionDocument(Protocol):
    """Section of ``summary.json`` about one measure of a capability, beside its scores."""

    @property
    def measure(self) -> str:
        """The measure's label."""

    @property
    def status(self) -> str:
        """Whether people have checked what the systems were asked, in a few words."""


class Capability(Protocol):
    """An evaluation that a study can include."""

    @property
    def name(self) -> str:
        """The key of its part of ``summary.json``."""

    @property
    def measures(self) -> Mapping[str, Callable[..., Asking]]:
        """Constructors of its measures; the first line of each docstring says what is measured."""

    @property
    def shows(self) -> Collection[str]:
        """Metrics of answers to the study's prompts about which it has a section too."""

    @property
    def files(self) -> Collection[str]:
        """Names of the JSONL files that it writes into a run folder: what each system said to each item."""

    @property
    def systems(self) -> Mapping[str, Callable[..., System]]:
        """Kinds of systems that only its measures can use."""

    @property
    def hint(self) -> str:
        """A measure as one writes it in a study, for messages."""

    @property
    def document(self) -> type[SectionDocument]:
        """The type of its part of ``summary.json``, one value per measure."""

    def section(
        self, measure: Measure, subjects: Mapping[str, Subjects], resampling: Resampling
    ) -> SectionDocument | None:
        """Return what ``summary.json`` says of a measure, from every system's subjects; None if nobody was asked."""

    def write(self, folder: Path, subjects: Iterable[tuple[str, Subjects]]) -> None:
        """Write its files into a run folder, from the subjects of each measure and system."""

    def asked(self, folder: Path) -> dict[str, bytes]:
        """Return the prompt of each item of each measure, by a key for both, as a run folder has it."""

    def examples(self, folder: Path) -> Iterator[Example]:
        """Return the systems' answers under its measures, as a run folder has them."""

    def examples_of(self, subjects: Subjects) -> Iterator[Example]:
        """The same from the subjects of one measure and system."""

    def lines(self, sections: Sequence[Any]) -> Iterator[str]:
        """Notes below a leaderboard."""

    def page(self, sections: Sequence[Any]) -> Section | None:
        """Its part of a study's page; None if breakdowns show everything."""


@runtime_checkable
class Located(Protocol):
    """A system with a path that is relative to the study file."""

    def located(self, folder: Path) -> System:
        """The system with the path as seen from anywhere."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric under the label the study gave it."""

    label: str
    metric: Metric[Any]
    summary: str
    """Summary in one line."""
    subjects: Callable[[Respondent, Tools], Subjects]
    """Return the subjects of the metric: a system's examples, or what its capability asks more."""
    inputs: Mapping[str, Path | None] = field(default_factory=dict)
    """The files it reads, by the option that names each; None where a study does not name it."""
    full_label: str = ""
    """With the names of its files, for studies that ask the same of several files; empty where that changes nothing."""
    asks: Hashable = None
    """All that moves the subjects; measures for which it is equal share them. None if nothing is shared."""
    breakdowns: Callable[[Subjects], Iterable[Part]] | None = None
    """Parts of a system's subjects that have scores of their own; None if there are none."""
    contexts: Callable[[], Iterable[tuple[str, Hashable]]] | None = None
    """Reader of the contexts by which its items are resampled, beside their ids; None if ids tell."""
    asking: Asking | None = None
    """The measure as its capability made it from a study's options; None of a metric of answers."""
    capability: Capability | None = None
    """None where it judges the answers to the study's prompts."""
    shown_by: Capability | None = None
    """Of a metric of answers: the capability that has a section about it, where one does."""
    pool: str = ""
    """Of a metric of answers to acts: whose references count, which takes all items; empty for each item's own."""


def can_answer(system: System) -> bool:
    """Whether the system answers prompts; kinds of a capability may do something else, as choose."""
    # By its class: a broken system would be asked for all of its properties otherwise.
    return any(hasattr(type(system), verb) for verb in ("generate", "replay"))


def recorded_items(system: System) -> Collection[str] | None:
    """Ids of what a system recorded that answers no prompts, as whole dialogues; None of other systems."""
    able: Any = system  # by its class, likewise
    return able.items if hasattr(type(system), "items") and not can_answer(system) else None


def recorded_dialogues(system: System) -> Sequence[Any]:
    """Return the whole dialogues that a system recorded; none of other systems."""
    able: Any = system  # by its class, likewise
    return able.dialogues if hasattr(type(system), "dialogues") else ()


def recorded_together(systems: Iterable[System]) -> list[str]:
    """Return ids of what these systems recorded that answer no prompts, each once; a file that fails has none."""
    found: dict[str, None] = {}
    for system in systems:
        with suppress(DialevalError):  # which is told when the system is asked
            found |= dict.fromkeys(recorded_items(system) or ())
    return list(found)
