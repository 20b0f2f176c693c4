"""The self-contained HTML page of ``dialeval nbest measure``, and the section of a study's page."""

from __future__ import annotations

from collections.abc import Sequence

from dialeval.display.pages import Section, asset, policy, template
from dialeval.display.wording import count, number
from dialeval.nbest.document import NBestDocument, NBestInfo
from dialeval.nbest.report.plots import curve_pictures
from dialeval.nbest.report.tables import results_table

_PACKAGE = "dialeval.nbest.report"


def page_of(document: NBestDocument) -> str:
    """The page of what was measured."""
    from markupsafe import Markup

    style = asset("page.css")
    return template(_PACKAGE, "nbest.html").render(
        document=document,
        results=results_table(document.results, notes=document.notes),
        curves=results_table(document.curves, "By list size") if document.curves else None,
        plots=curve_pictures(document.curves),
        style=Markup(style),
        policy=policy(style=style),
    )


def lists_section(measures: Sequence[NBestInfo]) -> Section:
    """Certainty and Variety under each measure, with plots, as a section of another page."""
    shown = [(info, results_table(info.results), curve_pictures(info.curves)) for info in measures]
    html = template(_PACKAGE, "lists.html").render(measures=shown)
    return Section("nbest", "N-best lists", "Certainty and Variety of n-best lists", html)


def lists_note(info: NBestInfo) -> str:
    """What a measure over n-best lists asked about, in a line."""
    parts = [
        f"{result.system} {result.kind} {number(result.certainty)}/{number(result.variety)}"
        for result in info.results
    ]
    asked = f"{info.measure}: {count(info.stimuli, 'stimulus')}" if info.stimuli == 1 else ""
    asked = asked or f"{info.measure}: {info.stimuli:,} stimuli"
    return f"{asked}; Certainty/Variety: {', '.join(parts)}"
