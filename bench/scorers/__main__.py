"""Tables of scorers against people: ``python -m bench scorers -m context_cosine -s fed-turn --limit 100``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from bench.scorers.agreement import Agreement, Estimate, agreement
from bench.scorers.scores import FOLDER, Scorer, scores_of
from bench.scorers.sets import DATA, SETS, RatedSet, read_set
from dialeval.catalogue import build_any

DEFAULT: Final = ("length", "context_cosine")
HEADING: Final = (
    "scorer",
    "n",
    "systems",
    "within S",
    "95 %",
    "within P",
    "pooled S",
    "95 %",
    "pooled P",
)


def main(arguments: Sequence[str]) -> None:
    given = _parser().parse_args(arguments)
    names = [name for name in SETS if _chosen(name, given.set)]
    metrics: dict[str, Scorer] = {name: build_any(name) for name in given.metric or DEFAULT}
    for name in names:
        rated = read_set(name, given.data).first(given.limit)
        print("\n".join(_table(rated, metrics, given.cache)), flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench scorers", description=__doc__)
    parser.add_argument("-m", "--metric", action="append", help=f"repeatable; default {', '.join(DEFAULT)}")
    parser.add_argument(
        "-s",
        "--set",
        action="append",
        help=f"repeatable: target, development, or {', '.join(SETS)}; all by default",
    )
    parser.add_argument("--limit", type=int, help="so many subjects of each set")
    parser.add_argument("--cache", type=Path, default=FOLDER, help="folder of the values scored before")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the rated sets")
    return parser


def _chosen(name: str, wanted: Sequence[str] | None) -> bool:
    return not wanted or name in wanted or SETS[name][0] in wanted


def _table(rated: RatedSet, metrics: dict[str, Scorer], cache: Path) -> Iterator[str]:
    yield f"\n### {rated.name} ({rated.role}, {len(rated.subjects)} subjects)\n"
    yield f"| {' | '.join(HEADING)} |"
    yield f"|{'---|' * len(HEADING)}"
    for name, metric in metrics.items():
        found = agreement(rated, scores_of(metric, rated, cache))
        yield f"| {' | '.join((name, *_cells(found)))} |"


def _cells(found: Agreement) -> Iterator[str]:
    yield str(found.n)
    yield str(found.systems)
    for spearman, pearson in (
        (found.within_spearman, found.within_pearson),
        (found.pooled_spearman, found.pooled_pearson),
    ):
        yield _number(spearman.value)
        yield _interval(spearman)
        yield _number(pearson.value)


def _interval(estimate: Estimate) -> str:
    return f"{_number(estimate.low)} to {_number(estimate.high)}"


def _number(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1)


if __name__ == "__main__":
    main(sys.argv[1:])
