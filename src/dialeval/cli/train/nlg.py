"""``dialeval train nlg``: generators that put dialogue acts into words."""

from __future__ import annotations

import json as jsonlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from dialeval.cli.options import Json, Limit, Seed
from dialeval.cli.train.settings import (
    Epochs,
    Minutes,
    Resume,
    check_target,
    chosen_schedule,
    session,
    warn_of_shortfall,
)

if TYPE_CHECKING:
    from dialeval.nlg.generating.config import TrainConfig
    from dialeval.nlg.generating.lessons import Split
    from dialeval.nlg.generating.training import Outcome

Model: TypeAlias = Literal["random", "lstm", "d-sclstm", "hld-sclstm"]
"""The library's names again, because the parser needs them before the library is loaded; a test keeps them equal."""


def nlg(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Acts with sentences: rnnlg:FOLDER, dstc2:FOLDER, e2e:FOLDER, or a file of lines.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model's folder.")],
    model: Annotated[Model, typer.Option("--model", help="The kind of generator.")] = "hld-sclstm",
    hidden: Annotated[int, typer.Option(min=1, help="Size of a cell's state.")] = 80,
    vectors: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Word vectors to start from: minilm, or a text or .npy file.",
            show_default="random",
        ),
    ] = None,
    lowercase: Annotated[
        bool, typer.Option("--lowercase", help="Read acts and sentences in lower case.")
    ] = False,
    epochs: Epochs = None,
    learning_rate: Annotated[
        float | None, typer.Option(help="Learning rate of Adam.", show_default="0.01")
    ] = None,
    minutes: Minutes = None,
    seed: Seed = 0,
    limit: Limit = None,
    resume: Resume = True,
    json: Json = False,
) -> None:
    """Train a generator of sentences from dialogue acts.

    A folder's train and valid splits are learnt from and measured on; its test split is not read. Killed or
    interrupted? The same command resumes from the last checkpoint.

    Example: dialeval train nlg rnnlg:data/restaurant -o my-nlg --model hld-sclstm
    """
    from dataclasses import replace

    from dialeval.resources.huggingface import require_torch

    require_torch("Generators of sentences from acts", "safetensors")
    from dialeval.nlg.generating.config import Shape, TrainConfig

    check_target(out)
    config = TrainConfig(shape=Shape(model, hidden=hidden), vectors=vectors)
    schedule = chosen_schedule(config.schedule, epochs, learning_rate, seed)
    lessons = _read(data, lowercase, seed, limit)
    outcome = _train(lessons, replace(config, schedule=schedule), out, lowercase, minutes, resume)
    _print(outcome, json)


def _read(data: str, lowercase: bool, seed: int, limit: int | None) -> Split:
    from dialeval.data.codec.sources import file_of
    from dialeval.nlg.acts.reading import read_acts, read_splits, split_source
    from dialeval.nlg.generating.lessons import split_lessons

    _, path = split_source(data)
    whole = str(path) != "-" and file_of(path).is_dir()
    splits = read_splits(data) if whole else {"train": list(read_acts(data))}
    lessons = split_lessons(
        {split: items[:limit] for split, items in splits.items()}, lowercase=lowercase, seed=seed
    )
    print(
        f"{len(lessons.train):,} sentences to learn from, {len(lessons.held_out):,} held out; "
        f"{lessons.incomplete:,} do not hold every value as their act writes it",
        file=sys.stderr,
    )
    return lessons


def _train(
    lessons: Split, config: TrainConfig, out: Path, lowercase: bool, minutes: float | None, resume: bool
) -> Outcome:
    from dialeval.nlg.generating.training import train

    examples = len(lessons.train) * config.schedule.epochs
    with session(out.name, examples, resume=resume, minutes=minutes) as started:
        outcome = train(lessons, config, out, lowercase=lowercase, session=started)
    warn_of_shortfall(outcome.shortfall)
    return outcome


def _print(done: Outcome, json: bool) -> None:
    from dialeval.nlg.generating.folder import evaluation_row

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
