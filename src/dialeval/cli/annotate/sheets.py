"""``dialeval annotate tasks`` and ``import``: tables for crowd platforms and spreadsheets, out and back in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from dialeval.cli.annotate.serve import StoreUrl, Study, needs_serving, open_store, store_errors


def tasks(
    study: Study,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="CSV", help="The table to write.")],
) -> None:
    """Write a study's items as a blind CSV, one task a row, for a crowd platform or a spreadsheet.

    Example: dialeval annotate tasks ratings -o tasks.csv
    """
    from dialeval.annotation.project import read_project
    from dialeval.annotation.sheets import write_sheet

    count = write_sheet(read_project(study), out)
    print(out)
    print(f"{count:,} tasks; read the answers with 'dialeval annotate import'", file=sys.stderr)


def take(
    study: Study,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILLED", help="Tables with the column 'score' filled in.")
    ],
    store: StoreUrl = None,
) -> None:
    """Store the answers of filled-in tables, as platforms give them back, beside those of the browser.

    Example: dialeval annotate import ratings filled.csv
    """
    needs_serving()
    from dialeval.annotation.project import read_project
    from dialeval.annotation.sheets import read_sheet, sheet_lines

    project = read_project(study)
    kept = open_store(project, store)
    unusable = 0
    try:
        with store_errors(project, store):
            for file in files:
                taken = read_sheet(project, kept, file)
                unusable += len(taken.unusable)
                for line in sheet_lines(taken):
                    print(line)
    finally:
        kept.close()
    if unusable:
        from dialeval.errors import RunFailed

        raise RunFailed(f"{unusable:,} rows could not be used and were left out; all others are stored.")
