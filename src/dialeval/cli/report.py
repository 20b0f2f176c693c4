"""``dialeval report``: the page of a folder that another verb wrote, or a run's leaderboard as Markdown."""

from __future__ import annotations

import json as jsonlib
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from dialeval.cli.options import Json
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.errors import BadInput
from dialeval.files.atomic import write_atomically
from dialeval.files.folders import check_links
from dialeval.lazy import Table
from dialeval.options import Argument, Option
from dialeval.study import read_run, render
from dialeval.study.report.text import ENDINGS, EXPORTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Renderer: TypeAlias = Callable[[Path], Path]

RENDERERS: Final[Table[Renderer, None]] = Table(None)
"""Renderers of folders other than runs, by a file that each has."""


@RENDERERS.entry("meta.json")
def _meta() -> Renderer:
    from dialeval.meta.folder import render_meta

    return render_meta


@RENDERERS.entry("analysis.json")
def _analysis() -> Renderer:
    from dialeval.consistency.folder import render_analysis

    return render_analysis


WITHOUT_A_PAGE: Final = {
    "vetting.json": "a vetted test set, written by 'dialeval select vet'",
    "labelling.json": "a labelled test set, written by 'dialeval select label'",
    "key.jsonl": "tasks for raters",
    "repository.json": "a repository of utterances, written by 'dialeval select build'",
    "generator.json": "a trained generator, written by 'dialeval train generator'",
}
"""Our other folders, by a file that each has."""


def report(
    folder: Annotated[
        Path,
        Argument(
            help="A folder written by run, nbest measure, select ask, consistency detect or analyse, or meta.",
            metavar="FOLDER",
        ),
    ],
    format: Annotated[
        str | None,
        Option("--format", help="Print a run's results as md, latex, csv or junit and write no page."),
    ] = None,
    out: Annotated[
        Path | None,
        Option(
            "--out", "-o", help="Write them to this file instead: .md, .tex, .csv or .xml says the format."
        ),
    ] = None,
    markdown: Annotated[bool, Option("--markdown", help="The same as --format md.")] = False,
    open_page: Annotated[bool, Option("--open", help="Show the page in a browser.")] = False,
    json: Json = False,
) -> None:
    """Rebuild the page of a folder, such as report.html of a run or meta.html, and print its path.

    Example: dialeval report runs/monday --open
    """
    chosen = _export("md" if markdown else format, out)
    if chosen is not None:
        if json or open_page:
            given = "--markdown" if markdown else "--format"
            raise BadUsage("cannot be combined with --json or --open, since it writes no page", where=given)
        _write_export(folder, chosen, out)
        return
    path = _rendered(folder)
    print(jsonlib.dumps({"report": str(path)}, ensure_ascii=False) if json else path)
    if open_page and not webbrowser.open(path.resolve().as_uri()):
        print("No browser could be started; open the file above yourself.", file=sys.stderr)


def _rendered(folder: Path) -> Path:
    """Write the folder's page, and return its path."""
    check_links(folder)
    for name in RENDERERS:
        if (folder / name).is_file():
            return RENDERERS[name](folder)
    for name, kind in WITHOUT_A_PAGE.items():
        if (folder / name).is_file():
            raise BadInput(
                path=str(folder),
                found=kind,
                expected="a folder with a page",
                todo="Give a folder from 'dialeval run', or of another command that 'dialeval report --help' lists.",
            )

    return render(folder)


def _export(format: str | None, out: Path | None) -> str | None:
    """The format that was asked for; None for the page."""
    chosen = format or (ENDINGS.get(out.suffix.lower(), out.suffix or out.name) if out else None)
    if chosen is not None and chosen not in EXPORTS:
        hint = "--format" if format else "--out"
        raise BadUsage(f"found {chosen!r}; there are {', '.join(EXPORTS)}", where=hint)
    return chosen


def _write_export(folder: Path, format: str, out: Path | None) -> None:
    run = read_run(folder)
    text = EXPORTS[format](run.summary, run.notes)
    if out is None:
        print(text, end="")
    else:
        write_atomically(out, text.encode(), follow=True)
        print(out)
