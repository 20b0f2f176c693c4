"""The page "Where it contradicts itself": two turns side by side, with filters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dialeval.consistency.document import AnalysisDocument, Detected, DetectedDocument
from dialeval.consistency.report import tables
from dialeval.display.pages import asset, policy, template

PACKAGE: Final = "dialeval.consistency.report"
SHOWN: Final = 200
"""Pairs on a page at most, the most probable first."""


def clashes(detected: Sequence[Detected], *, most: int = SHOWN) -> list[Detected]:
    """What a page shows: contradictions and ambiguous pairs, the most probable first."""
    kept = [each for each in detected if each.quotes is not None and each.verdict != "none"]
    return sorted(kept, key=lambda each: -(each.probability or 0.0))[:most]


def detected_page(document: DetectedDocument) -> str:
    """The page of what was detected; the same document gives the same bytes."""
    from markupsafe import Markup

    style, script = asset("page.css"), asset("contradictions.js", PACKAGE)
    shown = clashes(document.dialogues)
    return template(PACKAGE, "contradictions.html").render(
        document=document,
        rates=tables.rates(document.systems, tables.notes_of(document)),
        shown=shown,
        found=sum(each.verdict != "none" for each in document.dialogues),
        systems=list(dict.fromkeys(each.system for each in shown)),
        style=Markup(style),
        script=Markup(script),
        policy=policy(style=style, script=script),
    )


def analysis_page(document: AnalysisDocument) -> str:
    """The page of the analyses; the same document gives the same bytes."""
    from markupsafe import Markup

    style = asset("page.css")
    return template(PACKAGE, "analysis.html").render(
        document=document,
        features=tables.features(document),
        misses=tables.misses(document),
        draws=tables.draws(document),
        sentence=tables.kappa_sentence(document),
        style=Markup(style),
        policy=policy(style=style),
    )
