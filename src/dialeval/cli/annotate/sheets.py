"""``dialeval annotate tasks``, ``import`` and ``export``: tables for crowd platforms, and the judgements of a study."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from dialeval.annotation.project import read_project
from dialeval.cli.annotate.serve import StoreUrl, Study, needs_serving, open_store, store_errors
from dialeval.errors import RunFailed
from dialeval.options import Argument, Option


def tasks(
    study: Study,
    out: Annotated[Path, Option("--out", "-o", metavar="CSV", help="The table to write.")],
) -> None:
    """Write a study's items as a blind CSV, one task a row, for a crowd platform or a spreadsheet.

    Example: dialeval annotate tasks ratings -o tasks.csv
    """
    from dialeval.annotation.sheets import write_sheet

    count = write_sheet(read_project(study), out)
    print(out)
    print(f"{count:,} tasks; read the answers with 'dialeval annotate import'", file=sys.stderr)


def take(
    study: Study,
    files: Annotated[
        list[Path], Argument(metavar="FILLED", help="Tables with the column 'score' filled in.")
    ],
    store: StoreUrl = None,
) -> None:
    """Store the answers of filled-in tables, as platforms give them back, beside those of the browser.

    Example: dialeval annotate import ratings filled.csv
    """
    needs_serving()
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
        raise RunFailed(f"{unusable:,} rows could not be used and were left out; all others are stored.")


def export(
    study: Study,
    out: Annotated[
        Path,
        Option("--out", "-o", metavar="OUT", help="JSON Lines, CSV, TSV or Parquet, by its ending."),
    ],
    dropped: Annotated[
        bool, Option("--dropped", help="Also the answers of raters who were dropped or failed checks.")
    ] = False,
    store: StoreUrl = None,
) -> None:
    """Write a study's judgements as 'annotate agreement' and 'meta' read them, at any time.

    Beside OUT.jsonl come OUT.answers.jsonl (full answers, times, revisions), OUT.raters.jsonl (raters who answer faster
    than reading allows), OUT.provenance.json and, where there are any, OUT.talks.jsonl, OUT.preferences.jsonl and
    OUT.settled.jsonl (unanimous or adjudicated).

    Example: dialeval annotate export ratings -o judgements.jsonl
    """
    needs_serving()
    from dialeval.annotation.results import export as write

    project = read_project(study)
    kept = open_store(project, store)
    try:
        with store_errors(project, store):
            exported = write(project, kept, out, dropped=dropped)
    finally:
        kept.close()
    for path in exported.files:
        print(path)
    said = f"{exported.judgements:,} judgements by {exported.raters:,} raters"
    if exported.left_out:
        said += (
            f"; {exported.left_out:,} answers of dropped or stopped raters left out (--dropped keeps them)"
        )
    print(said, file=sys.stderr)
