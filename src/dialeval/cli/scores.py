"""Scores on standard output: a table for people, JSON for machines."""

from __future__ import annotations

import json as jsonlib
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from dialeval.core import Outcome

Results: TypeAlias = "Mapping[tuple[str, str], Outcome]"
"""Results by metric and system."""


def print_scores(results: Results, *, json: bool) -> None:
    """One row per metric and system."""
    if json:
        print(
            jsonlib.dumps(
                {"results": [_row(*key, result) for key, result in results.items()]}, ensure_ascii=False
            )
        )
    else:
        _print_table(results)


def _row(name: str, system: str, result: Outcome) -> dict[str, object]:
    from dialeval.study import number

    source = result.provenance
    return {
        "metric": name,
        "system": system,
        "signature": str(result.signature),
        "score": number(result.score),
        "low": number(result.interval.low) if result.interval else None,
        "high": number(result.interval.high) if result.interval else None,
        "n": result.scored,
        "unscored": len(result) - result.scored,
        "seed": source.seed,
        "data": source.data,
        "package": source.package,
    }


def _print_table(results: Results) -> None:
    from rich.console import Console

    from dialeval.display.table import Cell, Column, Table
    from dialeval.display.terminal import print_table

    titles = ("metric", "system", "score", "95 % interval", "n", "unscored")
    columns = tuple(Column(title, numeric=at > 1) for at, title in enumerate(titles))
    rows = tuple(
        tuple(Cell(text) for text in (name, system, *_cells(result)))
        for (name, system), result in results.items()
    )
    print_table(Table("", columns, rows, tuple(_notes(results))), Console())


def _cells(result: Outcome) -> tuple[str, str, str, str]:
    interval = f"{result.interval.low:.4f} – {result.interval.high:.4f}" if result.interval else "–"
    score = "–" if math.isnan(result.score) else f"{result.score:.4f}"
    return score, interval, str(result.scored), str(len(result) - result.scored)


def _notes(results: Results) -> Iterator[str]:
    """Which items have no value and why, and which systems lack items that others have."""
    for (name, system), result in results.items():
        for at, reason in list(result.reasons.items())[:1]:
            share = f"{len(result.reasons)} of {len(result)} unscored"
            yield f"{name}, {system}: {share}, first {result.items[at]!r}: {reason}"
    items = {system: set(result.items) for (_, system), result in results.items()}
    everything = set().union(*items.values())
    for system, own in items.items():
        if lacking := len(everything - own):
            yield f"{system}: {lacking} of the file's {len(everything)} items have no response of it"
