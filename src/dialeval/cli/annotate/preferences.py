"""``dialeval annotate preferences``: which systems raters prefer, pair by pair."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dialeval.cli.options import Cluster, Json

if TYPE_CHECKING:
    from dialeval.ratings.preferences import Preferred


def preferences(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Preferences: columns a, b, choice, and item and rater.")
    ],
    raters: Annotated[
        Literal["fixed", "sampled"],
        typer.Option("--raters", help="Intervals for these raters, or also for other raters like them."),
    ] = "fixed",
    cluster: Cluster = "auto",
    json: Json = False,
) -> None:
    """Print how strong each system is in raters' preferences between two answers (Bradley-Terry, with ties).

    Each line names the systems a and b and the choice: a, b or tie.

    Example: dialeval annotate preferences preferences.csv

    Example: dialeval annotate preferences preferences.jsonl --raters sampled --json
    """
    from dialeval.core import Resampling
    from dialeval.files.documents import as_json
    from dialeval.ratings.preferences import read_preferences, strengths

    found = strengths(read_preferences(file), resampling=Resampling(cluster=cluster), raters=raters)
    if json:
        print(jsonlib.dumps(as_json(found), ensure_ascii=False, allow_nan=False))
    else:
        _print(found)


def _print(found: Preferred) -> None:
    from dialeval.display.consoles import PrintableConsole
    from dialeval.display.table import Cell, Column, Table
    from dialeval.display.terminal import print_table
    from dialeval.display.wording import count, interval, signed

    columns = (
        *(Column("system"), Column("strength", numeric=True), Column("preferred", numeric=True)),
        *(Column("won", numeric=True), Column("tied", numeric=True), Column("lost", numeric=True)),
    )
    rows = []
    for system in found.systems:
        total = system.wins + system.ties + system.losses
        share = f"{100 * (system.wins + system.ties / 2) / total:.0f} %"
        strength = Cell(signed(system.strength, 2), interval(system.low, system.high, 2))
        counts = (Cell(f"{times:,}") for times in (system.wins, system.ties, system.losses))
        rows.append((Cell(system.system), strength, Cell(share), *counts))
    whose = "other raters like these" if found.interval_raters == "sampled" else "these raters"
    notes = [
        "strength: log odds of being preferred to an average system; a difference of 0.7 is two to one",
        f"brackets hold {found.level:.0%} intervals for other items and {whose}",
    ]
    if found.tie:
        notes.append(
            f"two equal systems would tie in {100 * found.tie / (2 + found.tie):.0f} % of judgements"
        )
    if found.reason:
        notes = [f"no strengths or intervals: {found.reason}"]
    title = (
        f"Bradley-Terry{', with ties' if found.tie else ''}: {count(found.judgements, 'preference')}, "
        f"{count(found.items, 'item')}, {count(found.raters, 'rater')}"
    )
    print_table(Table(title, columns, tuple(rows), tuple(notes)), PrintableConsole())
