"""``dialeval train``: learn from data of your own."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from dialeval.cli.options import Json, Limit, Seed
from dialeval.cli.train.acts import acts
from dialeval.cli.train.contradiction import contradiction
from dialeval.cli.train.generator import generator
from dialeval.cli.train.nlg import nlg
from dialeval.cli.train.quality import quality
from dialeval.cli.train.rivals import rival
from dialeval.cli.train.scorers import selfeval
from dialeval.cli.train.settings import (
    Epochs,
    Format,
    Resume,
    Scale,
    check_target,
    read_corpus,
    session,
    warn_of_shortfall,
)
from dialeval.cli.train.yesno import yesno

app = typer.Typer(
    no_args_is_help=True,
    help="Train generators, scorers, detectors and classifiers on your own data.\n\n"
    "Example: dialeval train generator dialogues.jsonl -o my-bot",
)

app.command("generator")(generator)
app.command("contradiction")(contradiction)
app.command("acts")(acts)
app.command("nlg")(nlg)
app.command("quality")(quality)
app.command("rival")(rival)
app.command("selfeval")(selfeval)
app.command("yesno")(yesno)


@app.command("skip-thought")
def skip_thought(
    corpus: Annotated[
        str,
        typer.Argument(metavar="CORPUS", help="Dialogues, or prompts with references, or - for stdin."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model's folder.")],
    scale: Annotated[Scale, typer.Option("--scale", help="Sizes of vocabulary and vectors.")] = "small",
    epochs: Epochs = None,
    format: Format = None,
    seed: Seed = 0,
    limit: Limit = None,
    resume: Resume = True,
    json: Json = False,
) -> None:
    """Train a Skip-Thought sentence encoder; no labels needed.

    Killed or interrupted? The same command resumes from the last checkpoint.

    Example: dialeval train skip-thought dialogues.jsonl -o my-encoder --scale small
    """
    from dialeval.data import Dialogue, Prompt
    from dialeval.metrics.skip_thought.config import SCALES
    from dialeval.metrics.skip_thought.data import triples
    from dialeval.resources.huggingface import require_torch

    require_torch("Skip-Thought models", "safetensors")
    from dialeval.metrics.skip_thought.training import train

    check_target(out)
    config = replace(SCALES[scale], seed=seed, epochs=epochs or SCALES[scale].epochs)
    records: Iterator[Dialogue | Prompt] = read_corpus(
        corpus, format, (Dialogue, Prompt), "dialogues, or prompts with references"
    )
    data = triples(islice(records, limit))
    print(f"{len(data)} turns with neighbours", file=sys.stderr)
    with session("training", len(data) * config.epochs, resume=resume) as started:
        done = train(data, config, out, session=started)
    warn_of_shortfall(done.shortfall)
    if json:
        facts = {"folder": str(out), "turns": done.triples, "words": done.vocabulary, "losses": done.losses}
        print(jsonlib.dumps(facts))
        return
    for epoch, loss in enumerate(done.losses, start=1):
        print(f"epoch {epoch}: {loss:.4f} nats per word")
    print(f"Model: {out}\nScore with it: dialeval score FILE -m \"skip_thought(model='{out}')\"")
