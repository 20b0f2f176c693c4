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
    from dialeval.systems.openai import Budget

DryRun: TypeAlias = Annotated[
    bool,
    Option("--dry-run", help="Print the requests, tokens and price of servers and judges, and send nothing."),
]
JUDGE_NAMES: Final = (
    "a YAML file with keys of the measure 'judge', as in judge:strong.yaml, a model that runs here, or the whole call "
    "as -m takes it, judge(model=..., base_url=...)"
)
"""What may stand after ``judge:``, as help says it."""
_TITLES: Final = ("asked", "requests", "kept", "tokens in", "tokens out", "price")
_NOTE: Final = (
    "tokens by the length of the texts, four characters each; replies of usual length; a request that fails is sent "
    "again"
)


def print_costs(
    estimates: Sequence[CostEstimate],
    *,
    json: bool,
    uncounted: Sequence[str] = (),
    budget: Budget | None = None,
) -> None:
    """Print a row for each server and judge, and the measures whose own questions are not counted.

    If there are neither, say that nothing is asked of a server.
    """
    from dialeval.judge.costs import cost_lines

    if json:
        told = {"costs": as_json(list(estimates)), "uncounted": list(uncounted)}
        told |= {} if budget is None else {"budget": as_json(budget)}
        print(jsonlib.dumps(told, ensure_ascii=False))
        return
    left_out = [f"not counted: the questions of {listing(uncounted)} to servers"] if uncounted else []
    if not estimates:
        print(*(left_out or ["Nothing is asked of a server or judge."]))
        return
    left_out += [f"{one.what}: the run will refuse this. {one.refused}" for one in estimates if one.refused]
    left_out += [f"the budget of the study: {_limits(budget)}"] if budget is not None else []
    columns = tuple(Column(title, numeric=place > 0) for place, title in enumerate(_TITLES))
    rows = tuple(tuple(Cell(text) for text in line) for line in cost_lines(estimates))
    print_table(Table("", columns, rows, (_NOTE, *left_out)))


def _limits(budget: Budget) -> str:
    """What a budget allows, in words."""
    limits = [f"{n:,} {what}" for n, what in ((budget.requests, "requests"), (budget.tokens, "tokens")) if n]
    return listing([*limits, *([f"a cost of {budget.cost:g}"] if budget.cost else [])])
