"""The section of a study's page about contradictions."""

from __future__ import annotations

from collections.abc import Sequence

from dialeval.consistency.document import ConsistencyInfo
from dialeval.consistency.report import tables
from dialeval.consistency.report.page import PACKAGE
from dialeval.display.pages import Section, template
from dialeval.display.wording import number


def contradictions_section(measures: Sequence[ConsistencyInfo]) -> Section:
    """Rates, and the clashing turns of each system, under each measure of consistency."""
    shown = [
        (
            info,
            tables.rates(info.systems),
            [
                (rate.system, [each for each in info.worst if each.system == rate.system])
                for rate in info.systems
            ],
        )
        for info in measures
    ]
    html = template(PACKAGE, "section.html").render(shown=shown)
    return Section("consistency", "Contradictions", "Where it contradicts itself", html)


def consistency_note(info: ConsistencyInfo) -> str:
    """What a measure of consistency asked, and from which probability on it counts."""
    return f"{info.measure}: {info.status}; contradictory from probability {number(info.band[1], 2)}"
