"""``dialeval train``: learn from data of your own."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from dialeval.cli.options import Json, Limit, Seed

if TYPE_CHECKING:
    from dialeval.data import Dialogue, Prompt

app = typer.Typer(
    no_args_is_help=True,
    help="Learn from dialogues of your own.\n\nExample: dialeval train skip-thought dialogues.jsonl -o my-encoder",
)

Scale: TypeAlias = Literal["tiny", "small", "paper"]
"""`dialeval.metrics.skip_thought.config.Scale` again, because the parser needs it before the library is loaded."""


@app.callback()
def _train() -> None:
    # Without a callback typer would make the only verb the command itself.
    pass


@app.command("skip-thought")
def skip_thought(
    corpus: Annotated[
        str,
        typer.Argument(metavar="CORPUS", help="Dialogues, or prompts with references, or - for stdin."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model's folder.")],
    scale: Annotated[Scale, typer.Option("--scale", help="Sizes of vocabulary and vectors.")] = "small",
    epochs: Annotated[int | None, typer.Option("--epochs", min=1, help="Passes over the corpus.")] = None,
    format: Annotated[
        str | None, typer.Option("--from", help="The corpus's format (see 'dialeval data ls').")
    ] = None,
    seed: Seed = 0,
    limit: Limit = None,
    resume: Annotated[
        bool, typer.Option("--resume/--no-resume", help="Go on from the folder's checkpoint, or begin anew.")
    ] = True,
    json: Json = False,
) -> None:
    """Train a Skip-Thought sentence encoder; no labels needed.

    Killed or interrupted? The same command goes on from the last checkpoint.

    Example: dialeval train skip-thought dialogues.jsonl -o my-encoder --scale small
    """
    from dialeval.engine.progress import RichProgress
    from dialeval.metrics.encoder_files import require_torch
    from dialeval.metrics.skip_thought.config import SCALES
    from dialeval.metrics.skip_thought.neighbours import triples

    require_torch("Skip-Thought models", "safetensors")
    from dialeval.metrics.skip_thought.training import train

    _check_target(out)
    config = replace(SCALES[scale], seed=seed, epochs=epochs or SCALES[scale].epochs)
    data = triples(islice(_records(corpus, format), limit))
    print(f"{len(data)} turns with neighbours", file=sys.stderr)
    with RichProgress("training", len(data) * config.epochs) as progress:
        done = train(data, config, out, resume=resume, progress=progress)
    if json:
        found = {"folder": str(out), "turns": done.triples, "words": done.vocabulary, "losses": done.losses}
        print(jsonlib.dumps(found))
        return
    for epoch, loss in enumerate(done.losses, start=1):
        print(f"epoch {epoch}: {loss:.4f} nats per word")
    print(f"Model: {out}\nScore with it: dialeval score FILE -m \"skip_thought(model='{out}')\"")


def _records(corpus: str, format: str | None) -> Iterator[Dialogue | Prompt]:
    from dialeval.data import Dialogue, Prompt, read_guessing
    from dialeval.errors import Unsuitable

    for record in read_guessing(corpus, format=format).records:
        if not isinstance(record, Dialogue | Prompt):
            raise Unsuitable(
                f"{corpus} holds {type(record).__name__.lower()} records; needed are dialogues, or prompts with "
                "references. Convert it with 'dialeval data convert'."
            )
        yield record


def _check_target(folder: Path) -> None:
    """A folder with other things in it is never written into."""
    from dialeval.errors import BadInput

    known = {"checkpoint.safetensors", "model.safetensors"}
    if folder.is_dir() and any(folder.iterdir()) and not any((folder / name).is_file() for name in known):
        raise BadInput(
            str(folder), "a folder with other files", "a new, empty or model folder", "Give another -o."
        )
    if folder.exists() and not folder.is_dir():
        raise BadInput(str(folder), "a file", "a new, empty or model folder", "Give another -o.")
