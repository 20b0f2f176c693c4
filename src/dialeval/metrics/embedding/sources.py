"""Sources of word vectors: the embedded encoder, GloVe in an installed package, or a file of the user's."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from dialeval.errors import BadInput, ResourceUnavailable, UnknownName, first_line
from dialeval.files.digests import combine, hash_file
from dialeval.metrics.embedding.text_file import convert
from dialeval.metrics.embedding.vectors import Vectors, WordVectors, table
from dialeval.metrics.embedding.wordpiece import UNKNOWN, WordPiece
from dialeval.resources import fingerprint, locate, obtain
from dialeval.resources.finding import kept_folder

ENCODER: Final = "minilm"
GLOVE: Final = "glove-6b-50d"
_ENCODER_RESOURCE: Final = "all-minilm-l6-v2"
_ENDINGS: Final = (".vocab.txt", ".txt")
_TODO: Final = (
    "Save it with numpy.save('vectors.npy', matrix), and its words to vectors.vocab.txt, one a line."
)
WEIGHTS: Final = "model.safetensors"
_EMBEDDINGS: Final = "embeddings.word_embeddings.weight"
_REMEMBERED: Final = 100_000


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


def words_beside(path: Path) -> Path:
    """Where the words of this matrix are listed."""
    for ending in _ENDINGS:
        if (beside := path.with_suffix(ending)).is_file():
            return beside
    names = " or ".join(path.with_suffix(ending).name for ending in _ENDINGS)
    raise BadInput(str(path), "no list of its words", f"{names} beside it, one word a line", _TODO)


def read_table(path: Path, words: Path) -> tuple[list[str], Vectors]:
    """The words, and their matrix as float32, mapped from the file where it already is that."""
    matrix = _read_matrix(path)
    try:
        text = words.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"bytes that are not UTF-8 ({error.reason} at byte {error.start})"
        raise BadInput(str(words), found, "UTF-8, one word a line", "Save the list as UTF-8.") from None
    # Not splitlines: word lists hold words such as U+0085, which it takes for line ends.
    listed = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []
    if len(listed) != len(matrix):
        found = f"{len(listed):,} words"
        needed = f"as many as {path.name} has rows, {len(matrix):,}"
        raise BadInput(str(words), found, needed, "List the words in order of the rows.")
    return listed, matrix


def _read_matrix(path: Path) -> Vectors:
    try:
        # Without pickles: loading one can run any code.
        matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        reason = first_line(error)
        raise BadInput(str(path), f"no matrix ({reason})", "a .npy file of numbers", _TODO) from None
    if not isinstance(matrix, np.ndarray) or matrix.ndim != 2 or matrix.dtype.kind != "f" or not matrix.size:
        found = f"{matrix.dtype} of shape {matrix.shape}" if isinstance(matrix, np.ndarray) else "an archive"
        raise BadInput(str(path), found, "a matrix of floats, one row a word", _TODO)
    return np.asarray(matrix, np.float32)


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
