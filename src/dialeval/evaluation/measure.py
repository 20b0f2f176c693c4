"""The interface between a study and its evaluations: measures, kinds of systems, parts of files and pages.

A metric over responses is a measure as it is. An evaluation that asks systems more than one response per prompt is a
`Capability`: it brings measures of its own, and everything a study writes, reads or shows of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from dialeval.core import CorpusMeasure, Metric, Missing, Resampling, Subject, System
from dialeval.data import Example
from dialeval.display.pages import Section
from dialeval.engine import Cache, Executor, Watch, unwatched
from dialeval.evaluation.shards import Shard

Q = TypeVar("Q")
Subjects: TypeAlias = Sequence[Subject | Missing]
AnyMetric: TypeAlias = Metric[Any] | CorpusMeasure[Any]


@dataclass(frozen=True, slots=True)
class Respondent:
    """A system in a study, with what it answered to every prompt."""

    system: System
    examples: Sequence[Example | Missing]
    runs: Sequence[Sequence[Example | Missing]] = ()
    """The same for each of several runs, the first of which are the examples; nothing where there is one."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a measure may use to ask a system more."""

    cache: Cache | None = None
    watch: Watch = unwatched
    limit: int | None = None
    """Use only the first questions."""
    shard: Shard | None = None
    """Ask only the questions of this shard; None where all are asked."""
    executor: Executor | None = None
    """Where systems are asked; None for this process."""

    def share(self, questions: Sequence[Q], at_once: int) -> Sequence[Q]:
        """The questions to ask here, of those that are asked in batches of ``at_once``."""
        return questions if self.shard is None else self.shard.part_of(questions, at_once)


class Asking(Protocol):
    """A measure of a capability, as its constructor makes it from a study's options."""

    @property
    def metric(self) -> AnyMetric:
        """What judges the subjects."""

    @property
    def inputs(self) -> Mapping[str, str | None]:
        """The files it reads, by the option that names each; None where a study does not name it."""

    def subjects(self, inputs: Mapping[str, Path], respondent: Respondent, tools: Tools) -> Subjects:
        """What the metric is asked about for one system: its choices, its n-best lists, its answers to probes."""


class SectionDocument(Protocol):
    """What ``summary.json`` says of one measure of a capability beside its scores."""

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
    def systems(self) -> Mapping[str, Callable[..., System]]:
        """Kinds of systems that only its measures can use."""

    @property
    def hint(self) -> str:
        """A measure as one writes it in a study, for messages."""

    @property
    def document(self) -> type[SectionDocument]:
        """The type of its part of ``summary.json``, one value per measure."""

    def section(
        self, label: str, subjects: Mapping[str, Subjects], resampling: Resampling
    ) -> SectionDocument | None:
        """What ``summary.json`` says of a measure, from every system's subjects; None where nobody was asked."""

    def write(self, folder: Path, subjects: Iterable[tuple[str, Subjects]]) -> None:
        """Write its files into a run folder, from the subjects of each measure and system."""

    def asked(self, folder: Path) -> dict[str, bytes]:
        """What each item of each measure asked, by a key for both, as a run folder has it."""

    def examples(self, folder: Path) -> Iterator[Example]:
        """What systems answered under its measures, as a run folder has it."""

    def examples_of(self, subjects: Subjects) -> Iterator[Example]:
        """The same from the subjects of one measure and system."""

    def lines(self, sections: Sequence[Any]) -> Iterator[str]:
        """Notes below a leaderboard."""

    def page(self, sections: Sequence[Any]) -> Section:
        """Its part of a study's page."""


@runtime_checkable
class Located(Protocol):
    """A system with a path that is relative to the study file."""

    def located(self, folder: Path) -> System:
        """The system with the path as seen from anywhere."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric or corpus measure under the label the study gave it."""

    label: str
    metric: AnyMetric
    summary: str
    """What it measures, in one line."""
    subjects: Callable[[Respondent, Tools], Subjects]
    """What the metric is asked about: a system's examples, or what its capability asks more."""
    inputs: Mapping[str, Path | None] = field(default_factory=dict)
    """The files it reads, by the option that names each; None where a study does not name it."""
    full_label: str = ""
    """With the names of its files, for studies that ask the same of several files; empty where that changes nothing."""
    capability: Capability | None = None
    """None where it judges the answers to the study's prompts."""
    shown_by: Capability | None = None
    """Of a metric of answers: the capability that has a section about it, where one does."""


def can_answer(system: System) -> bool:
    """Whether the system answers prompts; kinds of a capability may do something else, as choose."""
    # By its class: a broken system would be asked for all of its properties otherwise.
    return any(hasattr(type(system), verb) for verb in ("generate", "replay"))
