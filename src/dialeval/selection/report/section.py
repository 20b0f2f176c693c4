"""The section of a study's page about choices among candidates."""

from __future__ import annotations

from collections.abc import Sequence

from dialeval.display.pages import Section, template
from dialeval.display.wording import count, number
from dialeval.selection.document import SelectionInfo
from dialeval.selection.report.page import error_views


def choices_section(measures: Sequence[SelectionInfo]) -> Section:
    """Ties and errors under each measure over choices, as a section of another page."""
    selection = [
        (info, error_views((system.system, system.errors) for system in info.systems)) for info in measures
    ]
    html = template("dialeval.selection.report", "choices.html").render(selection=selection)
    return Section("selection", "Choices", "Choices among candidates", html)


def question_note(info: SelectionInfo) -> str:
    """What a measure over choices asked about, and whether people have vetted it."""
    asked = f"{info.measure}: {count(info.questions, 'question')}, chance {number(info.chance)}"
    return f"{asked}; {info.status}"
