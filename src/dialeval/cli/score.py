"""``dialeval score``: score the responses in a file."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np

from dialeval.catalogue.metrics import DEFAULT_METRICS, EVERY
from dialeval.cli.claims import design_notes
from dialeval.cli.costs import DryRun, print_costs
from dialeval.cli.execution import Execution, Sampling, open_workshop
from dialeval.cli.gates import exit_on_gates, parse_fail_under, refuse_silence
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.cli.scoring import ScoreResults, Scoring, kept_input, study_of
from dialeval.cli.turns import write_turn_effects
from dialeval.core import ABSENCES, Resampling
from dialeval.display.table import Cell, Column, Table
from dialeval.display.terminal import print_table
from dialeval.display.wording import as_sacrebleu_prints, which_bleu
from dialeval.errors import RunFailed
from dialeval.evaluation.silence import no_value, silence_notes, unscored_note
from dialeval.evaluation.uncertainty import undeclared_limits
from dialeval.files.atomic import write_atomically
from dialeval.files.documents import as_json
from dialeval.files.folders import check_target
from dialeval.judge.document import judge_notes
from dialeval.options import Option, Options
from dialeval.resources.device import use
from dialeval.text.ids import count_distinct, text_hashes

if TYPE_CHECKING:
    from dialeval.core import Metric, Result
    from dialeval.data import Example, Judgement
    from dialeval.evaluation.shards import Shard
    from dialeval.study import Run
    from dialeval.study.document import GateOutcome, Summary
    from dialeval.study.gates import Gate

SCORES: Final = "scores.json"
JUDGEMENTS: Final = "judgements.jsonl"
"""Files of merged shards: the output of --json, and that of --per-item."""


def score(
    scoring: Scoring,
    per_item: Annotated[
        Path | None, Option("--per-item", help="Write one judgement per item and metric here.")
    ] = None,
    per_turn: Annotated[
        Path | None,
        Option("--per-turn", help="Write what each turn of a dialogue does to its score here."),
    ] = None,
    resampling: Sampling = Resampling(),
    execution: Annotated[
        Execution,
        Options("jobs", "device", "precision", "engine", "address", "resume", "cache", "shard", "json"),
    ] = Execution(),
    out: Annotated[
        Path | None,
        Option("--out", "-o", help="A run folder, with comparisons and a report; or the folder of a shard."),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Score responses or dialogues, with an interval for every score and a reason for every item that has none.

    Metrics: {every}; your own as file.py:NAME. Without -m: {default}.

    Example: dialeval score answers.jsonl -m 'bleu(order=2)' -m rouge_l

    Example: dialeval score answers.jsonl --sacrebleu

    Example: dialeval score sheet.xlsx --columns references=gold,response=answer

    Example: dialeval score answers.txt --data prompts.jsonl -m bertscore

    Example: dialeval score talks.jsonl -m selfeval -m quality --per-turn turns.jsonl

    Example: dialeval score --hyp answers.txt --ref gold1.txt --ref gold2.txt --all

    Example: dialeval score answers.jsonl -m bleu -m rouge_l -o scored

    Example: dialeval score answers.jsonl -m bertscore --shard 1/8 -o parts/1
    """
    use(execution.device, execution.precision)
    scoring = scoring.resampled(resampling)
    json = execution.json
    if dry_run:
        print_costs(scoring.costs(scoring.metrics()), json=json)
        return
    if execution.part is not None:
        if per_item or per_turn or json:
            raise BadUsage("cannot be combined with --per-item, --per-turn or --json", where="--shard")
        work_on_scoring(scoring, execution.part, out, execution)
        return
    if out is not None:
        if per_turn:
            raise BadUsage("cannot be combined with --per-turn", where="--out")
        score_as_study(scoring, out, execution, per_item=per_item)
        return
    metrics = scoring.metrics()
    gates = parse_fail_under(scoring.gates, metrics)
    with kept_input(scoring.file, metrics) as source, open_workshop(execution) as shop:
        scored = replace(scoring, file=source).results(metrics, shop, explained=per_item is not None)
        if per_turn is not None:
            hurting = write_turn_effects(per_turn, scored.whole, str(source), scoring.layout, scoring.limit)
    if per_item is not None:
        write_judgements(per_item, scored.results, scored.evidence)
    _print_scores(scored, scoring.resampling, json=json)
    if per_turn is not None and not json:
        print("\n".join(["", *hurting]))
    refuse_nothing(scored.results, some_suffice=scoring.every and not scoring.metric)
    _leave(gates, scored.results, scoring.allow_unanswered or 0.0)


# The names come from the tables of metrics, so that help cannot differ from them.
score.__doc__ = (score.__doc__ or "").format(every=", ".join(EVERY), default=", ".join(DEFAULT_METRICS))


