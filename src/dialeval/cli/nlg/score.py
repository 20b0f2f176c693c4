"""``dialeval nlg score``: slot errors of responses to dialogue acts, beside any other metric."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dialeval.cli.gates import exit_on_gates, parse_fail_under
from dialeval.cli.options import (
    CacheFolder,
    Cluster,
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
from dialeval.cli.score import print_results, refuse_nothing, result_row, write_judgements
from dialeval.cli.subjects import first_items, side_file
from dialeval.cli.workshop import open_workshop

if TYPE_CHECKING:
    from dialeval.core import Outcome, Resampling
    from dialeval.data.codec.bad import OnBad
    from dialeval.display.notes import Note
    from dialeval.nlg.document import SlotCounts


def score(
    file: Annotated[
        str,
        typer.Argument(
            help="Lines of id, system, act, response and references; or e2e:FILE.tsv. - for stdin."
        ),
    ],
    metric: MetricNames = None,
    pool: Annotated[
        Literal["act", "slots", "none"],
        typer.Option(
            "--pool",
            help="Whose references count for -m: of identical acts, of acts with the same slots (refilled, as RNNLG), "
            "or each item's alone.",
        ),
    ] = "act",
    references: Annotated[
        str | None,
        typer.Option(
            "--references",
            metavar="FILE",
            help="References by act, for items without: rnnlg:FILE, e2e:FILE ...",
        ),
    ] = None,
    profile: Annotated[
        Literal["dialeval", "wen2015", "rnnlg"],
        typer.Option("--profile", help="Whose definition of slot errors is used."),
    ] = "dialeval",
    aliases: Annotated[
        Path | None, typer.Option("--aliases", help="Further words for values: JSON, YAML or TSV.")
    ] = None,
    per_item: Annotated[
        Path | None, typer.Option("--per-item", help="Write one judgement per item and metric here.")
    ] = None,
    slots: Annotated[
        Path | None, typer.Option("--slots", help="Write every slot with the words that say it here (JSONL).")
    ] = None,
    bound: Annotated[
        float, typer.Option("--bound", min=0, help="Warn where the references' slot error rate exceeds this.")
    ] = 0.1,
    cluster: Cluster = "auto",
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
    r"""Score responses to dialogue acts: slots missing, wrong, added, repeated, and the references' own errors.

    An act is "inform(name='x';area=centre)", name\[x], or {"act": "inform", "slots": {"name": "x"}}.

    Example: dialeval nlg score outputs.jsonl --json

    Example: dialeval nlg score outputs.jsonl -m bleu -m meteor --pool slots --slots slots.jsonl
    """
    from dialeval.core import Resampling
    from dialeval.data import SideFile, refuse
    from dialeval.evaluation.runner import Plan, evaluate_each
    from dialeval.files.documents import write_json_lines
    from dialeval.metrics import build_any
    from dialeval.nlg.scoring import read_scored, slot_metrics
    from dialeval.nlg.slots.summary import item_findings, notes_on, slot_counts
    from dialeval.study.gates import Judged, check_gates

    own = slot_metrics(profile, "" if aliases is None else str(aliases))
    further = {name: build_any(name) for name in dict.fromkeys(metric or ())}
    gates = parse_fail_under(fail_under, {**own, **further})
    on_bad: OnBad = SideFile(side_file(file)) if skip_bad else refuse
    data = read_scored(file, references, pool, on_bad)
    kept = list(first_items(data.plain, limit))
    results: dict[tuple[str, str], Outcome] = {}
    with open_workshop(jobs=jobs, cache=cache, resume=resume) as shop, shop.watch("scoring", 0) as progress:
        resampling = Resampling(resamples=trials, seed=seed, cluster=cluster)
        plan = Plan(resampling=resampling, executor=shop.executor, cache=shop.cache, progress=progress)
        referenced = any(example.references for example in kept)
        results |= evaluate_each(
            {k: m for k, m in own.items() if referenced or m.of == "response"}, kept, plan
        )
        if further:
            results |= evaluate_each(further, list(first_items(data.pooled, limit)), plan)
    items = item_findings(own["slot_error_rate"], kept)
    if isinstance(on_bad, SideFile) and (left_out := on_bad.message()):
        print(left_out, file=sys.stderr)
    if per_item is not None:
        write_judgements(per_item, results)
    if slots is not None:
        write_json_lines(slots, items, follow=True)
    of_references = {name for name, each in own.items() if each.of == "references"}
    rates = {system: result.score for (name, system), result in results.items() if name in of_references}
    notes = notes_on(own["slot_error_rate"], kept, rates, bound)
    _print(results, slot_counts(items), notes, resampling, json=json)
    refuse_nothing(results, some_suffice=True)
    exit_on_gates(list(check_gates(gates, [Judged.of(*key, result) for key, result in results.items()])))


def _print(
    results: Mapping[tuple[str, str], Outcome],
    counts: Sequence[SlotCounts],
    notes: Sequence[Note],
    resampling: Resampling,
    *,
    json: bool,
) -> None:
    """The results as ``score`` prints them, then what became of each slot."""
    if json:
        document = {
            "results": [result_row(*key, result) for key, result in results.items()],
            "slots": [asdict(count) for count in counts],
            "notes": [{"code": note.code, "text": note.text} for note in notes],
        }
        print(jsonlib.dumps(document, ensure_ascii=False))
        return
    from dialeval.display.consoles import PrintableConsole
    from dialeval.display.terminal import print_table
    from dialeval.nlg.report.section import counts_table

    print_results(results, resampling, [note.text for note in notes])
    print_table(counts_table(counts), PrintableConsole())
