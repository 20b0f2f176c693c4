"""``dialeval train acts``: a labeller of dialogue acts."""

from __future__ import annotations

import json as jsonlib
import sys
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from dialeval.cli.options import Json, Limit, Seed
from dialeval.cli.train.settings import (
    Encoder,
    Epochs,
    Minutes,
    Precision,
    Resume,
    check_target,
    chosen_schedule,
    session,
)


def acts(
    corpus: Annotated[str, typer.Argument(metavar="CORPUS", help="Lines conversation|speaker|text|act.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The labeller's folder.")],
    test: Annotated[str | None, typer.Option("--test", help="Lines to measure its accuracy on.")] = None,
    encoder: Encoder = "minilm",
    most: Annotated[
        int | None, typer.Option("--most", min=1, help="Learn from N utterances, drawn at random.")
    ] = None,
    learning_rate: Annotated[float, typer.Option("--learning-rate", help="Learning rate of Adam.")] = 1e-3,
    precision: Precision = "float32",
    minutes: Minutes = None,
    epochs: Epochs = None,
    seed: Seed = 0,
    limit: Limit = None,
    resume: Resume = True,
    json: Json = False,
) -> None:
    """Train a labeller of dialogue acts, which reads an utterance and, where known, the one before.

    Using it needs no torch. Killed or interrupted? The same command resumes from the last checkpoint.

    Example: dialeval train acts swda/train.txt.gz --test swda/test.txt -o acts --most 60000
    """
    from dataclasses import replace

    from dialeval.consistency.learning.acts import read_utterances
    from dialeval.resources.huggingface import require_torch

    require_torch("Labellers", "safetensors")
    from dialeval.consistency.learning.acts_training import ActsConfig, train_acts

    check_target(out)
    given = list(islice(read_utterances(corpus), limit))
    usual = ActsConfig()
    schedule = chosen_schedule(usual.schedule, epochs, learning_rate, seed)
    finetuning = replace(usual.finetuning, encoder=encoder, precision=precision)
    config = replace(usual, schedule=schedule, finetuning=finetuning, most=most)
    tested = list(read_utterances(test)) if test is not None else []
    print(f"{len(given):,} utterances to learn from, {len(tested):,} to test on", file=sys.stderr)
    expected = min(most or len(given), len(given)) * schedule.epochs
    with session("training", expected, resume=resume, minutes=minutes) as started:
        done = train_acts(given, tested, config, out, session=started)
    measured = {name: {**each._asdict(), "accuracy": each.share} for name, each in done.measured.items()}
    if json:
        facts = {"folder": str(out), "acts": len(done.names), "utterances": done.learnt}
        print(jsonlib.dumps({**facts, "measured": measured}))
        return
    print(f"{done.learnt:,} utterances, {len(done.names)} dialogue acts: {out}")
    for name, each in done.measured.items():
        print(f"{name}: accuracy {each.share:.3f} [{each.low:.3f}, {each.high:.3f}] of {each.n:,}")
