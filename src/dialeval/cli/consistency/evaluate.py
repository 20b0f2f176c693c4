"""``dialeval consistency evaluate``: a detector against people's labels, and leave-one-system-out cross-validation."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dialeval.cli.consistency.detect import Model
from dialeval.cli.options import Json, Seed

if TYPE_CHECKING:
    from dialeval.consistency.document import Measured, Target
    from dialeval.consistency.pairs.types import LabelledPair


def evaluate(
    pairs: Annotated[
        list[str],
        typer.Argument(
            metavar="PAIRS...", help="Labelled pairs: NLI rows, sets of contradictions, or our own lines."
        ),
    ],
    model: Model = "shipped",
    test: Annotated[
        float,
        typer.Option(
            min=0, max=1, help="Only the share that 'train contradiction --test' held out; 1 for all."
        ),
    ] = 1.0,
    leave_one_out: Annotated[
        bool,
        typer.Option(
            "--leave-one-out",
            help="Also train on all systems but one and test on that one, for each in turn.",
        ),
    ] = False,
    epochs: Annotated[int, typer.Option(min=1, help="Epochs of that training.")] = 5,
    learning_rate: Annotated[float, typer.Option(help="Learning rate of that training.")] = 3e-4,
    precision: Annotated[
        Literal["float32", "bfloat16"], typer.Option("--precision", help="Precision of that training.")
    ] = "float32",
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Measure a detector on labelled pairs: accuracy, AUC and calibration with intervals, by set and by system.

    Example: dialeval consistency evaluate decode.tsv contexts/indomain/*.jsonl --leave-one-out
    """
    from dialeval.consistency.detecting.detector import PairDetector
    from dialeval.consistency.learning.crossvalidation import measured_by
    from dialeval.consistency.pairs.reading import read_all
    from dialeval.consistency.pairs.types import divide
    from dialeval.errors import Unsuitable

    given = divide(read_all(pairs), validation=0.0, test=test).test
    if not given:
        raise Unsuitable("No labelled pair is left to evaluate on. Give other files, or a larger --test.")
    detector = PairDetector(model)
    measured = {name: measured_by(detector, rows) for name, rows in _by_name(given).items()}
    targets: list[Target] = []
    if leave_one_out:
        from dialeval.consistency.learning.config import DetectorConfig
        from dialeval.consistency.learning.crossvalidation import leave_one_out as validate
        from dialeval.resources.huggingface import require_torch

        require_torch("Training", "tokenizers", "safetensors")
        usual = DetectorConfig(encoder=detector.file.about.encoder, precision=precision)
        schedule = replace(usual.schedule, epochs=epochs, learning_rate=learning_rate, warm_up=5, seed=seed)
        config = replace(usual, schedule=replace(schedule, evaluate_every=0, patience=2))
        targets = validate(
            given, detector, config, on_target=lambda name: print(f"without {name}", file=sys.stderr)
        )
    _show(measured, targets, json=json)


def _by_name(pairs: Sequence[LabelledPair]) -> Mapping[str, list[LabelledPair]]:
    """The pairs of each set and, where it has several systems, of each system; all of a set first."""
    named: dict[str, list[LabelledPair]] = {}
    for each in pairs:
        named.setdefault(each.source or "pairs", []).append(each)
    for each in pairs:
        if each.votes is not None:
            named.setdefault(f"{each.source}: {each.group}", []).append(each)
    return named


def _show(measured: Mapping[str, Measured], targets: Sequence[Target], *, json: bool) -> None:
    from dialeval.files.documents import as_json

    if json:
        rows = [{"set": name, **as_json(found)} for name, found in measured.items()]
        print(jsonlib.dumps({"results": rows, "leave_one_out": as_json(list(targets))}, ensure_ascii=False))
        return
    from dialeval.consistency.report.tables import cross_validated, measured_table
    from dialeval.display.consoles import PrintableConsole
    from dialeval.display.terminal import print_table

    print_table(measured_table(measured), PrintableConsole())
    if targets:
        print_table(cross_validated(targets), PrintableConsole())
