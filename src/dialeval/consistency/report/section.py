"""The section of a study's page about contradictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dialeval.consistency.document import ConsistencyInfo, DialoguesInfo
from dialeval.consistency.report import tables
from dialeval.consistency.report.page import PACKAGE
from dialeval.display.pages import Section, template
from dialeval.display.table import Table
from dialeval.display.wording import count, number, percent

MOSTLY: Final = 0.5
"""The share of answers from which a system is said to repeat others, or itself."""
FEWEST: Final = 5
"""Number of answers from which a system can be said to repeat itself."""


def contradictions_section(measures: Sequence[ConsistencyInfo | DialoguesInfo]) -> Section:
    """Rates, and the clashing turns of each system, under each measure of consistency."""
    shown = [
        (
            info,
            "detected.jsonl" if isinstance(info, DialoguesInfo) else "contradictions.jsonl",
            tables.rates(info.systems, tables.notes_of(info) if isinstance(info, DialoguesInfo) else ()),
            [
                (rate.system, [each for each in info.worst if each.system == rate.system])
                for rate in info.systems
            ],
            _beside(info) if isinstance(info, ConsistencyInfo) else [],
        )
        for info in measures
    ]
    html = template(PACKAGE, "section.html").render(shown=shown)
    return Section("consistency", "Contradictions", "Where it contradicts itself", html)


def _beside(info: ConsistencyInfo) -> list[Table]:
    """Tables of what people say of the same answers, and of their relevance."""
    notes = [_others(info)] if info.others_labelled else []
    people = [tables.people_rates(info.people, notes=notes)] if info.people or notes else []
    return [*people, tables.relevance(info.relevance)]


def notes_of(info: ConsistencyInfo | DialoguesInfo) -> Iterator[str]:
    """What was asked or compared, from which probability on it counts, and whether consistency is earned."""
    yield f"{info.measure}: {info.status}; contradictory from probability {number(info.band[1], 2)}"
    if isinstance(info, DialoguesInfo):
        yield from tables.notes_of(info)
        return
    for rate in info.people:
        if rate.any.value is not None and rate.all.value is not None:
            yield (
                f"{info.measure}: raters call {percent(rate.all.value)} (all of them) to {percent(rate.any.value)} (any"
                f" of them) of {count(rate.answers, 'labelled answer')} of {rate.system} contradictory"
            )
    if info.others_labelled:
        yield f"{info.measure}: {_others(info)}"
    if info.relevance:
        each = [
            f"{one.system} {number(one.cosine.value, 2)}, {percent(one.repeats.value)}"
            for one in info.relevance
            if one.repeats.value is not None
        ]
        yield (
            f"{info.measure}: relevance of the same answers (cosine to the last turn, share that repeats a turn): "
            f"{'; '.join(each)}"
        )
    for one in info.relevance:
        if one.repeats.value is not None and one.repeats.value >= MOSTLY:
            yield (
                f"{info.measure}: {one.system} merely repeats what was said in {percent(one.repeats.value)} of its "
                "answers, which contradict nothing for that reason"
            )
        elif one.commonest is not None and one.repeats.n >= FEWEST and one.commonest >= MOSTLY:
            yield (
                f"{info.measure}: {one.system} gives one and the same answer to {percent(one.commonest)} of probes: "
                "its consistency says little"
            )


def _others(info: ConsistencyInfo) -> str:
    return f"{count(info.others_labelled, 'labelled answer')} that no system of this run gave"
