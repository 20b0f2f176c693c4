"""One self-contained HTML file from a folder that ``dialeval meta`` wrote."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dialeval.display.pages import Picture, asset, policy, template
from dialeval.display.table import Table
from dialeval.display.wording import count
from dialeval.files.atomic import write_atomically
from dialeval.files.documents import Origin, read_document as read_json_document, require_file
from dialeval.meta.report import estimate_tables, instance_tables, pictures, plan_tables, tables
from dialeval.meta.report.document import Document, Unjoined
from dialeval.meta.report.points import Points, read_points
from dialeval.meta.report.verdict import main_level, verdict

META: Final = Origin("a folder as written by 'dialeval meta'", "Run the command again.")


@dataclass(frozen=True, slots=True)
class View:
    """A document as tables, pictures and lines, for the two pages that show one."""

    notes: tuple[str, ...]
    """What to know before the numbers: who counted as what, names that are nearly alike."""
    levels: tuple[Table, ...]
    main: int
    """Which of the levels is spoken of first."""
    rivals: tuple[Table, ...]
    ceiling: Table
    raters: Table
    combined: Table
    estimates: tuple[Table, ...]
    instances: tuple[Table, ...]
    planning: Table
    joint: Table
    unjoined: tuple[str, ...]
    unjoined_title: str
    scatters: list[Picture]
    heat_maps: list[Picture]
    boxes: list[Picture]


def view(document: Document, points: Points) -> View:
    """What the pages show of a document."""
    levels = [level for level in document.settings.levels if document.at(level)]
    return View(
        notes=document.notes,
        levels=tuple(tables.agreement(document, level) for level in levels),
        main=levels.index(main_level(document)) if levels else 0,
        rivals=tuple(tables.rivals(document, level) for level in levels),
        ceiling=tables.ceiling(document),
        raters=tables.raters(document),
        combined=tables.combined(document),
        estimates=tuple(
            table
            for found in document.estimates
            for table in (estimate_tables.estimates(found), estimate_tables.differences(found))
            if table.rows
        ),
        instances=tuple(map(instance_tables.instances, document.instances)),
        planning=plan_tables.planning(document),
        joint=tables.joint(document),
        unjoined=tuple(tables.unjoined(document)),
        unjoined_title=_unjoined_title(document.unjoined),
        scatters=pictures.scatters(document, points),
        heat_maps=pictures.heat_maps(document),
        boxes=pictures.box_plots(document),
    )


def _unjoined_title(apart: Unjoined) -> str:
    if (
        apart.unknown is None
    ):  # as earlier versions wrote it: every cell that one side lacks, once for each measure
        total = apart.human + sum(one.only_measure for one in apart.measures)
        what = f"{count(total, 'value')} that did not join"
    else:
        total = apart.unknown
        what = f"{count(total, 'answer')} of an item or system that the other side does not know"
    first = f" (the first {len(apart.first)})" if len(apart.first) < total else ""
    merely = [
        f"{number:,} {word}"
        for number, word in ((apart.not_rated, "not rated"), (apart.not_scored, "not scored"))
        if number
    ]
    return f"{what}{first}" + (f"; besides, {' and '.join(merely)}" if merely else "")


def read_document(folder: Path) -> Document:
    """What ``meta.json`` in that folder says; BadInput names what is absent or damaged."""
    return read_json_document(Document, require_file(folder, "meta.json", META), META)


def render_meta(folder: str | Path, *, plots: bool = False) -> Path:
    """Write ``meta.html`` into the folder and return its path; the same folder gives the same bytes.

    With ``plots``, every plot of the page is also written as an SVG file of its own, into ``plots/``.
    """
    from markupsafe import Markup

    folder = Path(folder)
    document = read_document(folder)
    style = asset("page.css")
    shown = view(document, read_points(require_file(folder, "points.parquet", META)))
    page = template("dialeval.meta.report", "meta.html").render(
        document=document,
        verdict=verdict(document),
        view=shown,
        style=Markup(style),
        policy=policy(style=style),
    )
    path = folder / "meta.html"
    write_atomically(path, page.encode())
    if plots:
        _save_plots(shown, folder / "plots")
    return path


def _save_plots(shown: View, folder: Path) -> None:
    kinds = {"scatter": shown.scatters, "correlations": shown.heat_maps, "boxes": shown.boxes}
    for kind, plots in kinds.items():
        for plot in plots:
            name = re.sub(r"\W+", "-", plot.title.lower()).strip("-")
            write_atomically(folder / f"{kind}-{name}.svg", plot.svg)
