"""Input and output of the verbs of ``dialeval train``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias, TypeVar

import typer

from dialeval.cli.workshop import keeps

if TYPE_CHECKING:
    from dialeval.data import Kind, Record
    from dialeval.training.checkpoint import Place
    from dialeval.training.loop import Session, Shortfall

Scale: TypeAlias = Literal["tiny", "small", "paper"]
"""The library's names again, because the parser needs them before the library is loaded; tests keep them equal."""
Format: TypeAlias = Annotated[
    str | None, typer.Option("--from", help="The corpus's format (see 'dialeval data ls').")
]
Resume: TypeAlias = Annotated[
    bool,
    typer.Option("--resume/--no-resume", help="Resume from the folder's checkpoint, or start from scratch."),
]
Epochs: TypeAlias = Annotated[int | None, typer.Option("--epochs", min=1, help="Passes over the corpus.")]

R = TypeVar("R", bound="Record")

_OURS: Final = ("checkpoint.safetensors", "model.safetensors", "tokenizer.json", "checkpoint")
"""What a folder that we trained into holds from early on."""


def read_corpus(
    corpus: str, format: str | None, kinds: tuple[type[R], ...], needed: str, *, kind: Kind | None = None
) -> Iterator[R]:
    """The corpus's records, all of these kinds; ``needed`` says in the message what those are.

    A format that can be read as several kinds is read as ``kind``.
    """
    from dialeval.data import read_guessing
    from dialeval.errors import Unsuitable

    for record in read_guessing(corpus, kind=kind, format=format).records:
        if not isinstance(record, kinds):
            raise Unsuitable(
                f"{corpus} holds {type(record).__name__.lower()} records; expected {needed}. Convert it with "
                "'dialeval data convert'."
            )
        yield record


@contextmanager
def session(name: str, examples: int, *, resume: bool, minutes: float | None = None) -> Iterator[Session]:
    """A training session with a bar of so many examples, which resumes where it was interrupted."""
    from dialeval.engine.progress import RichProgress
    from dialeval.training.interrupt import Interrupted
    from dialeval.training.loop import Session

    keeps("The same command resumes from the last checkpoint, if there is one.")
    try:
        with RichProgress(name, examples) as progress:
            yield Session(minutes, resume, progress, _say_start)
    except Interrupted as stop:
        keeps(f"Update {stop.updates} is saved: the same command resumes from there.")
        raise


def _say_start(place: Place) -> None:
    if place.updates:
        print(f"Resuming from update {place.updates} (epoch {place.done:.2f})", file=sys.stderr)
    else:
        print("Training from the beginning", file=sys.stderr)


def warn_of_shortfall(shortfall: Shortfall | None) -> None:
    """Say plainly where a model has learnt nothing."""
    reasons = {
        "baseline": "it predicts no better than the frequencies of words do, whatever the context",
        "first": "it has not improved since its first evaluation",
    }
    if shortfall is not None:
        todo = "Train longer, on more data, or with another learning rate"
        print(f"Warning: the model has learnt nothing: {reasons[shortfall]}. {todo}.", file=sys.stderr)


def check_target(folder: Path) -> None:
    """Refuse a folder that holds anything but a model."""
    from dialeval.files import folders as targets

    targets.check_target(folder, *_OURS, kind="model")
