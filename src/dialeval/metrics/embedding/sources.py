"""Sources of word vectors: the embedded encoder, GloVe in an installed package, or a file of the user's."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from dialeval.errors import UnknownName
from dialeval.files.digests import combine, hash_file
from dialeval.metrics.embedding.encoder import WEIGHTS, encoder_vectors
from dialeval.metrics.embedding.tables import read_table, words_beside
from dialeval.metrics.embedding.text_file import convert
from dialeval.metrics.embedding.vectors import WordVectors, table
from dialeval.resources import fingerprint, locate, obtain
from dialeval.resources.finding import kept_folder

ENCODER: Final = "minilm"
GLOVE: Final = "glove-6b-50d"
_ENCODER_RESOURCE: Final = "all-minilm-l6-v2"


@dataclass(frozen=True, slots=True)
class Source:
    """Word vectors by name or path: ``minilm``, ``glove-6b-50d``, or a text or .npy file."""

    name: str

    def check(self) -> None:
        """Refuse vectors that are not here, with what to do about it; their bytes are compared when they are read."""
        if self.name == ENCODER:
            locate(_ENCODER_RESOURCE)
        elif self.name == GLOVE:
            locate(GLOVE)
        elif not Path(self.name).is_file():
            todo = f"There are {ENCODER}, {GLOVE}, and files by their path; there is no file {self.name}."
            raise UnknownName("word vectors", self.name, (ENCODER, GLOVE), todo=todo)

    @property
    def sha256(self) -> str:
        """The hash of the file with the vectors; of a matrix and its list of words, both."""
        if self.name == ENCODER:
            return hash_file(obtain(_ENCODER_RESOURCE) / WEIGHTS)
        if self.name == GLOVE:
            return fingerprint(GLOVE)
        path = Path(self.name)
        if path.suffix != ".npy":
            return hash_file(path)
        words = words_beside(path)
        return combine({path.name: hash_file(path), words.name: hash_file(words)})

    @property
    def resources(self) -> dict[str, str]:
        """What the numbers rest on, by name and sha256."""
        if self.name == ENCODER:
            return {_ENCODER_RESOURCE: fingerprint(_ENCODER_RESOURCE)}
        return {self.name if self.name == GLOVE else Path(self.name).name: self.sha256}

    @property
    def fact(self) -> str:
        """What a signature says of them: name and hash, or ``file`` and hash."""
        name = self.name if self.name in (ENCODER, GLOVE) else "file"
        return f"{name}:{self.sha256[:12]}"

    def load(self) -> WordVectors:
        """The vectors themselves, read once a process unless the file changes."""
        changed = 0 if self.name in (ENCODER, GLOVE) else _time_of_change(self.name)
        return _load(self, changed)


def _time_of_change(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return -1


# Two, so that one table against another can be compared without reading either twice.
@lru_cache(maxsize=2)
def _load(source: Source, changed: int) -> WordVectors:
    source.check()
    name, sha256 = source.name, source.sha256
    if name == ENCODER:
        return encoder_vectors(obtain(_ENCODER_RESOURCE), name=name, sha256=sha256)
    path = obtain(GLOVE) if name == GLOVE else Path(name)
    if path.suffix == ".npy":
        return table(name, sha256, *read_table(path, words_beside(path)))
    matrix = kept_folder("vectors") / f"{sha256}.npy"
    words = matrix.with_suffix(".vocab.txt")
    if not (matrix.is_file() and words.is_file()):
        convert(path, matrix, words)
    return table(name, sha256, *read_table(matrix, words))