def score_as_study(scoring: Scoring, out: Path, execution: Execution, *, per_item: Path | None) -> None:
    """Run the scoring as a study of recorded responses, which has comparisons, ranks and a report, into a folder."""
    from dialeval.cli.run import as_file, evaluate_study

    def show(run: Run, summary: Summary) -> Mapping[str, Any]:
        results = {(each.label, each.system): each.result for each in run.scored}
        if per_item is not None:
            write_judgements(per_item, results)
        return {"results": rows_of_run(summary, results)}

    if scoring.file is None or scoring.skip_bad:
        raise BadUsage(
            "requires FILE, and cannot be combined with --hyp or --skip-bad: a run folder names the file it is of",
            where="--out",
        )
    metrics = scoring.metrics()
    settings = replace(
        execution,
        limit=scoring.limit,
        fail_under=scoring.gates,
        allow_unanswered=scoring.allow_unanswered,
    )
    with as_file(scoring.file, out=out) as path:
        content = study_of(replace(scoring, file=str(path)), metrics)
        evaluate_study(
            "score",
            content,
            scoring.resampling,
            settings,
            out=out,
            also=show,
            allow_unmatched=scoring.allow_unmatched,
        )


def work_on_scoring(
    scoring: Scoring,
    shard: Shard,
    out: Path | None,
    execution: Execution,
) -> None:
    """Score the shard's batches into its folder."""
    from dialeval.cli.shards import leave_shard, open_shard, task_of_scoring

    name = Path(scoring.files()[0]).name
    folder = out or Path("runs") / f"{name}-{shard.number}-of-{shard.of}"
    metrics = scoring.metrics()
    parse_fail_under(scoring.gates, metrics)
    task = task_of_scoring(metrics, scoring.arguments(), scoring.files())
    with open_shard(task, shard, folder, execution) as (shop, failures):
        scoring.results(metrics, shop, shard)
    leave_shard(shard, folder, failures)


def print_merged(
    scoring: Scoring,
    metrics: Mapping[str, Metric[Example]],
    out: Path,
    execution: Execution,
    *,
    others: Sequence[Path],
) -> None:
    """Print the scores of merged shards, and write them and all judgements into ``out``."""
    check_target(out, SCORES, kind="score", parts=(JUDGEMENTS,))
    gates = parse_fail_under(scoring.gates, metrics)
    with open_workshop(execution, others=others) as shop:
        scored = scoring.results(metrics, shop, explained=True)
    results = scored.results
    out.mkdir(parents=True, exist_ok=True)
    write_judgements(out / JUDGEMENTS, results, scored.evidence)
    write_atomically(out / SCORES, f"{_as_json(scored)}\n".encode())
    _print_scores(scored, scoring.resampling, json=execution.json)
    refuse_nothing(results, some_suffice=scoring.every and not scoring.metric)
    _leave(gates, results, scoring.allow_unanswered or 0.0)


def _leave(gates: Sequence[Gate], results: Mapping[tuple[str, str], Result], allowed: float) -> None:
    """Exit with the code of a gate that is not met, or fail if a system answered nothing."""
    exit_on_gates(list(_checked(gates, results, allowed)))
    refuse_silence(((system, result) for (_, system), result in results.items()), allowed)


def _checked(
    gates: Sequence[Gate], results: Mapping[tuple[str, str], Result], allowed: float
) -> Iterator[GateOutcome]:
    if not gates:
        return iter(())
    from dialeval.study.gates import ScoreAtGate, check_gates

    scores = [ScoreAtGate.of(name, system, result) for (name, system), result in results.items()]
    return check_gates(gates, scores, allowed=allowed)


def write_judgements(
    path: Path,
    results: Mapping[tuple[str, str], Result],
    evidence: Mapping[tuple[str, str, str], str] | None = None,
) -> None:
    """Write every judgement of the results, with the evidence for it, and say which results have none.

    ``evidence`` is by metric, system and item.
    """
    from dialeval.data import write

    write(path, _judgements(results, evidence or {}))
    whole = dict.fromkeys(name for (name, _), result in results.items() if not result.per_item)
    if whole:
        print(f"{', '.join(whole)}: no per-item values, so none are written to {path}", file=sys.stderr)


def _judgements(
    results: Mapping[tuple[str, str], Result], evidence: Mapping[tuple[str, str, str], str]
) -> Iterator[Judgement]:
    explained = {name for name, _, _ in evidence}
    for (name, system), result in results.items():
        for judgement in result.each_judgement():
            found = evidence.get((name, system, judgement.item)) if name in explained else None
            yield judgement if found is None else replace(judgement, evidence=found)


