"""``dialeval train yesno``: a classifier of answers to polar questions."""

from __future__ import annotations

import json as jsonlib
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dialeval.cli.options import Json, Limit, Seed, SkipBad
from dialeval.cli.train.settings import (
    Encoder,
    Epochs,
    Minutes,
    Precision,
    Resume,
    check_target,
    chosen_schedule,
    session,
    warn_of_shortfall,
)

if TYPE_CHECKING:
    from dialeval.nbest.answers.evaluation import Measured
    from dialeval.nbest.answers.training import Trained


def yesno(
    corpus: Annotated[
        list[str],
        typer.Argument(metavar="CORPUS...", help="Circa's files, or lines with question, answer and label."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The classifier's folder.")],
    split: Annotated[
        Literal["scenario", "random"],
        typer.Option(
            "--split", help="What is held out: whole scenarios, or a fifth of the exchanges at random."
        ),
    ] = "scenario",
    encoder: Encoder = "minilm",
    rank: Annotated[int, typer.Option("--rank", min=1, help="Rank of the low-rank changes (LoRA).")] = 16,
    learning_rate: Annotated[float, typer.Option("--learning-rate", help="Learning rate of Adam.")] = 1e-3,
    most: Annotated[
        int | None, typer.Option("--most", min=1, help="Learn from N exchanges, drawn at random.")
    ] = None,
    start_from: Annotated[
        Path | None,
        typer.Option("--start-from", metavar="ADAPTER", help="Start from the weights of this adapter."),
    ] = None,
    precision: Precision = "float32",
    minutes: Minutes = None,
    epochs: Epochs = None,
    seed: Seed = 0,
    limit: Limit = None,
    skip_bad: SkipBad = False,
    resume: Resume = True,
    json: Json = False,
) -> None:
    """Train a classifier of answers: yes, no or ambiguous. Using it needs no torch.

    Killed or interrupted? The same command resumes from the last checkpoint.

    Example: dialeval train yesno circa/*.tsv -o yesno --split scenario
    """
    from dialeval.data import SideFile, refuse
    from dialeval.nbest.answers.corpus import read_exchanges, split_exchanges
    from dialeval.resources.huggingface import require_torch

    require_torch("Classifiers", "safetensors")
    from dialeval.nbest.answers.training import YesNoConfig, train_yesno

    check_target(out)
    side = SideFile(out / "corpus.bad.jsonl") if skip_bad else None
    read = read_exchanges(corpus, side or refuse)
    parts = split_exchanges(read.exchanges[:limit], split, seed)
    default = YesNoConfig()
    config = replace(
        default,
        finetuning=replace(
            default.finetuning, encoder=encoder, rank=rank, alpha=2.0 * rank, precision=precision
        ),
        schedule=chosen_schedule(default.schedule, epochs, learning_rate, seed),
        most=most,
    )
    print(
        f"{len(parts.train):,} exchanges to learn from, {len(parts.valid):,} to stop by, {len(parts.test):,} to test "
        f"on; {sum(read.excluded.values()):,} left out",
        file=sys.stderr,
    )
    learnt = (most or len(parts.train)) * config.schedule.epochs
    with session("training", learnt, resume=resume, minutes=minutes) as started:
        done = train_yesno(parts, config, out, start=start_from, session=started)
    warn_of_shortfall(done.fitted.shortfall)
    _print(done, split, out, json=json)


def _print(done: Trained, split: str, out: Path, *, json: bool) -> None:
    if json:
        facts = {"folder": str(out), "threshold": done.threshold, "valid": asdict(done.valid)}
        print(
            jsonlib.dumps(
                {**facts, "split": split, "test": asdict(done.test), "first_word": asdict(done.rule)}
            )
        )
        return
    print(f"{split} split: {_line(done.test)}\nby the first word: {_line(done.rule)}")
    print(f"Classifier: {done.adapter}\nUse it: dialeval nbest answers FILE --model {out}")


def _line(measured: Measured) -> str:
    recall = ", ".join(f"{label} {share:.2f}" for label, share in measured.recall.items())
    return (
        f"accuracy {measured.accuracy:.3f} [{measured.low:.3f}, {measured.high:.3f}] on {measured.n:,}, macro F1 "
        f"{measured.macro_f1:.3f}, recall {recall}"
    )
