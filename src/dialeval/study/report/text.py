"""Verdict, ranks, leaderboard, failures and gates of a run as text: on a terminal, and in Markdown."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

from dialeval.display.plain import wrapped
from dialeval.display.table import Table, escaped, latex, markdown, spreadsheet_cell
from dialeval.display.terminal import first_columns, print_table, styled
from dialeval.study.document import GateOutcome, Score, Summary, SystemUsage, Values, ranked
from dialeval.study.report.breakdowns import part_tables
from dialeval.study.report.notes import brief_notes
from dialeval.study.report.ranks import compact_ranks, rank_table
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
        from dialeval.meta.report.verdict import headline

        console.print(styled("\n".join(wrapped(headline(summary.human), console.width)), "", console))


_ILLEGAL: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML file may hold."""
COLUMNS: Final = ("system", "measure", "score", "low", "high", "n", "unscored", "signature")


def as_markdown(summary: Summary, notes: Sequence[str] = ()) -> str:
    """Heading, verdict, ranks, leaderboard, each system on its own items where these differ, failures and gates."""
    board = leaderboard(summary, notes=notes)
    tables = (rank_table(summary), board, own_items(summary), failures(summary), gates(summary))
    shown: list[Table] = [table for table in tables if table.rows or table is board]
    found = verdict(summary)
    words = f"**{escaped(found.headline)}** {escaped(' '.join(found.details))}".strip()
    return "\n".join((f"## {escaped(summary.study)}\n", f"{words}\n", *map(markdown, shown)))


def as_latex(summary: Summary, notes: Sequence[str] = ()) -> str:
    """The leaderboard with the best score of each measure in bold, for ``booktabs``."""
    return latex(leaderboard(summary, notes=notes))


def as_csv(summary: Summary, notes: Sequence[str] = ()) -> str:
    """One row for each system and measure, numbers in full; an undefined number is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_row(result) for result in summary.results])
    return text.getvalue()


def _row(result: Score) -> list[object]:
    value, low, high, n, _ = result.estimate
    values = (result.system, result.measure, value, low, high, n, result.unscored, result.signature)
    return ["" if value is None else _safe(value) for value in values]


def _safe(value: object) -> object:
    return spreadsheet_cell(value) if isinstance(value, str) else value


def as_junit(summary: Summary, notes: Sequence[str] = ()) -> str:
    """Gates as test cases, and parts of the run that failed as errors, in the format of JUnit that CI servers read."""
    missed = [gate for gate in summary.gates if not gate.passed]
    total = len(summary.gates) + len(summary.failures)
    counts = {"tests": str(total), "failures": str(len(missed)), "errors": str(len(summary.failures))}
    suite = ElementTree.Element("testsuite", {"name": summary.study, **counts})
    for gate in summary.gates:
        case = ElementTree.SubElement(suite, "testcase", {"classname": gate.system, "name": gate.gate})
        if not gate.passed:
            ElementTree.SubElement(case, "failure", {"message": missed_gate(gate)})
    for failure in summary.failures:
        name = f"{failure.system or 'all'}: {failure.measure or 'all measures'}"
        case = ElementTree.SubElement(suite, "testcase", {"classname": failure.system or "all", "name": name})
        ElementTree.SubElement(case, "error", {"message": failure.message})
    ElementTree.indent(suite)
    return _ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", ElementTree.tostring(suite, encoding="unicode")) + "\n"


def missed_gate(gate: GateOutcome) -> str:
    """Say what a gate that was not met found."""
    return f"gate not met: {gate.gate} ({gate.finding})"


EXPORTS: Final[Mapping[str, Callable[[Summary, Sequence[str]], str]]] = {
    "md": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
    "junit": as_junit,
}
"""Formats of ``dialeval report --format`` beside the page."""
ENDINGS: Final[Mapping[str, str]] = {".md": "md", ".tex": "latex", ".csv": "csv", ".xml": "junit"}
"""The format that a file's ending asks for."""
