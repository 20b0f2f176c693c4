"""Slot errors as a study knows them: a metric of its answers, with a section of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from dialeval.core import Resampling, System
from dialeval.data.types import Example
from dialeval.display.pages import Section
from dialeval.display.wording import count
from dialeval.evaluation.measure import Asking, Measure, Subjects
from dialeval.evaluation.runs import Repetition
from dialeval.nlg.document import ItemFindings, SlotsInfo
from dialeval.nlg.slots.metric import SlotErrorRate
from dialeval.nlg.slots.summary import FOUND_BY, item_findings, notes_on, slot_counts
from dialeval.text.calls import construct

SHOWN: Final = 20
"""How many sentences of each system a page shows, those with most errors first."""


class SlotErrors:
    """Slot errors in a study: no system is asked anything more, so there is nothing to write or to read back."""

    name: Final = "nlg"
    measures: Final[Mapping[str, Callable[..., Asking]]] = {}
    systems: Final[Mapping[str, Callable[..., System]]] = {}
    hint: Final = "slot_error_rate"
    document: Final = SlotsInfo
    shows: Final = frozenset({"slot_error_rate"})
    """Metrics of answers about which it has a section."""
    files: Final[tuple[str, ...]] = ()

    def section(
        self, measure: Measure, subjects: Mapping[str, Subjects], resampling: Resampling
    ) -> SlotsInfo | None:
        """What became of the slots of every system's answers; None where no act can be checked.

        Parts of the rate have none, since the section of the whole shows them all. Of other profiles there are notes
        only, since the errors of single slots would not add up to their rates.
        """
        metric = construct(measure.label, {"slot_error_rate": SlotErrorRate}, kind="metric")
        if metric.part != "total" or metric.of != "response":
            return None
        examples = [example for given in subjects.values() for example in _examples(given)]
        items = item_findings(metric, examples)
        if not items:
            return None
        rate = _references(metric, examples)
        shown = items if metric.profile == FOUND_BY else []
        return SlotsInfo(
            measure=measure.label,
            status=f"{count(len(items), 'sentence')}, matched by rules and not by people",
            references=rate,
            notes=notes_on(metric, examples, {} if rate is None else {"all systems": rate}),
            counts=tuple(slot_counts(shown)),
            items=tuple(_worst(shown)),
        )

    def write(self, folder: Path, subjects: Iterable[tuple[str, Subjects]]) -> None:
        """Nothing: the answers are the study's own."""

    def asked(self, folder: Path) -> dict[str, bytes]:
        """Nothing more than the study's prompts."""
        return {}

    def examples(self, folder: Path) -> Iterator[Example]:
        """None but the study's own."""
        return iter(())

    def examples_of(self, subjects: Subjects) -> Iterator[Example]:
        """None but the study's own."""
        return iter(())

    def lines(self, sections: Sequence[SlotsInfo]) -> Iterator[str]:
        """How far each measure can be trusted."""
        from dialeval.nlg.report.section import slots_note

        return map(slots_note, sections)

    def page(self, sections: Sequence[SlotsInfo]) -> Section:
        """Counts, and sentences with their slots underlined."""
        from dialeval.nlg.report.section import slots_section

        return slots_section(sections)


def _examples(subjects: Subjects) -> Iterator[Example]:
    """The answers; of several runs, those of the first."""
    for subject in subjects:
        answer = subject.answers[0] if isinstance(subject, Repetition) else subject
        if isinstance(answer, Example):
            yield answer


def _references(metric: SlotErrorRate, examples: Sequence[Example]) -> float | None:
    """The slot error rate of the references of these examples; each item counts once."""
    own = SlotErrorRate(profile=metric.profile, of="references", aliases=metric.aliases)
    items = {example.item: example for example in examples if own.unscorable(example) is None}
    if not items:
        return None
    rows = own.fit(list(items.values())).statistics(list(items.values()))
    return float(own.aggregate(np.asarray(rows.sum(axis=0))))


def _worst(items: Sequence[ItemFindings]) -> Iterator[ItemFindings]:
    for system in dict.fromkeys(item.system for item in items):
        ranked = sorted((item for item in items if item.system == system), key=lambda item: -item.errors)
        yield from ranked[:SHOWN]
