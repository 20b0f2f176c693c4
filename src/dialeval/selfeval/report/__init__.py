"""The section of a study's page about the worst dialogues, and which of their turns hurts; computes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from dialeval.display.pages import Section, template
from dialeval.selfeval.document import WeighedDialogue

PACKAGE = "dialeval.selfeval.report"


def turns_section(weighed: Sequence[WeighedDialogue]) -> Section:
    """The worst dialogues under each measure, by system, the turn that lowers the score most marked."""
    measures = [
        (
            measure,
            [
                (system, [each for each in weighed if (each.measure, each.system) == (measure, system)])
                for system in dict.fromkeys(each.system for each in weighed if each.measure == measure)
            ],
        )
        for measure in dict.fromkeys(each.measure for each in weighed)
    ]
    html = template(PACKAGE, "turns.html").render(measures=measures)
    return Section("turns", "Turns", "Which turn hurts", html)
