"""Tasks by name: evaluations that ask systems for more than a response, or have a part of a study's page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from dialeval.lazy import Table

if TYPE_CHECKING:
    from dialeval.evaluation.measure import Capability


class Traits(NamedTuple):
    """Traits of a task that are known without importing it."""

    measures: tuple[str, ...] = ()
    """Those that ask systems for more than one response per prompt."""
    shows: tuple[str, ...] = ()
    """Measures of responses that its part of the page explains."""


TASKS: Final[Table[Capability, Traits]] = Table(Traits())
"""Each brings its measures, and its parts of a study's files and pages."""


_CHOICES: Final = ("accuracy", "consistency", "mrr", "hits", "random")


@TASKS.entry("selection", Traits(measures=tuple(f"selection_{name}" for name in _CHOICES)))
def _selection() -> Capability:
    from dialeval.selection.measure import Selection

    return Selection()


@TASKS.entry("consistency", Traits(measures=("consistency", "contradictions")))
def _consistency() -> Capability:
    from dialeval.consistency.measure import ConsistencyCapability

    return ConsistencyCapability()


@TASKS.entry("nbest", Traits(measures=("nbest", "nbest_variety")))
def _nbest() -> Capability:
    from dialeval.nbest.measure import NBestLists

    return NBestLists()


@TASKS.entry("nlg", Traits(shows=("slot_error_rate",)))
def _nlg() -> Capability:
    from dialeval.nlg.measure import SlotErrors

    return SlotErrors()


MEASURES: Final = {measure: name for name, traits in TASKS.traits.items() for measure in traits.measures}
"""The task of each measure that asks systems for more than one response per prompt."""


def task_asking(measure: str) -> Capability | None:
    """Return the task with that measure; None for a measure of responses."""
    return TASKS[MEASURES[measure]] if measure in MEASURES else None


def task_showing(measure: str) -> Capability | None:
    """Return the task whose part of the page explains a measure of responses; None if there is none."""
    return next((TASKS[name] for name, traits in TASKS.traits.items() if measure in traits.shows), None)
