"""Verdict, ranks, leaderboard, failures and gates of a run on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from dialeval.display.plain import wrapped
from dialeval.display.terminal import first_columns, print_table, styled
from dialeval.meta.report.verdict import headline
from dialeval.study.document import Summary, SystemUsage, Values, ranked
from dialeval.study.report.breakdowns import part_tables
from dialeval.study.report.notes import brief_notes
from dialeval.study.report.ranking import compact_ranks
from dialeval.study.report.tables import failures, gates, leaderboard, own_items, usage
from dialeval.study.report.verdict import verdict

if TYPE_CHECKING:
    from rich.console import Console

MOST_OF_THEM: Final = 0.9
"""Where systems are ranked on a smaller share of some system's items, scores on its own items are shown too."""


def print_leaderboard(
    summary: Summary,
    values: Values | None = None,
    notes: Sequence[str] = (),
    *,
    used: Sequence[SystemUsage] = (),
    console: Console | None = None,
) -> None:
    """Print the verdict, the ranks and the leaderboard, then failures and gates; to stdout by default.

    With the items' ``values`` it says why items are unscored; ``notes`` are those of capabilities, ``used`` is
    what answers took.
    """
    from dialeval.display.consoles import PrintableConsole

    console = console or PrintableConsole()
    _print_verdict(summary, console)
    if len(summary.ranks) > 1:  # with one measure the leaderboard says the same
        print_table(compact_ranks(summary), console)
        console.print()
    print_table(leaderboard(summary, values, notes), console)
    for table in part_tables(summary.breakdowns, ranked(summary)):
        console.print()
        print_table(table, console)
    small = any(result.estimate.n < MOST_OF_THEM * result.own.n for result in summary.results)
    for table in (*([own_items(summary)] if small else []), usage(used), failures(summary), gates(summary)):
        if table.rows:
            console.print()
            print_table(table, console)
    _print_people(summary, console)


def print_brief(summary: Summary, console: Console | None = None) -> None:
    """Print the verdict, the first measures of the leaderboard that stand side by side, failures and gates."""
    from dialeval.display.consoles import PrintableConsole

    console = console or PrintableConsole()
    _print_verdict(summary, console)
    whole = leaderboard(summary)
    shown = first_columns(whole, console.width)
    print_table(shown._replace(notes=tuple(brief_notes(summary, len(shown.columns) - 1))), console)
    for table in (failures(summary), gates(summary)):
        if table.rows:
            console.print()
            print_table(table, console)
    _print_people(summary, console)


def _print_verdict(summary: Summary, console: Console) -> None:
    found = verdict(summary)
    console.print(styled("\n".join(wrapped(found.headline, console.width)), "bold", console))
    if found.details:
        console.print(styled("\n".join(wrapped(" ".join(found.details), console.width)), "", console))
    console.print()


def _print_people(summary: Summary, console: Console) -> None:
    if summary.human is not None:
        console.print(styled("\n".join(wrapped(headline(summary.human), console.width)), "", console))
