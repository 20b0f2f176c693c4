"""Options, corpora and sessions of the verbs of dialeval train."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias, TypeVar

from dialeval.cli.interruption import keeps
from dialeval.cli.options import Json, Limit, Seed
from dialeval.data import Dialogue, Prompt, read_guessing
from dialeval.data.reader import place_of
from dialeval.engine.progress import RichProgress
from dialeval.errors import Unsuitable
from dialeval.files import folders as targets
from dialeval.options import Option
from dialeval.resources.device import Precision

if TYPE_CHECKING:
    from dialeval.data import Kind, Record
    from dialeval.training.checkpoint import Place
    from dialeval.training.loop import Session, Shortfall
    from dialeval.training.schedule import Schedule


Format: TypeAlias = Annotated[
    str | None, Option("--from", help="The corpus's format (see 'dialeval data ls').")
]
Encoder: TypeAlias = Annotated[
    str,
    Option(
        "--encoder",
        "--base",
        metavar="NAME|FOLDER",
        help="minilm, deberta, mpnet, or the folder of a Hugging Face encoder; its name with --hub.",
    ),
]
Rank: TypeAlias = Annotated[
    int,
    Option(
        "--rank", min=0, help="Rank of the low-rank changes (LoRA); 0 to train all weights but word vectors."
    ),
]
Tokens: TypeAlias = Annotated[
    int | None,
    Option("--tokens", min=8, metavar="N", help="Tokens that are read of a text.", show_default="by kind"),
]
Hub: TypeAlias = Annotated[bool, Option("--hub", help="Allow to download the encoder from the hub.")]

R = TypeVar("R", bound="Record")

_OURS: Final = (
    "checkpoint.safetensors",
    "model.safetensors",
    "adapter.safetensors",
    "tokenizer.json",
    "checkpoint",
    "grid",
)
"""Files of a folder that we trained into."""


def read_corpus(
    corpus: str, format: str | None, kinds: tuple[type[R], ...], expected: str, *, kind: Kind | None = None
) -> Iterator[R]:
    """Yield the corpus's records, all of these kinds; ``expected`` says in the message what those are.

    A format that can be read as several kinds is read as ``kind``.
    """
    for record in read_guessing(corpus, kind=kind, format=format).records:
        if not isinstance(record, kinds):
            raise Unsuitable(
                f"{corpus} holds {type(record).__name__.lower()} records; expected {expected}. Convert it with "
                "'dialeval data convert'."
            )
        yield record


def read_whole(corpus: str, format: str | None) -> Iterator[Dialogue | Prompt]:
    """Yield the corpus's dialogues or, if its format has none, its prompts with references."""
    kinds = place_of(corpus, format)[1].kinds
    kind: Kind = "dialogue" if "dialogue" in kinds else "prompt"
    return read_corpus(corpus, format, (Dialogue, Prompt), "dialogues, or prompts with references", kind=kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """Length, pace and place of a training; what is not given is as the model's own schedule says."""

    weight_decay: Annotated[float, Option(min=0, metavar="X")] = 0.0
    """Weight decay of AdamW; 0 for plain Adam."""
    warm_up: Annotated[int | None, Option(min=0, metavar="N", show_default="by kind")] = None
    """Updates over which the learning rate rises."""
    shape: Annotated[Literal["linear", "constant"] | None, Option("--schedule", show_default="by kind")] = (
        None
    )
    """Whether the learning rate falls to 0 by the end, or stays."""
    format: Format = None
    epochs: Annotated[int | None, Option(min=1, metavar="N")] = None
    """Passes over the corpus."""
    minutes: Annotated[float | None, Option(min=0, metavar="N")] = None
    """Stop after N minutes, all sessions counted."""
    learning_rate: Annotated[float | None, Option()] = None
    """Learning rate of Adam."""
    device: Annotated[str, Option(metavar="NAME")] = "auto"
    """Where to train: auto, cpu, cuda, cuda:1 or mps."""
    precision: Annotated[Precision, Option()] = "float32"
    """Numeric precision of products while training."""
    seed: Seed = 0
    limit: Limit = None
    resume: Annotated[bool, Option("--resume/--no-resume")] = True
    """Resume from the folder's checkpoint, or start from scratch."""
    json: Json = False

    def schedule(self, base: Schedule) -> Schedule:
        """Return that schedule, with what is given in place of its own length and rate."""
        epochs, rate = self.epochs or base.epochs, self.learning_rate or base.learning_rate
        return replace(base, epochs=epochs, learning_rate=rate, seed=self.seed)

    def precise(self, base: Schedule) -> Schedule:
        """Return that schedule, with the precision, too: of all products, not only of an encoder's."""
        return replace(self.schedule(base), precision=self.precision)

    def shaped(self, base: Schedule) -> Schedule:
        """Return that schedule, with weight decay, warm-up and shape as given, too."""
        return replace(
            self.schedule(base),
            weight_decay=self.weight_decay,
            warm_up=base.warm_up if self.warm_up is None else self.warm_up,
            constant=self.shape == "constant",
        )

    @contextmanager
    def session(self, name: str, examples: int) -> Iterator[Session]:
        """Open a session with a bar of this many examples, which resumes where it was interrupted."""
        from dialeval.training.loop import Interrupted, Session

        keeps("The same command resumes from the last checkpoint, if there is one.")
        try:
            with RichProgress(name, examples) as progress:
                yield Session(self.minutes, self.resume, progress, _say_start, self.device)
        except Interrupted as stop:
            keeps(f"Update {stop.updates} is saved: the same command resumes from there.")
            raise


def _say_start(place: Place) -> None:
    if place.updates:
        print(f"Resuming from update {place.updates} (epoch {place.done:.2f})", file=sys.stderr)
    else:
        print("Training from the beginning", file=sys.stderr)


def warn_of_shortfall(shortfall: Shortfall | None) -> None:
    """Warn if a model has learnt nothing."""
    reasons = {
        "baseline": "it predicts no better than the frequencies of words do, whatever the context",
        "first": "it has not improved since its first evaluation",
    }
    if shortfall is not None:
        todo = "Train longer, on more data, or with another learning rate"
        print(f"Warning: the model has learnt nothing: {reasons[shortfall]}. {todo}.", file=sys.stderr)


def check_target(folder: Path) -> None:
    """Refuse a folder that holds anything but a model."""
    targets.check_target(folder, *_OURS, kind="model")
