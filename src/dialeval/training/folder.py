"""The folder of a trained model: its files, written as a whole or not at all, and verified when read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from dialeval.errors import BadInput, DialevalError, ResourceUnavailable, first_line
from dialeval.files.atomic import write_atomically
from dialeval.files.digests import combine, hash_file
from dialeval.files.folders import with_home
from dialeval.files.foreign import weights_path

if TYPE_CHECKING:
    from torch import nn


WEIGHTS: Final = "model.safetensors"
CARD: Final = "README.md"
CHECKPOINT: Final = "checkpoint.safetensors"
FORMAT: Final = 1

T = TypeVar("T")


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
    """What messages call it, as in 'trained generator'."""
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
        """Which files the folder lacks; none where it holds a whole model."""
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
        """What ``parse`` makes of the marker's content; BadInput where that is not this layout's."""
        path = folder / self.marker
        try:
            about: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            if about["model"] != self.kind or about["format"] != FORMAT:
                raise ValueError(f"model {about['model']!r} of format {about['format']!r}")
            return parse(about)
        except (ValueError, KeyError, TypeError, DialevalError) as error:
            found, expected = f"{type(error).__name__}: {error}", f"the settings of a {self.noun}"
            raise BadInput(str(path), found, expected, self.todo) from error

    def load_weights(self, folder: Path, model: nn.Module) -> None:
        """Give the model the folder's weights; BadInput where they do not fit it."""
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        path = folder / WEIGHTS
        try:
            model.load_state_dict(load_file(path))
        except (SafetensorError, RuntimeError, OSError) as error:
            found = first_line(error)
            expected = f"the weights that {self.marker} describes"
            raise BadInput(str(path), found, expected, "Train the model again.") from error


def write_marker(path: Path, about: Mapping[str, Any]) -> None:
    """Write what a model is and how it came about."""
    write_atomically(path, (json.dumps(about, indent=2) + "\n").encode())


@dataclass(frozen=True, slots=True)
class Card:
    """What a reader should know of a model before using it."""

    title: str
    about: str
    """What the model is and how to use it, in Markdown."""
    data: str
    """What it was trained on, with digests."""
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
