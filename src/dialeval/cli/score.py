"""``dialeval score``: score the responses in a file."""

from __future__ import annotations

import json as jsonlib
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialeval.cli.claims import design_notes
from dialeval.cli.gates import exit_on_gates, parse_fail_under
from dialeval.cli.options import (
    AllowUnmatched,
    CacheFolder,
    Cluster,
    DataFile,
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
from dialeval.cli.subjects import (
    first_items,
    judging_dialogues,
    kept_input,
    read_beside,
    read_dialogues,
    read_examples,
    side_file,
    write_turn_effects,
)
from dialeval.cli.workshop import open_workshop
from dialeval.metrics import DEFAULT_METRICS, EVERY, EVERY_METRIC, build_any

if TYPE_CHECKING:
    from dialeval.core import CorpusMeasure, Metric, Missing, Outcome, Resampling
    from dialeval.data import Example

    AnyMetric = Metric[Example] | CorpusMeasure[Example]


def score(
    file: Annotated[
        str | None,
        typer.Argument(help="Examples or dialogues (JSONL, CSV, TSV, Parquet, .gz), or - for stdin."),
    ] = None,
    metric: MetricNames = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every metric that can run here; says which cannot.")
    ] = False,
    hyp: Annotated[Path | None, typer.Option("--hyp", help="Responses as plain text, one a line.")] = None,
    ref: Annotated[
        list[Path] | None, typer.Option("--ref", help="References to --hyp, line by line. Repeatable.")
    ] = None,
    format: Annotated[
        str | None, typer.Option("--from", help="The file's format (see 'dialeval data ls').")
    ] = None,
    data: DataFile = None,
    per_item: Annotated[
        Path | None, typer.Option("--per-item", help="Write one judgement per item and metric here.")
    ] = None,
    per_turn: Annotated[
        Path | None,
        typer.Option("--per-turn", help="Write what each turn of a dialogue does to its score here."),
    ] = None,
    cluster: Cluster = "auto",
    seed: Seed = 0,
    trials: Trials = 1000,
    limit: Limit = None,
    jobs: Jobs = 1,
    resume: Resume = True,
    cache: CacheFolder = None,
    skip_bad: SkipBad = False,
    allow_unmatched: AllowUnmatched = False,
    fail_under: FailUnder = None,
    json: Json = False,
) -> None:
    """Score responses or dialogues, with an interval for every score and a reason for every item that has none.

    Metrics: {every}; your own as file.py:NAME. Without -m: {default}.

    Example: dialeval score answers.jsonl -m 'bleu(order=2)' -m rouge_l

    Example: dialeval score answers.txt --data prompts.jsonl -m bertscore

    Example: dialeval score talks.jsonl -m selfeval -m quality --per-turn turns.jsonl

    Example: dialeval score --hyp answers.txt --ref gold1.txt --ref gold2.txt --all
    """
    from dialeval.core import Fittable, Resampling
    from dialeval.data import SideFile, refuse
    from dialeval.evaluation.runner import Plan, evaluate_each
    from dialeval.study.gates import Judged, check_gates

    resampling = Resampling(resamples=trials, seed=seed, cluster=cluster)
    metrics = _metrics(metric, every=every)
    gates = parse_fail_under(fail_under, list(metrics))
    on_bad = SideFile(side_file(file or str(hyp))) if skip_bad else refuse
    with (
        kept_input(file, metrics) as source,
        open_workshop(jobs=jobs, cache=cache, resume=resume) as shop,
        shop.watch("scoring", 0) as progress,
    ):
        plan = Plan(resampling=resampling, executor=shop.executor, cache=shop.cache, progress=progress)
        whole = {} if data else judging_dialogues(metrics, source, format)
        single = {name: metric for name, metric in metrics.items() if name not in whole}
        results: dict[tuple[str, str], Outcome] = {}
        if whole:
            dialogues = read_dialogues(str(source), format, on_bad)
            results |= evaluate_each(whole, first_items(dialogues, limit), plan)
        if single:
            responses: Iterable[Example | Missing] = (
                read_examples(source, hyp, ref, format, on_bad)
                if data is None
                else read_beside(file, data, format, allow_unmatched=allow_unmatched, skip_bad=skip_bad)
            )
            examples: Iterable[Example | Missing] = first_items(responses, limit)
            if any(isinstance(metric, Fittable) for metric in single.values()):
                examples = list(examples)  # such a metric sees all of them before it scores the first
            results |= evaluate_each(single, examples, plan)
        if per_turn is not None:
            write_turn_effects(per_turn, whole, str(source), format, limit)
    results = {key: results[key] for key in sorted(results, key=lambda key: list(metrics).index(key[0]))}
    if isinstance(on_bad, SideFile) and (left_out := on_bad.message()):
        print(left_out, file=sys.stderr)
    if per_item is not None:
        _write_judgements(per_item, results)
    _print_scores(results, resampling, json=json)
    scores = [Judged.of(name, system, result) for (name, system), result in results.items()]
    _refuse_nothing(results, some_suffice=every and not metric)
    exit_on_gates(list(check_gates(gates, scores)))


