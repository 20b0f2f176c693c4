"""Data, settings and output of the verbs of dialeval train, from files and options."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple, TypeAlias, TypeVar

import typer

from dialeval.cli.workshop import keeps

if TYPE_CHECKING:
    from dialeval.data import Kind, Record
    from dialeval.systems.trained.config import TrainConfig
    from dialeval.systems.trained.lessons import Lesson, Split
    from dialeval.systems.trained.training import Outcome
    from dialeval.training.checkpoint import Place
    from dialeval.training.loop import Session, Shortfall
    from dialeval.training.schedule import Schedule


Scale: TypeAlias = Literal["tiny", "small", "paper"]
"""The library's names again, because the parser needs them before the library is loaded; tests keep them equal."""
Format: TypeAlias = Annotated[
    str | None, typer.Option("--from", help="The corpus's format (see 'dialeval data ls').")
]
Resume: TypeAlias = Annotated[
    bool,
    typer.Option("--resume/--no-resume", help="Resume from the folder's checkpoint, or start from scratch."),
]
Epochs: TypeAlias = Annotated[
    int | None, typer.Option("--epochs", min=1, metavar="N", help="Passes over the corpus.")
]
Minutes: TypeAlias = Annotated[
    float | None,
    typer.Option("--minutes", min=0, metavar="N", help="Stop after N minutes, all sessions counted."),
]
Encoder: TypeAlias = Annotated[
    str,
    typer.Option("--encoder", metavar="NAME|FOLDER", help="minilm, or the folder of a Hugging Face encoder."),
]
Precision: TypeAlias = Annotated[
    Literal["float32", "bfloat16"],
    typer.Option("--precision", help="Numeric precision of the encoder while training."),
]

R = TypeVar("R", bound="Record")

_OURS: Final = (
    "checkpoint.safetensors",
    "model.safetensors",
    "adapter.safetensors",
    "tokenizer.json",
    "checkpoint",
)
"""What a folder that we trained into holds from early on."""


def read_corpus(
    corpus: str, format: str | None, kinds: tuple[type[R], ...], expected: str, *, kind: Kind | None = None
) -> Iterator[R]:
    """The corpus's records, all of these kinds; ``expected`` says in the message what those are.

    A format that can be read as several kinds is read as ``kind``.
    """
    from dialeval.data import read_guessing
    from dialeval.errors import Unsuitable

    for record in read_guessing(corpus, kind=kind, format=format).records:
        if not isinstance(record, kinds):
            raise Unsuitable(
                f"{corpus} holds {type(record).__name__.lower()} records; expected {expected}. Convert it with "
                "'dialeval data convert'."
            )
        yield record


class Pace(NamedTuple):
    """How long and how fast to train, as the options say."""

    epochs: int | None
    minutes: float | None
    learning_rate: float | None
    seed: int
    resume: bool

    def schedule(self, base: Schedule) -> Schedule:
        """That schedule, with what the options say in place of its own."""
        return chosen_schedule(base, self.epochs, self.learning_rate, self.seed)


def chosen_schedule(base: Schedule, epochs: int | None, learning_rate: float | None, seed: int) -> Schedule:
    """That schedule, with what the options say in place of its own."""
    return replace(
        base, epochs=epochs or base.epochs, learning_rate=learning_rate or base.learning_rate, seed=seed
    )


@contextmanager
def session(name: str, examples: int, *, resume: bool, minutes: float | None = None) -> Iterator[Session]:
    """A training session with a bar of this many examples, which resumes where it was interrupted."""
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


@dataclass(frozen=True, slots=True)
class Reading:
    """How files become lessons."""

    format: str | None
    limit: int | None
    held_out: str
    seed: int

    def data(self, corpus: str | None, questions: str | None) -> Split:
        """The lessons of both files, and those held out."""
        from dialeval.systems.trained.lessons import Split, split

        try:
            share = float(self.held_out)
        except ValueError:
            # The file holds what the first one holds: a corpus, or else questions.
            others = self._lessons(self.held_out, None) if corpus else self._lessons(None, self.held_out)
            data = Split(self._lessons(corpus, questions), others)
        else:
            if not 0 <= share < 1:
                raise typer.BadParameter(
                    f"--held-out is {share:g}; expected a share from 0 up to 1, or a file"
                )
            data = split(self._lessons(corpus, questions), share, self.seed)
        print(f"{len(data.train)} responses in context, {len(data.held_out)} held out", file=sys.stderr)
        return data

    def _lessons(self, corpus: str | None, questions: str | None) -> list[Lesson]:
        from dialeval.data import Dialogue, Example, Prompt, Question
        from dialeval.systems.trained.lessons import contrasts, lessons

        data: list[Lesson] = []
        if corpus is not None:
            expected = "dialogues, prompts with references or examples"
            records: Iterator[Dialogue | Prompt | Example] = read_corpus(
                corpus, self.format, (Dialogue, Prompt, Example), expected
            )
            data += lessons(islice(records, self.limit))
        if questions is not None:
            asked = read_corpus(questions, self.format, (Question,), "questions", kind="question")
            data += contrasts(islice(asked, self.limit))
        return data


@dataclass(frozen=True, slots=True)
class Changes:
    """What the command line changes in a scale's settings."""

    layers: int | None
    epochs: int | None
    label_smoothing: float
    learning_rate: float | None
    alpha: float
    seed: int

    def to(self, config: TrainConfig) -> TrainConfig:
        """The settings as changed."""
        schedule = chosen_schedule(config.schedule, self.epochs, self.learning_rate, self.seed)
        shape = replace(config.shape, layers=self.layers or config.shape.layers)
        return replace(
            config, shape=shape, schedule=schedule, label_smoothing=self.label_smoothing, alpha=self.alpha
        )


@dataclass(frozen=True, slots=True)
class Machine:
    """How long to train, where, and whether to resume."""

    minutes: float | None
    device: str
    resume: bool

    def train(self, data: Split, config: TrainConfig, folder: Path, start: Path | None) -> Outcome:
        """A generator of ours, from scratch or from another one."""
        from dialeval.systems.trained.training import train

        with self._session(data, config, folder) as started:
            outcome = train(data, config, folder, start=start, device=self.device, session=started)
        warn_of_shortfall(outcome.shortfall)
        return outcome

    def train_further(self, data: Split, changes: Changes, folder: Path, start: str) -> Outcome:
        """A generator of ours or a Hugging Face model, trained further."""
        from dialeval.systems.trained.config import LAYOUT
        from dialeval.systems.trained.training import further

        if (Path(start) / LAYOUT.marker).is_file():
            return self.train(data, changes.to(further(Path(start))), folder, Path(start))
        from dialeval.systems.trained.tuning import TUNING, tune

        config = changes.to(TUNING)
        with self._session(data, config, folder) as started:
            outcome = tune(data, config, folder, start, device=self.device, session=started)
        warn_of_shortfall(outcome.shortfall)
        return outcome

    def _session(self, data: Split, config: TrainConfig, folder: Path) -> AbstractContextManager[Session]:
        examples = len(data.train) * config.schedule.epochs
        return session(folder.name, examples, resume=self.resume, minutes=self.minutes)
