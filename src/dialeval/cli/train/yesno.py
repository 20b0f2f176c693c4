"""``dialeval train yesno``: a classifier of answers to polar questions."""

from __future__ import annotations

import json as jsonlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dialeval.cli.options import Json, Limit, Seed, SkipBad
from dialeval.cli.train.settings import Epochs, Resume, check_target, session, warn_of_shortfall

if TYPE_CHECKING:
    from dialeval.nbest.answers.evaluation import Measured


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
    encoder: Annotated[str, typer.Option("--encoder", help="A name or folder.")] = "minilm",
    rank: Annotated[int, typer.Option("--rank", min=1, help="Of the low-rank changes.")] = 16,
    learning_rate: Annotated[float, typer.Option("--learning-rate", help="Of Adam.")] = 1e-3,
    most: Annotated[
        int | None, typer.Option("--most", min=1, help="Learn from so many exchanges, drawn at random.")
    ] = None,
    start_from: Annotated[
        Path | None, typer.Option("--start-from", metavar="ADAPTER", help="Begin with its weights.")
    ] = None,
    precision: Annotated[
        Literal["float32", "bfloat16"], typer.Option("--precision", help="Of products while training.")
    ] = "float32",
    minutes: Annotated[
        float | None, typer.Option("--minutes", min=0, help="Stop after this long, all sessions counted.")
    ] = None,
    epochs: Epochs = None,
    seed: Seed = 0,
    limit: Limit = None,
    skip_bad: SkipBad = False,
    resume: Resume = True,
    json: Json = False,
) -> None:
    """Train a classifier of answers: yes, no or ambiguous. Its adapter runs without torch.

    Killed or interrupted? The same command resumes from the last checkpoint.

    Example: dialeval train yesno circa/*.tsv -o yesno --split scenario
    """
    from dataclasses import asdict, replace

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
        schedule=replace(
            default.schedule,
            epochs=epochs or default.schedule.epochs,
            learning_rate=learning_rate,
            seed=seed,
        ),
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