# The names come from the tables of metrics, so that help cannot differ from them.
score.__doc__ = (score.__doc__ or "").format(every=", ".join(EVERY), default=", ".join(DEFAULT_METRICS))


def _metrics(names: Sequence[str] | None, *, every: bool) -> dict[str, AnyMetric]:
    from dialeval.metrics.scoring import available

    if not every:
        return {name: build_any(name) for name in dict.fromkeys(names or DEFAULT_METRICS)}
    usable = available(dict.fromkeys([*(names or ()), *EVERY_METRIC]))
    for name, obstacle in usable.obstacles.items():
        print(f"left out: {name}: {obstacle}", file=sys.stderr)
    return dict(usable.metrics)


def _write_judgements(path: Path, results: Mapping[tuple[str, str], Outcome]) -> None:
    from dialeval.core import CorpusResult
    from dialeval.data import write

    write(path, (judgement for result in results.values() for judgement in result.judgements))
    whole = dict.fromkeys(name for (name, _), result in results.items() if isinstance(result, CorpusResult))
    if whole:
        print(f"{', '.join(whole)}: no per-item values, so none are written to {path}", file=sys.stderr)


def _refuse_nothing(results: Mapping[tuple[str, str], Outcome], *, some_suffice: bool) -> None:
    """Fail where a metric has no value for any system; with ``--all``, where none of the metrics has one."""
    from dialeval.errors import RunFailed
    from dialeval.evaluation.unscored import no_value

    names = list(dict.fromkeys(name for name, _ in results))
    why = {name: no_value(result for (key, _), result in results.items() if key == name) for name in names}
    failed = {name: reason for name, reason in why.items() if reason is not None}
    if failed and not (some_suffice and len(failed) < len(names)):
        raise RunFailed("\n".join(f"{name}: {reason}" for name, reason in failed.items()))


def _print_scores(results: Mapping[tuple[str, str], Outcome], resampling: Resampling, *, json: bool) -> None:
    """One row per metric and system."""
    if json:
        print(
            jsonlib.dumps(
                {"results": [_row(*key, result) for key, result in results.items()]}, ensure_ascii=False
            )
        )
    else:
        _print_table(results, resampling)


def _row(name: str, system: str, result: Outcome) -> dict[str, object]:
    from dialeval.files.documents import finite

    source = result.provenance
    return {
        "metric": name,
        "system": system,
        "signature": str(result.signature),
        "score": finite(result.score),
        "low": finite(result.interval.low) if result.interval else None,
        "high": finite(result.interval.high) if result.interval else None,
        "n": result.scored,
        "unscored": len(result) - result.scored,
        "seed": source.seed,
        "data": source.data,
        "package": source.package,
        "absence": result.absence,
        "units": result.units,
        "design_effect": result.design_effect,
    }


def _print_table(results: Mapping[tuple[str, str], Outcome], resampling: Resampling) -> None:
    from rich.console import Console

    from dialeval.display.table import Cell, Column, Table
    from dialeval.display.terminal import print_table

    titles = ("metric", "system", "score", "95 % interval", "n", "unscored")
    columns = tuple(Column(title, numeric=index > 1) for index, title in enumerate(titles))
    rows = tuple(
        tuple(Cell(text) for text in (name, system, *_cells(result)))
        for (name, system), result in results.items()
    )
    print_table(Table("", columns, rows, tuple(_notes(results, resampling))), Console())


def _cells(result: Outcome) -> tuple[str, str, str, str]:
    interval = f"– {result.absence or ''}".strip()
    if result.interval:
        interval = f"{result.interval.low:.4f} – {result.interval.high:.4f}"
    score = "–" if math.isnan(result.score) else f"{result.score:.4f}"
    return score, interval, str(result.scored), str(len(result) - result.scored)


def _notes(results: Mapping[tuple[str, str], Outcome], resampling: Resampling) -> Iterator[str]:
    """Why there is no interval, what was resampled, and which items have no value."""
    from dialeval.core import ABSENCES

    for absence in dict.fromkeys(result.absence for result in results.values()):
        if absence is not None:
            yield f"no interval, {absence}: {ABSENCES[absence]}"
    designs = [(result.units, result.scored, result.design_effect) for result in results.values()]
    items = list(dict.fromkeys(item for result in results.values() for item in result.items))
    for note in design_notes(designs, items, resampling):
        yield note[:1].lower() + note[1:].rstrip(".")
    for (name, system), result in results.items():
        for index, reason in list(result.reasons.items())[:1]:
            share = f"{len(result.reasons)} of {len(result)} unscored"
            yield f"{name}, {system}: {share}, first {result.items[index]!r}: {reason}"
    given = {system: set(result.items) for (_, system), result in results.items()}
    everything = set().union(*given.values())
    for system, known in given.items():
        if lacking := len(everything - known):
            yield f"{system}: {lacking} of the file's {len(everything)} items have no response from it"
