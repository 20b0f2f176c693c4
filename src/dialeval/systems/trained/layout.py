"""The files of a trained generator; loads no library."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dialeval.errors import BadInput, DialevalError, ResourceUnavailable
from dialeval.files.digests import combine, hash_file
from dialeval.systems.trained.config import Schedule, Shape, TrainConfig

MARKER: Final = "generator.json"
WEIGHTS: Final = "model.safetensors"
SUBWORDS: Final = "tokenizer.json"
CARD: Final = "README.md"
FORMAT: Final = 1

_TODO: Final = "Give a folder that 'dialeval train generator' wrote."


@dataclass(frozen=True, slots=True)
class GeneratorFiles:
    """A trained generator's folder, and the hash of each file that we read of it."""

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


def find_generator(path: Path) -> GeneratorFiles:
    """The files in the folder; ResourceUnavailable says which of them are missing."""
    folder = path.expanduser().resolve()
    missing = [name for name in (MARKER, WEIGHTS, SUBWORDS) if not (folder / name).is_file()]
    if missing:
        begun = (folder / "checkpoint.safetensors").is_file()
        todo = "Its training has not ended: give the same command again to go on." if begun else _TODO
        raise ResourceUnavailable(
            f"{path} lacks {', '.join(missing)}, so it holds no trained generator. {todo}"
        )
    return GeneratorFiles(
        folder, tuple((name, hash_file(folder / name)) for name in (MARKER, WEIGHTS, SUBWORDS))
    )


def read_config(folder: Path) -> TrainConfig:
    """How the folder's generator was trained."""
    path = folder / MARKER
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        if about["model"] != "generator" or about["format"] != FORMAT:
            raise ValueError(f"model {about['model']!r} of format {about['format']!r}")
        return _config(about["train"])
    except (ValueError, KeyError, TypeError, DialevalError) as error:
        found = f"{type(error).__name__}: {error}"
        raise BadInput(str(path), found, "the settings of a trained generator", _TODO) from error


def _config(found: Mapping[str, Any]) -> TrainConfig:
    parts = {"shape": Shape(**found["shape"]), "schedule": Schedule(**found["schedule"])}
    return TrainConfig(**{**found, **parts})
