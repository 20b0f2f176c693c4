"""``dialeval train contradiction``: a contradiction detector from labelled pairs."""

from __future__ import annotations

import json as jsonlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dialeval.cli.train.settings import Encoder, Hub, Rank, Tokens, Training, check_target
from dialeval.consistency.detecting.detector import SHIPPED, SHIPPED_OF, adapter_path
from dialeval.consistency.learning.config import SCHEDULE, DetectorConfig
from dialeval.consistency.learning.crossvalidation import balanced, with_random_earlier
from dialeval.consistency.pairs.making import made_pairs
from dialeval.consistency.pairs.reading import read_all
from dialeval.consistency.pairs.types import Divided, divide
from dialeval.data import read
from dialeval.files.documents import as_json
from dialeval.options import Argument, Option, Options
from dialeval.resources.huggingface import require_torch
from dialeval.training.schedule import Schedule

if TYPE_CHECKING:
    from dialeval.consistency.learning.training import Trained
    from dialeval.consistency.pairs.types import LabelledPair


def contradiction(
    pairs: Annotated[
        list[str],
        Argument(
            metavar="PAIRS...", help="Labelled pairs: NLI rows, sets of contradictions, or our own lines."
        ),
    ],
    out: Annotated[Path, Option("--out", "-o", help="The detector's folder.")],
    start_from: Annotated[
        Path | None,
        Option("--start-from", metavar="ADAPTER", help="Train this detector further: its folder or file."),
    ] = None,
    also: Annotated[
        list[str] | None,
        Option(
            "--also", metavar="PAIRS", help="Train on all of these, none held out for a test. Repeatable."
        ),
    ] = None,
    dialogues: Annotated[
        list[str] | None,
        Option(
            "--dialogues", metavar="DIALOGUES", help="Also make contradictions of these by rules. Repeatable."
        ),
    ] = None,
    calibrate: Annotated[
        list[str] | None,
        Option(
            "--calibrate",
            metavar="PAIRS",
            help="Calibrate on these. Repeatable.",
            show_default="validation pairs",
        ),
    ] = None,
    leave_out: Annotated[
        list[str] | None,
        Option("--leave-out", metavar="GROUP", help="Leave out pairs of this system or split. Repeatable."),
    ] = None,
    words: Annotated[
        int | None, Option("--words", min=1, help="Leave out pairs of more than N words.")
    ] = None,
    validation: Annotated[
        float, Option("--validation", min=0.001, max=0.9, help="Share held out for early stopping.")
    ] = 0.1,
    test: Annotated[
        float, Option("--test", min=0, max=0.9, help="Share held out for a test, never trained on.")
    ] = 0.0,
    encoder: Encoder = "minilm",
    hub: Hub = False,
    rank: Rank = 16,
    tokens: Tokens = None,
    validate_on: Annotated[
        list[str] | None,
        Option(
            "--validate-on",
            metavar="PAIRS",
            help="Stop early by these, such as a set's own development part. Repeatable.",
            show_default="a share of the pairs",
        ),
    ] = None,
    schedule: Annotated[Schedule, Options("epochs", "evaluate_every", "patience", "seed")] = SCHEDULE,
    learning_rate: Annotated[
        list[float] | None,
        Option(
            "--learning-rate",
            help="Learning rate of Adam; of several, the best in validation is kept. Repeatable.",
            show_default="0.001",
        ),
    ] = None,
    batch: Annotated[int, Option("--batch", min=1, help="Pairs per update.")] = 32,
    random_earlier: Annotated[
        bool,
        Option(
            "--random-earlier",
            help="Train on consistent responses beside a random earlier utterance of their speaker, where it is known.",
        ),
    ] = False,
    balance: Annotated[
        bool,
        Option("--balance", help="Train on as many contradictions as other pairs; the rest is left out."),
    ] = False,
    training: Annotated[
        Training,
        Options(
            *("weight_decay", "warm_up", "shape", "device", "precision"),
            *("minutes", "limit", "resume", "json"),
        ),
    ] = Training(),
) -> None:
    """Train a contradiction detector: an encoder, or low-rank changes of one, and a head over pairs of utterances.

    Killed or interrupted? The same command resumes from the last checkpoint.

    Example: dialeval train contradiction labelled.jsonl -o my-detector --random-earlier --balance

    Example: dialeval train contradiction nli.jsonl decode.tsv -o my-detector --minutes 60

    Example: dialeval train contradiction labels.jsonl --start-from shipped -o my-detector
    """
    require_torch("Detectors", "tokenizers", "safetensors")
    from dialeval.consistency.learning.finishing import check_calibrating, finish

    check_target(out)
    parts = _parts(
        pairs, also, dialogues, leave_out or [], words, training.limit, validation, test, schedule.seed
    )
    if validate_on:
        own = read_all(validate_on, leave_out=leave_out or [], words=words)
        parts = Divided(parts.train + parts.validation, own, parts.test)
    parts = _prepared(parts, random_earlier=random_earlier, balance=balance, seed=schedule.seed)
    pace = replace(training, seed=schedule.seed, epochs=schedule.epochs)
    usual = DetectorConfig()
    config = replace(
        usual,
        encoder=encoder,
        hub=hub,
        rank=rank or None,
        longest=tokens or usual.longest,
        batch=batch,
        precision=training.precision,
        schedule=pace.shaped(schedule),
    )
    start = None if start_from is None else _begun_with(str(start_from), config.encoder)
    calibrated_on = _calibration(calibrate, parts)
    check_calibrating(calibrated_on)
    trained, config = _best(parts, config, learning_rate or [1e-3], out, start, training)
    measured = finish(out, trained, parts.train, calibrated_on, config, started_from=str(start_from or ""))
    if training.json:
        facts = {"folder": str(out), "train": len(parts.train), "validation": as_json(measured)}
        print(jsonlib.dumps({**facts, "learning_rate": config.schedule.learning_rate}))
        return
    accuracy, auc = measured.accuracy.value, measured.auc.number
    print(f"{len(parts.train):,} pairs; validation: accuracy {accuracy:.3f}, AUC {auc:.3f}")
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
    parts = divide(read_all(sources, leave_out=leave_out, words=words), validation=validation, test=test)
    more = read_all(also or [], leave_out=leave_out, words=words)[:limit]
    for source in dialogues or []:
        more += made_pairs(read(source, "dialogue"), seed=seed)
    further = divide(more, validation=validation)
    parts = Divided(parts.train + further.train, parts.validation + further.validation, parts.test)
    told = f"{len(parts.train):,} pairs to train on, {len(parts.validation):,} for validation"
    print(f"{told}, {len(parts.test):,} left for a test" if test else told, file=sys.stderr)
    return parts


