"""Leaderboard, failures and gates of a run on a terminal."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from dialeval.display.terminal import print_table, styled
from dialeval.meta.report.verdict import headline
from dialeval.study.document import Summary
from dialeval.study.report.folder import read_summary
from dialeval.study.report.tables import failures, gates, leaderboard
from dialeval.study.report.values import Values, read_values

if TYPE_CHECKING:
    from rich.console import Console


def print_leaderboard(source: Path | Summary, console: Console | None = None) -> None:
    """Print the leaderboard of a run folder or summary, then its failures and gates; to stdout by default."""
    from rich.console import Console

    console = console or Console()
    summary = read_summary(source) if isinstance(source, Path) else source
    values = _values(source, summary) if isinstance(source, Path) else None
    print_table(leaderboard(summary, values), console)
    for table in (failures(summary), gates(summary)):
        if table.rows:
            console.print()
            print_table(table, console)
    if summary.human is not None:
        console.print(styled("\n".join(wrap(headline(summary.human), console.width)), "", console))


def _values(folder: Path, summary: Summary) -> Values | None:
    """What the leaderboard needs to give reasons, read only where something is unscored."""
    file = folder / "results.parquet"
    return read_values(file) if file.is_file() and any(r.unscored for r in summary.results) else None
