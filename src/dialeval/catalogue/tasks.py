"""Tasks by name: evaluations that ask systems for more than a response, or have a part of a study's page."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from dialeval.catalogue.systems import SYSTEMS
from dialeval.lazy import Table

if TYPE_CHECKING:
    from dialeval.catalogue.systems import SystemMaker
    from dialeval.evaluation.measure import Capability


class Traits(NamedTuple):
    """Traits of a task that are known without importing it."""

    measures: tuple[str, ...] = ()
    """Those that ask systems for more than one response per prompt."""
    shows: tuple[str, ...] = ()
    """Measures of responses that its part of the page explains."""
    systems: tuple[str, ...] = ()
    """Kinds of systems that only its measures can use."""
    files: tuple[str, ...] = ()
    """Files that it writes into a run folder."""


TASKS: Final[Table[Capability, Traits]] = Table(Traits())
"""Each brings its measures, and its parts of a study's files and pages."""


_CHOICES: Final = ("accuracy", "consistency", "mrr", "hits", "random")
_SELECTION: Final = Traits(
    measures=tuple(f"selection_{name}" for name in _CHOICES),
    systems=("encoder", "tfidf"),
    files=("choices.jsonl",),
)
_CONSISTENCY: Final = Traits(
    measures=("consistency", "contradictions"),
    systems=("dialogues",),
    files=("contradictions.jsonl", "detected.jsonl"),
)


@TASKS.entry("selection", _SELECTION)
def _selection() -> Capability:
    from dialeval.selection.measure import Selection

    return Selection()


@TASKS.entry("consistency", _CONSISTENCY)
def _consistency() -> Capability:
    from dialeval.consistency.measure import ConsistencyCapability

    return ConsistencyCapability()


@TASKS.entry(
    "nbest", Traits(measures=("nbest", "nbest_variety", "nbest_filter"), files=("nbest.jsonl", "sweep.jsonl"))
)
def _nbest() -> Capability:
    from dialeval.nbest.measure import NBestLists

    return NBestLists()


@TASKS.entry("talks", Traits(files=("talks.jsonl",)))
def _talks() -> Capability:
    from dialeval.talks.measure import Talks

    return Talks()


@TASKS.entry("nlg", Traits(shows=("slot_error_rate",)))
def _nlg() -> Capability:
    from dialeval.nlg.measure import SlotErrors

    return SlotErrors()


def _maker(task: str, kind: str) -> SystemMaker:
    return TASKS[task].systems[kind]


MEASURES: Final = {measure: name for name, traits in TASKS.traits.items() for measure in traits.measures}
"""The task of each measure that asks systems for more than one response per prompt."""


KINDS: Final[Table[SystemMaker, None]] = Table(None)
"""Kinds of systems of a study: those that answer or answered, and those that only the measures of a task can use."""
for _kind in SYSTEMS:
    KINDS.add(_kind, partial(SYSTEMS.__getitem__, _kind))
for _task, _traits in TASKS.traits.items():
    for _kind in _traits.systems:
        KINDS.add(_kind, partial(_maker, _task, _kind))


def task_asking(measure: str) -> Capability | None:
    """Return the task with that measure; None for a measure of responses."""
    return TASKS[MEASURES[measure]] if measure in MEASURES else None


def task_showing(measure: str) -> Capability | None:
    """Return the task whose part of the page explains a measure of responses; None if there is none."""
    return next((TASKS[name] for name, traits in TASKS.traits.items() if measure in traits.shows), None)
