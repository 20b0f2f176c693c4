"""``dialeval train nlg``: generators that put dialogue acts into words."""

from __future__ import annotations

import json as jsonlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dialeval.cli.train.settings import Training, check_target, warn_of_shortfall
from dialeval.data.codec.sources import file_of
from dialeval.nlg.acts.files import read_acts, read_splits, split_source
from dialeval.nlg.generators.config import Shape, TrainConfig
from dialeval.nlg.generators.lessons import split_lessons
from dialeval.options import Argument, Option, Options
from dialeval.resources.huggingface import require_torch

if TYPE_CHECKING:
    from dialeval.nlg.generators.lessons import Split
    from dialeval.nlg.generators.trainer import Outcome


def nlg(
    data: Annotated[
        str,
        Argument(
            metavar="DATA",
            help="Acts with sentences: rnnlg:FOLDER, dstc2:FOLDER, e2e:FOLDER, frames:FOLDER, or a file of lines.",
        ),
    ],
    out: Annotated[Path, Option("--out", "-o", help="The model's folder.")],
    shape: Annotated[Shape, Options("model", "hidden")] = Shape(),
    config: Annotated[TrainConfig, Options("vectors")] = TrainConfig(),
    lowercase: Annotated[bool, Option("--lowercase", help="Read acts and sentences in lower case.")] = False,
    training: Annotated[
        Training,
        Options(
            *("epochs", "learning_rate", "minutes", "device", "precision"),
            *("seed", "limit", "resume", "json"),
            learning_rate=Option(show_default="0.01"),
        ),
    ] = Training(),
) -> None:
    """Train a generator of sentences from dialogue acts.

    A folder's train and valid splits are learnt from and measured on; its test split is not read. Killed or
    interrupted? The same command resumes from the last checkpoint.

    Example: dialeval train nlg rnnlg:data/restaurant -o my-nlg --model hld-sclstm
    """
    require_torch("Generators of sentences from acts", "safetensors")

    check_target(out)
    config = replace(config, shape=shape, schedule=training.precise(config.schedule))
    lessons = _read(data, lowercase, training)
    _print(_train(lessons, config, out, lowercase, training), training.json)


def _read(data: str, lowercase: bool, training: Training) -> Split:
    _, path = split_source(data)
    whole = str(path) != "-" and file_of(path).is_dir()
    splits = read_splits(data) if whole else {"train": list(read_acts(data))}
    lessons = split_lessons(
        {split: items[: training.limit] for split, items in splits.items()},
        lowercase=lowercase,
        seed=training.seed,
    )
    print(
        f"{len(lessons.train):,} sentences to learn from, {len(lessons.held_out):,} held out; "
        f"{lessons.incomplete:,} do not hold every value as their act writes it",
        file=sys.stderr,
    )
    return lessons


def _train(lessons: Split, config: TrainConfig, out: Path, lowercase: bool, training: Training) -> Outcome:
    from dialeval.nlg.generators.trainer import train

    examples = len(lessons.train) * config.schedule.epochs
    with training.session(out.name, examples) as started:
        outcome = train(lessons, config, out, lowercase=lowercase, session=started)
    warn_of_shortfall(outcome.shortfall)
    return outcome


def _print(done: Outcome, json: bool) -> None:
    from dialeval.nlg.generators.folder import evaluation_row

    if json:
        facts = {
            "folder": str(done.folder),
            "sentences": done.sentences,
            "held_out": done.held_out,
            "incomplete": done.incomplete,
            "weights": done.weights,
            "ending": done.ending,
            "perplexity": done.perplexity,
            "evaluations": [
                {**evaluation_row(each), "seconds": round(each.seconds, 1)} for each in done.history
            ],
        }
        print(jsonlib.dumps(facts))
        return
    for evaluation in done.history:
        held = f", held out {evaluation.held_out['nats']:.4f}" if evaluation.held_out else ""
        print(f"epoch {evaluation.epoch:.2f}: {evaluation.train['nats']:.4f} nats per word{held}")
    endings = {"epochs": "all epochs done", "patience": "no more improvement", "minutes": "time is up"}
    if done.ending is not None:
        held = "" if done.perplexity is None else f"; held-out perplexity {done.perplexity:.2f}"
        print(f"{endings[done.ending]}{held}")
    print(f"Model: {done.folder}\nUse it: dialeval nlg generate {done.folder} ACTS -o OUT.jsonl")
