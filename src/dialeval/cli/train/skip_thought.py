"""``dialeval train skip-thought``: an encoder of sentences."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Annotated

from dialeval.cli.train.settings import Training, check_target, read_corpus, warn_of_shortfall
from dialeval.data import Dialogue, Prompt
from dialeval.metrics.skip_thought.folder import SCALES, Scale, triples
from dialeval.options import Argument, Option, Options
from dialeval.resources.huggingface import require_torch


def skip_thought(
    corpus: Annotated[
        str,
        Argument(metavar="CORPUS", help="Dialogues, or prompts with references, or - for stdin."),
    ],
    out: Annotated[Path, Option("--out", "-o", help="The model's folder.")],
    scale: Annotated[Scale, Option("--scale", help="Sizes of vocabulary and vectors.")] = "small",
    training: Annotated[
        Training, Options("epochs", "device", "precision", "format", "seed", "limit", "resume", "json")
    ] = Training(),
) -> None:
    """Train a Skip-Thought sentence encoder; no labels needed.

    Killed or interrupted? The same command resumes from the last checkpoint.

    Example: dialeval train skip-thought dialogues.jsonl -o my-encoder --scale small
    """
    require_torch("Skip-Thought models", "safetensors")
    from dialeval.metrics.skip_thought.model import train

    check_target(out)
    usual = SCALES[scale]
    epochs = training.epochs or usual.epochs
    config = replace(usual, seed=training.seed, epochs=epochs, precision=training.precision)
    records: Iterator[Dialogue | Prompt] = read_corpus(
        corpus, training.format, (Dialogue, Prompt), "dialogues, or prompts with references"
    )
    data = triples(islice(records, training.limit))
    print(f"{len(data)} turns with neighbours", file=sys.stderr)
    with training.session("training", len(data) * config.epochs) as started:
        done = train(data, config, out, session=started)
    warn_of_shortfall(done.shortfall)
    if training.json:
        facts = {"folder": str(out), "turns": done.triples, "words": done.vocabulary, "losses": done.losses}
        print(jsonlib.dumps(facts))
        return
    for epoch, loss in enumerate(done.losses, start=1):
        print(f"epoch {epoch}: {loss:.4f} nats per word")
    print(f"Model: {out}\nScore with it: dialeval score FILE -m \"skip_thought(model='{out}')\"")
