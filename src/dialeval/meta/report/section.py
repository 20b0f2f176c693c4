"""The section of a study's page about measures and people."""

from __future__ import annotations

from dialeval.display.pages import Section, template
from dialeval.meta.document import Document, Points
from dialeval.meta.report.page import view
from dialeval.meta.report.verdict import verdict


def people_section(document: Document, points: Points) -> Section:
    """Whether the measures agree with people, as a section of another page."""
    html = template("dialeval.meta.report", "people.html").render(
        people=view(document, points), agreement=verdict(document)
    )
    return Section("people", "People", "Do the measures agree with people?", html)
