"""``dialeval annotate export``: the judgements of a study."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from dialeval.cli.annotate.serve import StoreUrl, Study, needs_serving, open_store, store_errors


def export(
    study: Study,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="OUT", help="JSON Lines, CSV, TSV or Parquet, by its ending."),
    ],
    dropped: Annotated[
        bool, typer.Option("--dropped", help="Also the answers of raters who were dropped or failed checks.")
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
    from dialeval.annotation.exporting import export as write
    from dialeval.annotation.project import read_project

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
