"""Folder of a trained model: its files, written as a whole or not at all and verified when read, and its card."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from dialeval.errors import BadInput, DialevalError, ResourceUnavailable, first_line, lack_of_memory
from dialeval.files.atomic import write_atomically
from dialeval.files.digests import combine, hash_file
from dialeval.files.folders import with_home
from dialeval.files.foreign import weights_path

if TYPE_CHECKING:
    from torch import Tensor, nn

    from dialeval.training.checkpoint import Evaluation
    from dialeval.training.loop import Fitted

WEIGHTS: Final = "model.safetensors"
CARD: Final = "README.md"
CHECKPOINT: Final = "checkpoint.safetensors"
FORMAT: Final = 1

T = TypeVar("T")
M = TypeVar("M", bound="nn.Module")


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A trained model's folder, and the hash of each file that is read of it."""

    folder: Path
    hashes: tuple[tuple[str, str], ...]

    @property
    def sha256(self) -> str:
        """One hash for all files."""
        return combine(dict(self.hashes))

    @property
    def resources(self) -> Mapping[str, str]:
        """Each file with its sha256, under the folder's name."""
        return {f"{self.folder.name}/{name}": sha256 for name, sha256 in self.hashes}


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of one kind of trained model."""

    kind: str
    """As the marker's ``model`` says it."""
    marker: str
    """A JSON file of what the model is and how it came about; written last, so that where it is, all is."""
    vocabulary: str
    """The file of words or subwords."""
    noun: str
    """Name in messages, as in 'trained generator'."""
    command: str
    """That writes such a folder."""

    @property
    def names(self) -> tuple[str, str, str]:
        """The files that are read of a folder."""
        return self.marker, WEIGHTS, self.vocabulary

    @property
    def todo(self) -> str:
        """The advice to a user who named another folder."""
        return f"Give a folder that '{self.command}' wrote."

    def missing(self, folder: Path) -> list[str]:
        """Files that the folder lacks; none if it holds a whole model."""
        return [name for name in self.names if not (folder / name).is_file()]

    def find(self, path: Path) -> ModelFolder:
        """The folder's files; ResourceUnavailable says which of them are missing."""
        folder = with_home(path).resolve()
        missing = self.missing(folder)
        if missing:
            begun = (folder / CHECKPOINT).is_file()
            todo = (
                "Its training has not ended: run the same command again to resume it." if begun else self.todo
            )
            raise ResourceUnavailable(
                f"{path} lacks {', '.join(missing)}, so it holds no {self.noun}. {todo}"
            )
        return ModelFolder(folder, tuple((name, hash_file(folder / name)) for name in self.names))

    def write(
        self, folder: Path, about: Mapping[str, Any], model: nn.Module, vocabulary: bytes, card: Card
    ) -> None:
        """Write all files, the marker last; ``about`` must have this layout's ``model`` and the ``format``."""
        from safetensors.torch import save_file

        write_atomically(folder / self.vocabulary, vocabulary)
        with weights_path(folder / WEIGHTS) as scratch:
            save_file({name: weight.cpu() for name, weight in model.state_dict().items()}, scratch)
        write_atomically(folder / CARD, str(card).encode())
        write_marker(folder / self.marker, about)

    def read(self, folder: Path, parse: Callable[[Mapping[str, Any]], T]) -> T:
        """Return what ``parse`` makes of the marker's content; BadInput if that is not this layout's."""
        path = folder / self.marker
        try:
            about: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            if about["model"] != self.kind or about["format"] != FORMAT:
                raise ValueError(f"model {about['model']!r} of format {about['format']!r}")
            return parse(about)
        except (ValueError, KeyError, TypeError, RecursionError, DialevalError) as error:
            found, expected = f"{type(error).__name__}: {error}", f"the settings of a {self.noun}"
            raise BadInput(str(path), found, expected, self.todo) from error

    def load_weights(self, folder: Path, make: Callable[[], M]) -> M:
        """Return the model that ``make`` makes, with the folder's weights; BadInput if they do not fit it.

        Shapes are compared before memory is taken: settings from elsewhere may ask for any amount of it.
        """
        import torch
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        path = folder / WEIGHTS
        try:
            weights = load_file(path)
            with torch.device("meta"):
                _check_shapes(make(), weights)
            model = make()
            model.load_state_dict(weights)
        except (SafetensorError, RuntimeError, OSError) as error:
            if lack_of_memory(error):
                raise
            found = first_line(error)
            expected = f"the weights that {self.marker} describes"
            raise BadInput(str(path), found, expected, "Train the model again.") from error
        return model


