"""``dialeval report``: a run folder's page again, or its leaderboard."""

from __future__ import annotations

import json as jsonlib
import sys
from pathlib import Path
from typing import Annotated

import typer

from dialeval.cli.options import Json


def report(
    run: Annotated[
        Path, typer.Argument(help="A folder, as written by 'dialeval run' or 'dialeval meta'.", metavar="RUN")
    ],
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the leaderboard as Markdown and write nothing.")
    ] = False,
    open_page: Annotated[bool, typer.Option("--open", help="Show the page in a browser.")] = False,
    json: Json = False,
) -> None:
    """Write a folder's page again, report.html of a run or meta.html, and print its path.

    Example: dialeval report runs/monday --open
    """
    if markdown and (json or open_page):
        raise typer.BadParameter(
            "cannot go with --json or --open, as it writes no page", param_hint="--markdown"
        )
    if markdown:
        _print_markdown(run)
        return
    from dialeval.meta import render_meta
    from dialeval.study.report.page import render

    path = render_meta(run) if (run / "meta.json").is_file() else render(run)
    print(jsonlib.dumps({"report": str(path)}, ensure_ascii=False) if json else path)
    if open_page and typer.launch(str(path.resolve())) != 0:
        print("No browser could be started; open the file above yourself.", file=sys.stderr)


def _print_markdown(run: Path) -> None:
    from dialeval.display.table import markdown
    from dialeval.study.report.folder import read_summary
    from dialeval.study.report.tables import failures, gates, leaderboard

    summary = read_summary(run)
    shown = [leaderboard(summary), *(table for table in (failures(summary), gates(summary)) if table.rows)]
    print("\n".join(markdown(table) for table in shown), end="")
