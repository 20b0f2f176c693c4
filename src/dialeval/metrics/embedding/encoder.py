"""The input embeddings of the embedded sentence encoder, read from its weights without torch."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from dialeval.errors import ResourceUnavailable
from dialeval.metrics.embedding.vectors import Vectors, WordVectors
from dialeval.metrics.embedding.wordpiece import UNKNOWN, WordPiece

WEIGHTS: Final = "model.safetensors"
_EMBEDDINGS: Final = "embeddings.word_embeddings.weight"
_REMEMBERED: Final = 100_000


def encoder_vectors(folder: Path, *, name: str, sha256: str) -> WordVectors:
    """Vectors where a word is the mean of its pieces, lower-cased and without accents as the encoder reads it."""
    lines = (folder / "vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    tokeniser = WordPiece({piece: index for index, piece in enumerate(lines)})
    unknown = tokeniser.vocabulary[UNKNOWN]

    @lru_cache(maxsize=_REMEMBERED)
    def spell(word: str) -> tuple[int, ...]:
        return tuple(piece for piece in tokeniser.pieces(word) if piece != unknown)

    return WordVectors(name, sha256, read_tensor(folder / WEIGHTS, _EMBEDDINGS), spell)


def read_tensor(path: Path, name: str) -> Vectors:
    """A matrix of float32 in a safetensors file, mapped so that only the rows in use are read."""
    # The format: eight bytes of length, that much JSON with each tensor's type, shape and place, then the bytes.
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        tensor = json.loads(file.read(size)).get(name)
    if tensor is None or tensor["dtype"] != "F32" or len(tensor["shape"]) != 2:
        found = "nothing" if tensor is None else f"{tensor['dtype']} of shape {tensor['shape']}"
        raise ResourceUnavailable(f"{path} was to hold a matrix of F32 called {name}; found {found}.")
    start = 8 + size + int(tensor["data_offsets"][0])
    return np.asarray(np.memmap(path, np.dtype("<f4"), "r", offset=start, shape=tuple(tensor["shape"])))
