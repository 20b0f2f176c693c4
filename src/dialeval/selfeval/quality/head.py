"""Heads: weights of standardised features, kept in a small safetensors file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from dialeval.core import Floats
from dialeval.errors import ResourceUnavailable
from dialeval.files.digests import hash_file
from dialeval.files.foreign import as_bad_input, safetensors_errors, weights_path

FORMAT: Final = "1"
FILE: Final = "quality.safetensors"
_PARTS: Final = ("centre", "scale", "weight")


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """A weighted sum of standardised features, in standard deviations of the ratings that it was fitted to."""

    names: tuple[str, ...]
    centre: Floats
    scale: Floats
    weight: Floats

    def contributions(self, rows: Floats) -> Floats:
        """What each feature adds, shape (n, features); 0 where it is undefined, as if it were average."""
        return np.nan_to_num((rows - self.centre) / self.scale) * self.weight

    def scores(self, rows: Floats) -> Floats:
        """The sum of the contributions, shape (n,)."""
        total: Floats = self.contributions(rows).sum(axis=1)
        return total


@dataclass(frozen=True, slots=True)
class HeadFile:
    """A file of heads and its hash."""

    path: Path
    sha256: str

    def head(self, recipe: str) -> Head:
        """The head of that recipe, such as ``turn``; ResourceUnavailable where the file has none."""
        heads = _load(self.path, self.sha256)
        if recipe not in heads:
            raise ResourceUnavailable(
                f"{self.path} has no weights for {recipe!r}, only for {', '.join(sorted(heads))}. Train with "
                "ratings of that kind: 'dialeval train quality RATED -o DIR'."
            )
        return heads[recipe]


def find_head(path: Path) -> HeadFile:
    """The file of heads; ResourceUnavailable where there is none."""
    if not path.is_file():
        raise ResourceUnavailable(
            f"{path.parent} lacks {path.name}. Give the folder that 'dialeval train quality RATED -o DIR' wrote."
        )
    return HeadFile(path, hash_file(path))


def write_heads(path: Path, heads: Mapping[str, Head]) -> None:
    """Write the heads by their recipe, as a whole or not at all."""
    from safetensors.numpy import save_file

    tensors = {
        f"{recipe}.{part}": np.asarray(getattr(head, part), np.float64)
        for recipe, head in heads.items()
        for part in _PARTS
    }
    names = {recipe: head.names for recipe, head in heads.items()}
    with weights_path(path) as scratch:
        save_file(tensors, scratch, {"format": FORMAT, "names": json.dumps(names, sort_keys=True)})


@lru_cache(maxsize=8)
def _load(path: Path, sha256: str) -> Mapping[str, Head]:
    """The heads in a file whose hash is known."""
    from safetensors import safe_open

    expected = f"weights of quality in format {FORMAT}"
    damage = as_bad_input(safetensors_errors(), str(path), "weights", expected, "Train the heads again.")
    with damage, safe_open(path, "numpy") as file:
        about = file.metadata() or {}
        if about.get("format") != FORMAT:
            raise ValueError(f"format {about.get('format')!r}")
        names: Mapping[str, Sequence[str]] = json.loads(about["names"])
        return {recipe: _head(file, recipe, tuple(own)) for recipe, own in names.items()}


def _head(file: object, recipe: str, names: tuple[str, ...]) -> Head:
    centre, scale, weight = (
        np.asarray(file.get_tensor(f"{recipe}.{part}"), np.float64)  # type: ignore[attr-defined]
        for part in _PARTS
    )
    if not centre.shape == scale.shape == weight.shape == (len(names),):
        raise ValueError(f"{recipe}: {len(names)} names, but {weight.shape} weights")
    return Head(names, centre, scale, weight)
