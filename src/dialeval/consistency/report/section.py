"""The section of a study's page about contradictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dialeval.consistency.document import ConsistencyInfo, DialoguesInfo
from dialeval.consistency.report import tables
from dialeval.consistency.report.page import PACKAGE
from dialeval.display.pages import Section, template
from dialeval.display.wording import number


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
        )
        for info in measures
    ]
    html = template(PACKAGE, "section.html").render(shown=shown)
    return Section("consistency", "Contradictions", "Where it contradicts itself", html)


def notes_of(info: ConsistencyInfo | DialoguesInfo) -> Iterator[str]:
    """What was asked or compared, and from which probability on it counts."""
    yield f"{info.measure}: {info.status}; contradictory from probability {number(info.band[1], 2)}"
    if isinstance(info, DialoguesInfo):
        yield from tables.notes_of(info)
