"""``dialeval consistency evaluate`` and ``analyse``: a detector on labelled pairs, and what provokes contradictions."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dialeval.cli.consistency.detect import Hub, Model, tell_labels
from dialeval.cli.options import Device, Json, Precision, Seed
from dialeval.consistency.analysing.analysis import analyse as analyse_answers
from dialeval.consistency.analysing.reading import read_labelled
from dialeval.consistency.detecting.detector import PairDetector
from dialeval.consistency.folder import ANALYSIS, write_analysis
from dialeval.consistency.learning.acts import read_labeller
from dialeval.consistency.learning.config import DetectorConfig
from dialeval.consistency.learning.crossvalidation import leave_one_out as validate, measured_by
from dialeval.consistency.pairs.reading import read_all
from dialeval.consistency.pairs.types import divide
from dialeval.consistency.report.tables import cross_validated, measured_table, print_analysis
from dialeval.display.consoles import PrintableConsole
from dialeval.display.terminal import print_table
from dialeval.errors import Unsuitable
from dialeval.files.documents import as_json
from dialeval.files.folders import check_target
from dialeval.options import Argument, Option
from dialeval.resources.device import use
from dialeval.resources.huggingface import require_torch

if TYPE_CHECKING:
    from dialeval.consistency.document import Measured, Target
    from dialeval.consistency.pairs.types import LabelledPair


def evaluate(
    pairs: Annotated[
        list[str],
        Argument(
            metavar="PAIRS...", help="Labelled pairs: NLI rows, sets of contradictions, or our own lines."
        ),
    ],
    model: Model = "shipped",
    hub: Hub = False,
    test: Annotated[
        float,
        Option(
            "--test",
            min=0,
            max=1,
            help="Only the share that 'train contradiction --test' held out; 1 for all.",
        ),
    ] = 1.0,
    leave_one_out: Annotated[
        bool,
        Option(
            "--leave-one-out",
            help="Also train on all systems but one and test on that one, for each in turn.",
        ),
    ] = False,
    epochs: Annotated[int, Option("--epochs", min=1, help="Epochs of that training.")] = 5,
    learning_rate: Annotated[float, Option("--learning-rate", help="Learning rate of that training.")] = 3e-4,
    device: Device = None,
    precision: Precision = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Measure a detector on labelled pairs: accuracy, AUC and calibration with intervals, by set and by system.

    Example: dialeval consistency evaluate decode.tsv contexts/indomain/*.jsonl --leave-one-out
    """
    use(device, precision)
    tell_labels(model, hub=hub)
    given = divide(read_all(pairs), validation=0.0, test=test).test
    if not given:
        raise Unsuitable("No labelled pair is left to evaluate on. Give other files, or a larger --test.")
    detector = PairDetector(model)
    measured = {name: measured_by(detector, rows) for name, rows in _by_name(given).items()}
    targets: list[Target] = []
    if leave_one_out:
        require_torch("Training", "tokenizers", "safetensors")
        usual = DetectorConfig(encoder=detector.file.about.encoder, precision=precision or "float32")
        usual = replace(usual, rank=detector.file.rank)
        schedule = replace(usual.schedule, epochs=epochs, learning_rate=learning_rate, warm_up=5, seed=seed)
        config = replace(usual, schedule=replace(schedule, evaluate_every=0, patience=2))
        targets = validate(
            given,
            detector,
            config,
            on_target=lambda name: print(f"without {name}", file=sys.stderr),
        )
        for target in targets:
            if target.after is None:
                why = "contradictions and other pairs are both required, and some of each for validation"
                print(f"warning: too little to train on without {target.system}: {why}", file=sys.stderr)
    _show(measured, targets, json=json)


def _by_name(pairs: Sequence[LabelledPair]) -> Mapping[str, list[LabelledPair]]:
    """Return the pairs of each set and, if it has several systems, of each system; all of a set first."""
    named: dict[str, list[LabelledPair]] = {}
    for each in pairs:
        named.setdefault(each.source or "pairs", []).append(each)
    for each in pairs:
        if each.votes is not None and each.group:
            named.setdefault(f"{each.source or 'pairs'}: {each.group}", []).append(each)
    return named


def _show(measured: Mapping[str, Measured], targets: Sequence[Target], *, json: bool) -> None:
    if json:
        rows = [{"set": name, **as_json(found)} for name, found in measured.items()]
        print(jsonlib.dumps({"results": rows, "leave_one_out": as_json(list(targets))}, ensure_ascii=False))
        return

    print_table(measured_table(measured), PrintableConsole())
    if targets:
        print_table(cross_validated(targets), PrintableConsole())


def analyse(
    labelled: Annotated[
        list[str],
        Argument(
            metavar="LABELLED...",
            help="What 'dialeval consistency label' wrote, or contexts of rgm.",
        ),
    ],
    model: Model = "shipped",
    against: Annotated[
        str | None,
        Option(
            "--against",
            metavar="PATH|NAME",
            help="Another detector: do raters differ more on contradictions that it misses and --model finds?",
        ),
    ] = None,
    acts: Annotated[
        Path | None, Option("--acts", help="A labeller that 'dialeval train acts' wrote.")
    ] = None,
    feature: Annotated[
        list[str] | None,
        Option(
            "--feature",
            metavar="WORDS",
            help="Another feature of questions: words, or a regular expression as in '/^(so|and) /'. Repeatable.",
        ),
    ] = None,
    out: Annotated[
        Path | None, Option("--out", "-o", help="A folder for analysis.json and analysis.html.")
    ] = None,
    json: Json = False,
) -> None:
    """Analyse labelled answers: rates, contexts that provoke several systems, features of questions, detector misses.

    Rates run from what any rater calls contradictory to what all do. Probes drawn by FQness and at random are compared
    by distance and by numbers of votes.

    Example: dialeval consistency analyse labelled.jsonl -o analysis

    Example: dialeval consistency analyse labelled.jsonl --model my-detector --against shipped --feature "how often"
    """
    if out is not None:
        check_target(out, ANALYSIS, kind="analysis")
    labeller = read_labeller(acts) if acts is not None else None
    document = analyse_answers(
        read_labelled(labelled),
        detector=PairDetector(model),
        against=None if against is None else PairDetector(against),
        labeller=labeller,
        features=feature or (),
    )
    page = write_analysis(out, document) if out is not None else None
    if json:
        places = {} if out is None else {"folder": str(out), "report": str(page)}
        print(jsonlib.dumps({**as_json(document), **places}, ensure_ascii=False, allow_nan=False))
        return
    print_analysis(document)
    if page is not None:
        print(f"Report: {page}")
