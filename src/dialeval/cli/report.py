"""``dialeval report``: the page of a folder that another verb wrote, or a run's leaderboard as Markdown."""

from __future__ import annotations

import json as jsonlib
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final

import typer

from dialeval.cli.options import Json

RENDERERS: Final = {
    "meta.json": ("dialeval.meta.folder", "render_meta"),
    "asked.json": ("dialeval.selection.folder", "render_asked"),
    "nbest.json": ("dialeval.nbest.folder", "render_measured"),
    "detected.json": ("dialeval.consistency.folder", "render_detected"),
    "analysis.json": ("dialeval.consistency.folder", "render_analysis"),
}
"""What renders the folders that are not of a run, by a file that each has; imported only where it is asked for."""
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
        typer.Argument(
            help="A folder written by run, meta, select ask, nbest measure, consistency detect or analyse.",
            metavar="FOLDER",
        ),
    ],
    format: Annotated[
        str | None,
        typer.Option("--format", help="Print a run's results as md, latex, csv or junit and write no page."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Write them to this file instead: .md, .tex, .csv or .xml says the format."
        ),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="The same as --format md.")] = False,
    open_page: Annotated[bool, typer.Option("--open", help="Show the page in a browser.")] = False,
    json: Json = False,
) -> None:
    """Rebuild the page of a folder, such as report.html of a run or meta.html, and print its path.

    Example: dialeval report runs/monday --open
    """
    chosen = _export("md" if markdown else format, out)
    if chosen is not None:
        if json or open_page:
            given = "--markdown" if markdown else "--format"
            raise typer.BadParameter(
                "cannot be combined with --json or --open, since it writes no page", param_hint=given
            )
        _write_export(folder, chosen, out)
        return
    path = _rendered(folder)
    print(jsonlib.dumps({"report": str(path)}, ensure_ascii=False) if json else path)
    if open_page and typer.launch(str(path.resolve())) != 0:
        print("No browser could be started; open the file above yourself.", file=sys.stderr)


def _rendered(folder: Path) -> Path:
    """Where the folder's page was written."""
    from dialeval.errors import BadInput
    from dialeval.files.folders import check_links

    check_links(folder)
    for name, (module, function) in RENDERERS.items():
        if (folder / name).is_file():
            page: Path = getattr(import_module(module), function)(folder)
            return page
    for name, kind in WITHOUT_A_PAGE.items():
        if (folder / name).is_file():
            raise BadInput(
                path=str(folder),
                found=kind,
                expected="a folder with a page",
                todo="Give a folder from 'dialeval run', or of another command that 'dialeval report --help' lists.",
            )
    from dialeval.study import render

    return render(folder)


def _export(format: str | None, out: Path | None) -> str | None:
    """The format that was asked for; None for the page."""
    from dialeval.study.report.exports import ENDINGS, EXPORTS

    chosen = format or (ENDINGS.get(out.suffix.lower(), out.suffix or out.name) if out else None)
    if chosen is not None and chosen not in EXPORTS:
        hint = "--format" if format else "--out"
        raise typer.BadParameter(f"found {chosen!r}; there are {', '.join(EXPORTS)}", param_hint=hint)
    return chosen


def _write_export(folder: Path, format: str, out: Path | None) -> None:
    from dialeval.files.atomic import write_atomically
    from dialeval.study import read_run
    from dialeval.study.report.exports import EXPORTS

    run = read_run(folder)
    text = EXPORTS[format](run.summary, run.notes)
    if out is None:
        print(text, end="")
    else:
        write_atomically(out, text.encode(), follow=True)
        print(out)
