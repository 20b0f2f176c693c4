"""The evaluations that a study can include, in one table; each is imported when it is first asked for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from dialeval.lazy import LazyTable, at_place

if TYPE_CHECKING:
    from dialeval.evaluation.measure import Capability


class Entry(NamedTuple):
    """A line of the table: a capability, and what can be known of it without importing it."""

    name: str
    place: str
    """``package.module:Class``."""
    measures: tuple[str, ...] = ()
    """Those that ask systems more than one response per prompt."""
    shows: tuple[str, ...] = ()
    """Measures of responses that its part of the page explains."""


class Capabilities(LazyTable["Capability"]):
    """Capabilities by name."""

    def __init__(self, *entries: Entry) -> None:
        self.entries: Final = {entry.name: entry for entry in entries}
        self.measures: Final = {name: entry.name for entry in entries for name in entry.measures}
        """The capability of each measure that asks systems more than one response per prompt."""
        super().__init__({entry.name: partial(_made, entry.place) for entry in entries})

    def asking(self, measure: str) -> Capability | None:
        """The capability with that measure; None where it is a measure of responses."""
        return self[self.measures[measure]] if measure in self.measures else None

    def showing(self, measure: str) -> Capability | None:
        """The capability whose part of the page explains a measure of responses; None without one."""
        return next((self[name] for name, entry in self.entries.items() if measure in entry.shows), None)


def _made(place: str) -> Capability:
    capability: Capability = at_place(place)()
    return capability


CAPABILITIES: Final = Capabilities(
    Entry(
        "selection",
        "dialeval.selection.measure:Selection",
        measures=("selection_accuracy", "selection_consistency"),
    ),
    Entry("consistency", "dialeval.consistency.measure:ConsistencyCapability", measures=("consistency",)),
    Entry("nbest", "dialeval.nbest.measure:NBestLists", measures=("nbest", "nbest_variety")),
    Entry("nlg", "dialeval.nlg.measure:SlotErrors", shows=("slot_error_rate",)),
)
"""Each brings its measures, and its parts of a study's files and pages."""