def _prepared(parts: Divided, *, random_earlier: bool, balance: bool, seed: int) -> Divided:
    """Return the parts with what is trained on paired and balanced as Sato (2024, section 4.7.4) did, if asked."""
    train, validation = parts.train, parts.validation
    if random_earlier:
        train, validation = (with_random_earlier(each, seed=seed) for each in (train, validation))
    if balance:
        train = balanced(train, seed=seed)
        print(f"{len(train):,} pairs to train on, half of them contradictions", file=sys.stderr)
    return Divided(train, validation, parts.test)


def _best(
    parts: Divided,
    config: DetectorConfig,
    rates: list[float],
    out: Path,
    start: Path | None,
    training: Training,
) -> tuple[Trained, DetectorConfig]:
    """Return the model of the learning rate with the least loss in validation."""
    from dialeval.consistency.learning.training import train_detector

    best: tuple[float, Trained, DetectorConfig] | None = None
    for rate in rates:
        tried = replace(config, schedule=replace(config.schedule, learning_rate=rate))
        folder = out if len(rates) == 1 else out / f"rate-{rate:g}"
        folder.mkdir(parents=True, exist_ok=True)
        total = len(parts.train) * config.schedule.epochs
        with training.session(folder.name, total) as started:
            trained = train_detector(
                parts.train, parts.validation, tried, folder, start_from=start, session=started
            )
        loss = (trained.fitted.best.held_out or {})["loss"]
        if best is None or loss < best[0]:
            best = loss, trained, tried
    assert best is not None, "there is at least one rate"
    return best[1], best[2]


def _begun_with(start: str, base: str) -> Path:
    """Where the adapter to start from is; ``shipped`` is the shipped one of the base that is trained."""
    of_base = f"{SHIPPED}-{base}"
    return adapter_path(of_base if start == SHIPPED and of_base in SHIPPED_OF else start)


def _calibration(sources: list[str] | None, parts: Divided) -> list[LabelledPair]:
    return read_all(sources) if sources else parts.validation
