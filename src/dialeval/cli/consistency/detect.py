"""``dialeval consistency detect``: contradictions in dialogues, each quoted by its two turns."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from dialeval.cli.costs import JUDGE_NAMES, DryRun, print_costs
from dialeval.cli.execution import Execution, Sampling
from dialeval.cli.options import (
    ColumnsOption,
    From,
)
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.cli.run import as_file, evaluate_study
from dialeval.consistency.detecting.classifier import find_classifier
from dialeval.consistency.detecting.detecting import talk_of
from dialeval.consistency.detecting.detector import SHIPPED, SHIPPED_OF, is_shipped
from dialeval.consistency.detecting.dialogues import NO_SYSTEM_PAIR, cost_of, obstacle
from dialeval.consistency.detecting.metrics import ContradictionDetector, pairs_judged
from dialeval.consistency.detecting.recorded import speaker_of
from dialeval.consistency.document import DialoguesInfo
from dialeval.consistency.measure import checked_of, contradictions
from dialeval.consistency.report.tables import rates, worst
from dialeval.core import Resampling
from dialeval.data import read
from dialeval.display.consoles import PrintableConsole
from dialeval.display.terminal import print_table
from dialeval.display.wording import count
from dialeval.encoder.bases import BASES, best_installed
from dialeval.errors import RunFailed
from dialeval.files.documents import as_json
from dialeval.judge.naming import names_judge
from dialeval.options import Argument, Option, Options
from dialeval.resources import check
from dialeval.resources.device import use
from dialeval.text.sentences import mostly_latin

if TYPE_CHECKING:
    from dialeval.consistency.detecting.dialogues import Case
    from dialeval.consistency.detecting.metrics import Contradictions
    from dialeval.data import Dialogue
    from dialeval.judge.costs import CostEstimate
    from dialeval.study import Run
    from dialeval.study.document import Summary

Dialogues: TypeAlias = Annotated[
    str, Argument(metavar="DIALOGUES", help="A file of dialogues, or - for standard input.")
]
Model: TypeAlias = Annotated[
    str,
    Option(
        "--model",
        metavar="PATH|NAME",
        help="The detector: 'shipped', what 'dialeval train contradiction' wrote, or a sequence classifier of "
        "Hugging Face with a label 'contradiction', such as one for NLI, or a judge (judge:NAME).",
    ),
]
ByJudge: TypeAlias = Annotated[
    str | None,
    Option(
        "--by",
        metavar="judge:NAME",
        help=f"A judge in place of the detector: {JUDGE_NAMES}.",
    ),
]
Hub: TypeAlias = Annotated[bool, Option("--hub", help="Allow to download the model from the hub.")]


def tell_labels(model: str, *, hub: bool = False) -> None:
    """Say what the labels of a classifier of Hugging Face mean here; nothing if the model is an adapter."""
    if (
        not is_shipped(model)
        and not names_judge(model)
        and (found := find_classifier(model, hub=hub)) is not None
    ):
        print(f"Labels of {found.mapping}", file=sys.stderr)


def detector_of(model: str, by: str | None) -> str:
    """The detector that ``--model`` or ``--by`` names."""
    if by is None:
        return model
    if not names_judge(by):
        raise BadUsage(f"takes judge:NAME, found {by!r}; other detectors are named by --model", where="--by")
    if model != SHIPPED:
        raise BadUsage("cannot be combined with --model: one of them reads the pairs", where="--by")
    return by


def detect(
    dialogues: Dialogues,
    turn: Annotated[
        Literal["all", "last"],
        Option("--turn", help="Compare all turns, or only the last one with those before it."),
    ] = "all",
    speakers: Annotated[
        Literal["system", "all"],
        Option(
            "--speakers",
            help="Compare the turns of the dialogue's system, if it is known, or those of every speaker.",
        ),
    ] = "system",
    reach: Annotated[
        int | None,
        Option(
            "--reach",
            metavar="N",
            min=0,
            help="Compare a turn with those up to N turns back; 0 for all. Pairs farther apart are counted.",
            show_default="60; all with --turn last",
        ),
    ] = None,
    model: Model = "shipped",
    by: ByJudge = None,
    hub: Hub = False,
    out: Annotated[
        Path | None, Option("--out", "-o", help="A run folder, with every dialogue in detected.jsonl.")
    ] = None,
    dry_run: DryRun = False,
    format: From = None,
    columns: ColumnsOption = None,
    resampling: Sampling = Resampling(),
    execution: Annotated[
        Execution,
        Options(
            *("limit", "jobs", "device", "precision", "engine", "address", "resume", "cache"),
            *("fail_under", "allow_unanswered", "shard", "json"),
        ),
    ] = Execution(),
) -> None:
    """Find contradictions: every two utterances of one speaker, sentence by sentence, also within one utterance.

    For each dialogue the two most contradictory turns of the system are quoted, with a calibrated probability. Those
    with nothing to compare are counted by reason. Lines of a persona ("metadata": {"persona": [...]}) are compared with
    the system's turns, too. Time grows with the number of pairs, which is printed at the start.
    The output, the folder and the report are those of 'dialeval run'. Interrupted? The same command resumes.

    Example: dialeval consistency detect dialogues.jsonl -o contradictions

    Example: dialeval consistency detect dialogues.jsonl --turn last --json

    Example: dialeval consistency detect dialogues.jsonl --by judge:strong.yaml --dry-run
    """
    use(execution.device, execution.precision)
    model = detector_of(model, by)
    tell_labels(model, hub=hub)
    options = {"model": model, "turn": turn, "speakers": speakers, "reach": reach}
    usual = {"model": SHIPPED, "turn": "all", "speakers": "system", "reach": None}
    measure = {key: value for key, value in options.items() if value != usual[key]}
    metric = contradictions(model, turn, speakers, reach).metric
    ContradictionDetector(model).calibration  # noqa: B018 -- a detector that is none is refused first
    with as_file(dialogues, execution.part, out) as path:
        source = f"{format}:{path}" if format else str(path)
        given = _first(read(source, "dialogue", columns=columns), execution.limit)
        if is_shipped(model):
            _warn_of_scripts(given)
            _tell_of_a_better_one(model)
        cases = [talk_of(each, metric.reading, speakers).case for each in given]
        _refuse_nothing(dialogues, cases)
        if dry_run:
            print_costs(_costs(model, cases), json=execution.json)
            return
        _tell_costs(given, metric)
        keys = {"kind": "dialogues", "path": source, **({"columns": columns} if columns else {})}
        systems = dict.fromkeys(map(speaker_of, given))
        content = {
            "data": source,
            "missing": "own" if _share_some_items(given) else "auto",
            "systems": [{"name": name, "system": name, **keys} for name in systems],
            "measures": [{"name": "contradictions", **measure}],
        }
        also = partial(_shown, given, json=execution.json)
        evaluate_study("consistency", content, resampling, execution, out=out, also=also)


def _first(dialogues: Iterable[Dialogue], limit: int | None) -> list[Dialogue]:
    """The dialogues with the first ids, at most so many, as the study takes them."""
    given = list(dialogues)
    known = frozenset(list(dict.fromkeys(each.item for each in given))[:limit])
    return [each for each in given if each.item in known]


def _share_some_items(dialogues: Sequence[Dialogue]) -> bool:
    """Whether systems have dialogues of some ids in common and others of their own: too few to be compared on."""
    items: dict[str, set[str]] = {}
    for each in dialogues:
        items.setdefault(speaker_of(each), set()).add(each.item)
    return any(a != b and a & b for a, b in combinations(items.values(), 2))


def _refuse_nothing(file: str, cases: Sequence[Case]) -> None:
    """Fail if no dialogue can be checked."""
    reasons = [obstacle(*case) for case in cases]
    if None in reasons:
        return
    found = Counter(reason for reason in reasons if reason is not None)
    why = "; ".join(f"{count(n, 'dialogue')}: {reason}" for reason, n in found.items())
    advice = (
        "--speakers all compares the turns of every speaker."
        if NO_SYSTEM_PAIR in found
        else "Give dialogues in which one speaker says two sentences or more."
    )
    raise RunFailed(f"{file}: nothing was checked ({why}). {advice}")


def _costs(model: str, cases: Sequence[Case]) -> list[CostEstimate]:
    """Requests to the judge that have no reply yet; none if another detector reads the pairs."""
    from dialeval.judge.costs import judge_cost

    asked = pairs_judged(ContradictionDetector(model), cases)
    return [judge_cost(model, one.judge, one.about) for one in asked]


def _warn_of_scripts(dialogues: Sequence[Dialogue]) -> None:
    """The shipped detector read English only, and gives a verdict on anything."""
    other = sum(not mostly_latin(turn.text for turn in dialogue.turns) for dialogue in dialogues)
    if other:
        print(
            f"{count(other, 'dialogue')} mostly in another script than Latin: the shipped detector learnt from English "
            "alone, so its verdicts there mean little. 'dialeval train contradiction' trains one of your own.",
            file=sys.stderr,
        )


def _tell_of_a_better_one(model: str) -> None:
    best = next(iter(SHIPPED_OF))
    if model == SHIPPED and best_installed(SHIPPED_OF) != best:
        found = check(BASES[best.removeprefix("shipped-")].resource, verify=False)
        print(f"A better detector is used if its base is installed: {found.command}", file=sys.stderr)


def _tell_costs(dialogues: Sequence[Dialogue], metric: Contradictions) -> None:
    """Print the number of pairs to stderr."""
    costs = [cost_of(*talk_of(each, metric.reading, metric.speakers).case) for each in dialogues]
    pairs = sum(cost.passages for cost in costs)
    print(f"{count(len(costs), 'dialogue')}, {count(pairs, 'pair')} of passages to compare", file=sys.stderr)
    if beyond := sum(cost.beyond for cost in costs):
        print(
            f"{count(beyond, 'pair')} of turns more than {metric.reach} turns apart are not compared; --reach 0 "
            "compares them",
            file=sys.stderr,
        )


def _shown(given: Sequence[Dialogue], run: Run, summary: Summary, *, json: bool) -> Mapping[str, Any]:
    """Print rates and the worst pairs, or return the keys that the JSON has of them beside those of the run."""
    checked = {
        (each.system, each.item): each for scored in run.scored for each in checked_of(scored.subjects)
    }
    info = next((each for each in summary.sections["consistency"] if isinstance(each, DialoguesInfo)), None)
    if info is None:  # detecting failed, which the run tells
        return {}
    if not json:
        console = PrintableConsole()
        for table in (rates(info.systems), worst(info.worst)):
            if table.rows:
                console.print()
                print_table(table, console)
        return {}
    own = {key: value for key, value in as_json(info).items() if key not in ("measure", "status", "worst")}
    found = [
        (each, checked[speaker_of(each), each.item].detected)
        for each in given
        if (speaker_of(each), each.item) in checked
    ]
    by_name = {rate["system"]: rate for rate in own["systems"]}
    systems = [{**as_json(system), **by_name.get(system.name, {})} for system in summary.systems]
    return {
        **own,
        "systems": systems,
        "dialogues": [{**as_json(detected), "system": each.system} for each, detected in found],
    }
