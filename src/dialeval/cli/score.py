"""``dialeval score``: score the responses in a file."""

from __future__ import annotations

import json as jsonlib
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialeval.cli.gates import exit_on_gates, parse_fail_under
from dialeval.cli.options import (
    CacheFolder,
    FailUnder,
    Jobs,
    Json,
    Limit,
    MetricNames,
    Resume,
    Seed,
    SkipBad,
    Trials,
)
from dialeval.cli.workshop import open_workshop

if TYPE_CHECKING:
    from dialeval.core import Outcome
    from dialeval.data import Example
    from dialeval.data.bad import OnBad

DEFAULT_METRICS = ("bleu(order=4)", "rouge_l", "length")


def score(
    file: Annotated[
        str | None, typer.Argument(help="Examples (JSONL, CSV, TSV, Parquet, .gz), or - for stdin.")
    ] = None,
    metric: MetricNames = None,
    hyp: Annotated[Path | None, typer.Option("--hyp", help="Responses as plain text, one a line.")] = None,
    ref: Annotated[
        list[Path] | None, typer.Option("--ref", help="References to --hyp, line by line. Repeatable.")
    ] = None,
    format: Annotated[
        str | None, typer.Option("--from", help="The file's format (see 'dialeval data ls').")
    ] = None,
    per_item: Annotated[
        Path | None, typer.Option("--per-item", help="Write one judgement per item and metric here.")
    ] = None,
    cluster: Annotated[
        bool, typer.Option("--cluster", help="Resample whole dialogues (ids DIALOGUE/TURN).")
    ] = False,
    seed: Seed = 0,
    trials: Trials = 1000,
    limit: Limit = None,
    jobs: Jobs = 1,
    resume: Resume = True,
    cache: CacheFolder = None,
    skip_bad: SkipBad = False,
    fail_under: FailUnder = None,
    json: Json = False,
) -> None:
    """Score responses, with an interval for every score and a reason for every item that has none.

    Metrics: bleu(order=1..4), rouge_l, length.

    Example: dialeval score answers.jsonl -m 'bleu(order=2)' -m rouge_l

    Example: dialeval score --hyp answers.txt --ref gold1.txt --ref gold2.txt
    """
    from dialeval.core import Fittable
    from dialeval.data import SideFile, refuse
    from dialeval.evaluate import Plan, by_dialogue, evaluate_each
    from dialeval.metrics import build_any
    from dialeval.study import check_gates

    metrics = {name: build_any(name) for name in dict.fromkeys(metric or DEFAULT_METRICS)}
    gates = parse_fail_under(fail_under, list(metrics))
    on_bad = SideFile(_side_file(file)) if skip_bad else refuse
    examples: Iterable[Example] = islice(_examples(file, hyp, ref, format, on_bad), limit)
    if any(isinstance(one, Fittable) for one in metrics.values()):
        examples = list(examples)  # such a metric sees all of them before it scores the first
    with open_workshop(jobs=jobs, cache=cache, resume=resume) as shop, shop.watch("scoring", 0) as progress:
        group = by_dialogue if cluster else None
        plan = Plan(trials, seed, 0.95, group, shop.executor, shop.cache, progress)
        results = evaluate_each(metrics, examples, plan)
    if isinstance(on_bad, SideFile) and on_bad.count:
        print(f"{on_bad.count} bad line(s) left out; they are in {on_bad.path}", file=sys.stderr)
    if per_item is not None:
        _write_judgements(per_item, results)
    _print(results, json=json)
    exit_on_gates(
        list(check_gates(gates, [(name, system, r.score) for (name, system), r in results.items()]))
    )


def _examples(
    file: str | None, hyp: Path | None, refs: Sequence[Path] | None, format: str | None, on_bad: OnBad
) -> Iterator[Example]:
    from dialeval.data import read, read_texts

    if (file is None) == (hyp is None):
        raise typer.BadParameter("give either FILE or --hyp with its --ref files", param_hint="FILE")
    if hyp is not None:
        return read_texts(hyp, refs or [])
    return read(str(file), "example", format=format, on_bad=on_bad)


def _side_file(file: str | None) -> Path:
    return Path(f"{'stdin' if file in (None, '-') else file}.bad.jsonl")


def _write_judgements(path: Path, results: Mapping[tuple[str, str], Outcome]) -> None:
    from dialeval.core import CorpusResult
    from dialeval.data import write

    write(path, (judgement for result in results.values() for judgement in result.judgements))
    whole = dict.fromkeys(name for (name, _), result in results.items() if isinstance(result, CorpusResult))
    if whole:
        print(f"{', '.join(whole)}: no item has a value of its own, so none is in {path}", file=sys.stderr)


def _print(results: Mapping[tuple[str, str], Outcome], *, json: bool) -> None:
    from dialeval.study import number

    if json:
        rows = [
            {
                "metric": name,
                "system": system,
                "signature": str(result.signature),
                "score": number(result.score),
                "low": number(result.interval.low) if result.interval else None,
                "high": number(result.interval.high) if result.interval else None,
                "n": result.scored,
                "unscored": len(result) - result.scored,
            }
            for (name, system), result in results.items()
        ]
        print(jsonlib.dumps({"results": rows}, ensure_ascii=False))
        return
    _print_table(results)


def _print_table(results: Mapping[tuple[str, str], Outcome]) -> None:
    from rich.console import Console

    from dialeval.report import Cell, Column, Table, print_table

    titles = ("metric", "system", "score", "95 % interval", "n", "unscored")
    columns = tuple(Column(title, numeric=at > 1) for at, title in enumerate(titles))
    rows = tuple(
        tuple(Cell(text) for text in (name, system, *_cells(result)))
        for (name, system), result in results.items()
    )
    notes = tuple(
        f"{name}, {system}: {len(result.reasons)} of {len(result)} unscored, first {result.items[at]!r}: {reason}"
        for (name, system), result in results.items()
        for at, reason in list(result.reasons.items())[:1]
    )
    print_table(Table("", columns, rows, notes), Console())


def _cells(result: Outcome) -> tuple[str, str, str, str]:
    interval = f"{result.interval.low:.4f} – {result.interval.high:.4f}" if result.interval else "–"
    score = "–" if math.isnan(result.score) else f"{result.score:.4f}"
    return score, interval, str(result.scored), str(len(result) - result.scored)
