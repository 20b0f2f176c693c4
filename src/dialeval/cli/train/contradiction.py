"""``dialeval train contradiction``: a contradiction detector from labelled pairs."""

from __future__ import annotations

import json as jsonlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialeval.cli.options import Json, Limit, Seed
from dialeval.cli.train.settings import Encoder, Minutes, Resume, check_target, session

if TYPE_CHECKING:
    from dialeval.consistency.learning.config import DetectorConfig
    from dialeval.consistency.learning.training import Trained
    from dialeval.consistency.pairs.types import Divided, LabelledPair


def contradiction(
    pairs: Annotated[
        list[str],
        typer.Argument(
            metavar="PAIRS...", help="Labelled pairs: NLI rows, sets of contradictions, or our own lines."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The detector's folder.")],
    start_from: Annotated[
        Path | None, typer.Option(metavar="ADAPTER", help="Train this detector further: its folder or file.")
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(metavar="PAIRS", help="Train on all of these, none held out for a test. Repeatable."),
    ] = None,
    dialogues: Annotated[
        list[str] | None,
        typer.Option(metavar="DIALOGUES", help="Also make contradictions of these by rules. Repeatable."),
    ] = None,
    calibrate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PAIRS", help="Calibrate on these. Repeatable.", show_default="validation pairs"
        ),
    ] = None,
    leave_out: Annotated[
        list[str] | None,
        typer.Option(metavar="GROUP", help="Leave out pairs of this system or split. Repeatable."),
    ] = None,
    words: Annotated[int | None, typer.Option(min=1, help="Leave out pairs of more than N words.")] = None,
    validation: Annotated[
        float, typer.Option(min=0.001, max=0.9, help="Share held out for early stopping.")
    ] = 0.1,
    test: Annotated[
        float, typer.Option(min=0, max=0.9, help="Share held out for a test, never trained on.")
    ] = 0.0,
    encoder: Encoder = "minilm",
    rank: Annotated[
        int, typer.Option(min=1, help="Rank of the low-rank changes (LoRA) of the encoder.")
    ] = 16,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the pairs.")] = 1,
    learning_rate: Annotated[
        list[float] | None,
        typer.Option(
            help="Learning rate of Adam; of several, the best in validation is kept. Repeatable.",
            show_default="0.001",
        ),
    ] = None,
    batch: Annotated[int, typer.Option(min=1, help="Pairs per update.")] = 32,
    evaluate_every: Annotated[int, typer.Option(min=1, help="Updates between evaluations.")] = 200,
    patience: Annotated[
        int, typer.Option(min=1, help="Evaluations without improvement before it stops.")
    ] = 5,
    bfloat16: Annotated[
        bool, typer.Option("--bfloat16", help="Multiply in 16 bits, faster on some machines.")
    ] = False,
    minutes: Minutes = None,
    seed: Seed = 0,
    limit: Limit = None,
    resume: Resume = True,
    json: Json = False,
) -> None:
    """Train a contradiction detector: low-rank changes of an encoder, and a head over pairs of utterances.

    Killed or interrupted? The same command resumes from the last checkpoint.

    Example: dialeval train contradiction nli.jsonl decode.tsv -o my-detector --minutes 60

    Example: dialeval train contradiction labels.jsonl --start-from shipped -o my-detector
    """
    from dialeval.consistency.learning.config import DetectorConfig
    from dialeval.resources.huggingface import require_torch
    from dialeval.training.schedule import Schedule

    require_torch("Detectors", "tokenizers", "safetensors")
    from dialeval.consistency.learning.finishing import finish

    check_target(out)
    parts = _parts(pairs, also, dialogues, leave_out or [], words, limit, validation, test, seed)
    schedule = Schedule(
        epochs=epochs, warm_up=100, evaluate_every=evaluate_every, patience=patience, seed=seed
    )
    config = DetectorConfig(
        encoder, rank, batch=batch, precision="bfloat16" if bfloat16 else "float32", schedule=schedule
    )
    start = None if start_from is None else _adapter(start_from)
    rates = learning_rate or [1e-3]
    trained, config = _best(parts, config, rates, out, start, resume=resume, minutes=minutes)
    calibrated_on = _calibration(calibrate, parts)
    measured = finish(out, trained, parts.train, calibrated_on, config, started_from=str(start_from or ""))
    if json:
        from dialeval.files.documents import as_json

        facts = {"folder": str(out), "train": len(parts.train), "validation": as_json(measured)}
        print(jsonlib.dumps({**facts, "learning_rate": config.schedule.learning_rate}))
        return
    print(f"{len(parts.train):,} pairs; validation: accuracy {measured.accuracy:.3f}, AUC {measured.auc:.3f}")
    print(f"Detector: {out}\nUse it: dialeval consistency detect DIALOGUES --model {out}")


def _parts(
    sources: list[str],
    also: list[str] | None,
    dialogues: list[str] | None,
    leave_out: list[str],
    words: int | None,
    limit: int | None,
    validation: float,
    test: float,
    seed: int,
) -> Divided:
    from dialeval.consistency.pairs.making import made_pairs
    from dialeval.consistency.pairs.reading import read_all
    from dialeval.consistency.pairs.types import Divided, divide
    from dialeval.data import read

    parts = divide(read_all(sources, leave_out=leave_out, words=words), validation=validation, test=test)
    more = read_all(also or [], leave_out=leave_out, words=words)[:limit]
    for source in dialogues or []:
        more += made_pairs(read(source, "dialogue"), seed=seed)
    further = divide(more, validation=validation)
    parts = Divided(parts.train + further.train, parts.validation + further.validation, parts.test)
    told = f"{len(parts.train):,} pairs to train on, {len(parts.validation):,} for validation"
    print(f"{told}, {len(parts.test):,} left for a test" if test else told, file=sys.stderr)
    return parts


def _adapter(given: Path) -> Path:
    from dialeval.consistency.detecting.detector import adapter_path

    return adapter_path(str(given))


def _best(
    parts: Divided,
    config: DetectorConfig,
    rates: list[float],
    out: Path,
    start: Path | None,
    *,
    resume: bool,
    minutes: float | None,
) -> tuple[Trained, DetectorConfig]:
    """The model of the learning rate with the least loss in validation."""
    from dialeval.consistency.learning.training import train_detector

    best: tuple[float, Trained, DetectorConfig] | None = None
    for rate in rates:
        tried = replace(config, schedule=replace(config.schedule, learning_rate=rate))
        folder = out if len(rates) == 1 else out / f"rate-{rate:g}"
        folder.mkdir(parents=True, exist_ok=True)
        total = len(parts.train) * config.schedule.epochs
        with session(folder.name, total, resume=resume, minutes=minutes) as started:
            trained = train_detector(
                parts.train, parts.validation, tried, folder, start_from=start, session=started
            )
        loss = (trained.fitted.best.held_out or {})["loss"]
        if best is None or loss < best[0]:
            best = loss, trained, tried
    assert best is not None, "there is at least one rate"
    return best[1], best[2]


def _calibration(sources: list[str] | None, parts: Divided) -> list[LabelledPair]:
    from dialeval.consistency.pairs.reading import read_all

    return read_all(sources) if sources else parts.validation
