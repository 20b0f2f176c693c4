"""The page of the analyses of labelled answers."""

from __future__ import annotations

from typing import Final

from dialeval.consistency.document import AnalysisDocument
from dialeval.consistency.report import tables
from dialeval.display.pages import asset, policy, template

PACKAGE: Final = "dialeval.consistency.report"


def analysis_page(document: AnalysisDocument) -> str:
    """The page of the analyses; the same document gives the same bytes."""
    from markupsafe import Markup

    style = asset("page.css")
    return template(PACKAGE, "analysis.html").render(
        document=document,
        tables=tables.analyses(document),
        sentence=tables.kappa_sentence(document),
        style=Markup(style),
        policy=policy(style=style),
    )
