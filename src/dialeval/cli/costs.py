"""Costs before anything is spent, as ``--dry-run`` prints them."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from dialeval.display.table import Cell, Column, Table
from dialeval.display.terminal import print_table
from dialeval.display.wording import listing
from dialeval.files.documents import as_json
from dialeval.options import Option

if TYPE_CHECKING:
    from dialeval.judge.costs import CostEstimate

DryRun: TypeAlias = Annotated[
    bool,
    Option("--dry-run", help="Print the requests, tokens and price of servers and judges, and send nothing."),
]
_TITLES: Final = ("asked", "requests", "kept", "tokens in", "tokens out", "price")
_NOTE: Final = (
    "tokens by the length of the texts, four characters each; replies of usual length; a request that fails is sent "
    "again"
)


def print_costs(estimates: Sequence[CostEstimate], *, json: bool, uncounted: Sequence[str] = ()) -> None:
    """Print a row for each server and judge, and the measures whose own questions are not counted.

    If there are neither, say that nothing is asked of a server.
    """
    from dialeval.judge.costs import cost_lines

    if json:
        told = {"costs": as_json(list(estimates)), "uncounted": list(uncounted)}
        print(jsonlib.dumps(told, ensure_ascii=False))
        return
    left_out = [f"not counted: the questions of {listing(uncounted)} to servers"] if uncounted else []
    if not estimates:
        print(*(left_out or ["Nothing is asked of a server or judge."]))
        return
    columns = tuple(Column(title, numeric=place > 0) for place, title in enumerate(_TITLES))
    rows = tuple(tuple(Cell(text) for text in line) for line in cost_lines(estimates))
    print_table(Table("", columns, rows, (_NOTE, *left_out)))