def _check_shapes(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Raise RuntimeError if the weights are not those of the model."""
    for name, weight in model.state_dict().items():
        found = tuple(weights[name].shape) if name in weights else "nothing"
        if found != tuple(weight.shape):
            raise RuntimeError(f"{found} for {name} of shape {tuple(weight.shape)}")


def write_marker(path: Path, about: Mapping[str, Any]) -> None:
    """Write what a model is and how it came about."""
    write_atomically(path, (json.dumps(about, indent=2) + "\n").encode())


@dataclass(frozen=True, slots=True)
class Card:
    """Model card: what a reader should know of a model before using it."""

    title: str
    about: str
    """Description of the model and its use, in Markdown."""
    data: str
    """Data that it was trained on, with digests."""
    settings: Mapping[str, object]
    """Everything that moved the weights, beside the data."""
    columns: Sequence[str]
    measured: Sequence[Sequence[str]]
    """A row for each evaluation, as wide as the columns."""

    def __str__(self) -> str:
        settings = [(key, str(value)) for key, value in self.settings.items()]
        return "\n".join(
            (
                f"# {self.title}",
                "",
                self.about,
                "",
                self.data,
                "The licence of the data governs what you may do with the weights.",
                "",
                *_table(("setting", "value"), settings),
                "",
                *_table(self.columns, self.measured),
                "",
            )
        )


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [
        f"| {' | '.join(columns)} |",
        "|" + "---|" * len(columns),
        *(f"| {' | '.join(row)} |" for row in rows),
    ]


def write_card(
    folder: Path, kind: str, about: str, data: str, settings: Mapping[str, object], fitted: Fitted
) -> None:
    """Write the card of a model with every evaluation of its training."""
    names = list(fitted.history[-1].held_out or fitted.history[-1].train)
    card = Card(
        title=f"{kind}: trained by dialeval",
        about=about,
        data=data,
        settings=settings,
        columns=("updates", *names, "minutes"),
        measured=[_row(evaluation, names) for evaluation in fitted.history],
    )
    write_atomically(folder / CARD, str(card).encode())


def _row(evaluation: Evaluation, names: Sequence[str]) -> list[str]:
    numbers = evaluation.held_out or evaluation.train
    values = [f"{numbers[name]:.4f}" for name in names]
    return [str(evaluation.updates), *values, f"{evaluation.seconds / 60:.1f}"]


def count_weights(network: nn.Module) -> int:
    """Number of weights of the network."""
    return sum(weight.numel() for weight in network.parameters())


def perplexity(evaluation: Evaluation) -> float | None:
    """Exp of the nats per token of what is held out, ends counted; None if nothing is."""
    return None if evaluation.held_out is None else math.exp(evaluation.held_out["nats"])


def columns_of(unit: str) -> tuple[str, ...]:
    """The head of the table of evaluations on a model's card; ``unit`` is a token or a word."""
    return (
        "epoch",
        "updates",
        f"training nats per {unit}",
        f"held-out nats per {unit}",
        "held-out perplexity",
    )


def cells_of(evaluations: Iterable[Mapping[str, float | None]]) -> list[tuple[str, ...]]:
    """The rows below it, from evaluations as the model's marker lists them."""
    return [
        (
            f"{row['epoch']:g}",
            str(row["updates"]),
            f"{row['train_nats']:.4f}",
            _shown(row["held_out_nats"]),
            _shown(row["held_out_perplexity"]),
        )
        for row in evaluations
    ]


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