def refuse_nothing(results: Mapping[tuple[str, str], Result], *, some_suffice: bool) -> None:
    """Fail if a metric has no value for any system; with ``--all``, if none of the metrics has one."""
    names = list(dict.fromkeys(name for name, _ in results))
    why = {name: no_value(result for (key, _), result in results.items() if key == name) for name in names}
    failed = {name: reason for name, reason in why.items() if reason is not None}
    if failed and not (some_suffice and len(failed) < len(names)):
        raise RunFailed("\n".join(f"{name}: {reason}" for name, reason in failed.items()))


def _print_scores(scored: ScoreResults, resampling: Resampling, *, json: bool) -> None:
    """Print one row per metric and system."""
    if json:
        print(_as_json(scored))
    else:
        notes = [*(leak.sentence for leak in scored.leaks), *judge_notes(scored.judges)]
        print_results(scored.results, resampling, notes)


def _as_json(scored: ScoreResults) -> str:
    rows = [result_row(*key, result) for key, result in scored.results.items()]
    leaks = {"leaks": as_json(scored.leaks)} if scored.leaks else {}
    judges = {"judges": as_json(scored.judges)} if scored.judges else {}
    return jsonlib.dumps({"results": rows, **leaks, **judges}, ensure_ascii=False)


def result_row(name: str, system: str, result: Result) -> dict[str, object]:
    """Return one result as JSON."""
    source = result.provenance
    return {
        "metric": name,
        "system": system,
        "signature": str(result.signature),
        "score": result.estimate.value,
        "low": result.estimate.low,
        "high": result.estimate.high,
        "n": result.scored,
        "unscored": len(result) - result.scored,
        "unanswered": result.unanswered,
        "seed": source.seed,
        "data": source.data,
        "package": source.package,
        "absence": result.absence,
        "units": result.units,
        "design_effect": result.design_effect,
    }


def rows_of_run(summary: Summary, results: Mapping[tuple[str, str], Result]) -> list[dict[str, object]]:
    """Return the results of a run as JSON, each with the fields that a row of ``score --json`` has."""
    return [
        as_json(row) | result_row(*key, result)
        for row, (key, result) in zip(summary.results, results.items(), strict=True)
    ]


def print_results(
    results: Mapping[tuple[str, str], Result], resampling: Resampling, notes: Iterable[str] = ()
) -> None:
    """Print the results as a table, with notes on what has no value, and further ones."""
    titles = ("metric", "system", "score", "95 % interval", "n", "unscored")
    columns = tuple(Column(title, numeric=index > 1) for index, title in enumerate(titles))
    rows = tuple(
        tuple(Cell(text) for text in (name, system, *_cells(result)))
        for (name, system), result in results.items()
    )
    print_table(Table("", columns, rows, (*_notes(results, resampling), *notes)))


def _cells(result: Result) -> tuple[str, str, str, str]:
    interval = f"– {result.absence or ''}".strip()
    if bounds := result.estimate.bounds:
        interval = f"{bounds[0]:.4f} – {bounds[1]:.4f}"
    score = "–" if result.estimate.value is None else f"{result.score:.4f}"
    return score, interval, str(result.scored), str(len(result) - result.scored)


def _notes(results: Mapping[tuple[str, str], Result], resampling: Resampling) -> Iterator[str]:
    """Yield notes on missing intervals, resampling, and unscored items."""
    yield from which_bleu({name: str(result.signature) for (name, _), result in results.items()})
    yield from as_sacrebleu_prints(
        (name, str(result.signature), system, *result.estimate[:3])
        for (name, system), result in results.items()
    )
    for absence in dict.fromkeys(result.absence for result in results.values()):
        if absence is not None:
            yield f"no interval, {absence}: {ABSENCES[absence]}"
    designs = [(result.units, result.scored, result.design_effect) for result in results.values()]
    items = (item for result in results.values() for item in result.items)
    for note in design_notes(designs, items, resampling):
        yield note[:1].lower() + note[1:].rstrip(".")
    yield from silence_notes(results.items())
    for (name, system), result in results.items():
        if told := unscored_note(result):
            yield f"{name}, {system}: {told}"
    for name in dict.fromkeys(name for name, _ in results):
        if told := undeclared_limits([result for (measure, _), result in results.items() if measure == name]):
            yield told
    for system, lacking, given in _without_response(results):
        yield f"{system}: {lacking} of the file's {given} items have no response from it"


def _without_response(results: Mapping[tuple[str, str], Result]) -> Iterator[tuple[str, int, int]]:
    """Each system that lacks items which another has, how many it lacks, and how many there are."""
    given = {system: result.items for (_, system), result in results.items()}
    if len(given) < 2:
        return
    hashes = {system: text_hashes(items) for system, items in given.items()}
    everything = count_distinct(np.concatenate(list(hashes.values())))
    for system, known in hashes.items():
        if lacking := everything - count_distinct(known):
            yield system, lacking, everything
