"""The page about measures and people, as one self-contained HTML file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from dialeval.display.notes import texts
from dialeval.display.pages import Picture, Section, asset, policy, template
from dialeval.display.table import Table
from dialeval.display.wording import count
from dialeval.meta.document import Document, NotJoined, Points
from dialeval.meta.report import plots, tables
from dialeval.meta.report.verdict import verdict

ASSETS: Final = "dialeval.meta.report"


@dataclass(frozen=True, slots=True)
class View:
    """A document as tables, pictures and lines, for the two pages that show one."""

    notes: tuple[str, ...]
    """Notes to read before the numbers: who counted as what, names that are nearly alike."""
    levels: tuple[Table, ...]
    main: int
    """Which of the levels is spoken of first."""
    rivals: tuple[Table, ...]
    ceiling: Table
    raters: Table
    combined: Table
    estimates: tuple[Table, ...]
    trust: Table
    instances: tuple[Table, ...]
    planning: Table
    joint: Table
    unjoined: tuple[str, ...]
    unjoined_title: str
    scatters: list[Picture]
    heat_maps: list[Picture]
    boxes: list[Picture]


def view(document: Document, points: Points) -> View:
    """Return the tables, pictures and lines that pages show of a document."""
    levels = [level for level in document.settings.levels if document.at(level)]
    levels.sort(key=lambda level: all(row.value is None for row in document.at(level)))
    return View(
        notes=texts(document.notes),
        levels=tuple(tables.agreement(document, level) for level in levels),
        main=levels.index(document.main_level) if levels else 0,
        rivals=tuple(tables.rivals(document, level) for level in levels),
        ceiling=tables.ceiling(document),
        raters=tables.raters(document),
        combined=tables.combined(document),
        estimates=tuple(
            table
            for estimates in document.estimates
            for table in (tables.estimates(estimates), tables.differences(estimates))
            if table.rows
        ),
        trust=tables.trust(document),
        instances=tuple(map(tables.instances, document.instances)),
        planning=tables.planning(document),
        joint=tables.joint(document),
        unjoined=tuple(tables.unjoined(document)),
        unjoined_title=_unjoined_title(document.unjoined),
        scatters=plots.scatters(document, points),
        heat_maps=plots.heat_maps(document),
        boxes=plots.box_plots(document),
    )


def _unjoined_title(apart: NotJoined) -> str:
    total = apart.unknown
    what = f"{count(total, 'answer')} of an item or system that the other side does not know"
    first = f" (the first {len(apart.first)})" if len(apart.first) < total else ""
    merely = [
        f"{number:,} {word}"
        for number, word in ((apart.not_rated, "not rated"), (apart.not_scored, "not scored"))
        if number
    ]
    return f"{what}{first}" + (f"; in addition, {' and '.join(merely)}" if merely else "")


class Page(NamedTuple):
    """The page of a document, and its plots by the names of their files."""

    html: str
    plots: Mapping[str, bytes]


def page_of(document: Document, points: Points) -> Page:
    """The document as one self-contained HTML file; the same document gives the same bytes."""
    from markupsafe import Markup

    style, shown = asset("page.css") + asset("meta.css", ASSETS), view(document, points)
    html = template(ASSETS, "meta.html").render(
        document=document,
        verdict=verdict(document),
        view=shown,
        style=Markup(style),
        policy=policy(style=style),
    )
    kinds = {"scatter": shown.scatters, "correlations": shown.heat_maps, "boxes": shown.boxes}
    plots = {_file_name(kind, plot): plot.svg for kind, plots in kinds.items() for plot in plots}
    return Page(html, plots)


def _file_name(kind: str, plot: Picture) -> str:
    name = re.sub(r"\W+", "-", plot.title.lower()).strip("-")
    return f"{kind}-{name}.svg"


def people_section(document: Document, points: Points) -> Section:
    """Whether the measures agree with people, as a section of another page."""
    html = template("dialeval.meta.report", "people.html").render(
        people=view(document, points), agreement=verdict(document)
    )
    return Section("people", "People", "Do the measures agree with people?", html)
