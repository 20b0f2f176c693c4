"""Sources of word vectors: the embedded encoder, GloVe in an installed package, or a file of the user's."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from dialeval.errors import BadInput, ResourceUnavailable, UnknownName, first_line
from dialeval.files.digests import combine, hash_file
from dialeval.files.foreign import numpy_errors
from dialeval.metrics.embedding.vectors import Vectors, WordVectors, convert, table
from dialeval.resources import fingerprint, locate, obtain
from dialeval.resources.kept import kept_folder

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
UNKNOWN: Final = "[UNK]"
_LONGEST: Final = 100
# The ranges that BERT calls Chinese characters, each of which is a word of its own; kana and hangul are not.
_HAN: Final = re.compile(
    "([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002ceaf\U0002f800-\U0002fa1f])"
)
_ASCII_PUNCTUATION: Final = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


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
        """Files that the numbers rest on, by name and sha256."""
        if self.name == ENCODER:
            return {_ENCODER_RESOURCE: fingerprint(_ENCODER_RESOURCE)}
        return {self.name if self.name == GLOVE else Path(self.name).name: self.sha256}

    @property
    def fact(self) -> str:
        """Entry of a signature: name and hash, or ``file`` and hash."""
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
    """Return the file that lists the words of this matrix."""
    for ending in _ENDINGS:
        if (beside := path.with_suffix(ending)).is_file():
            return beside
    names = " or ".join(path.with_suffix(ending).name for ending in _ENDINGS)
    raise BadInput(str(path), "no list of its words", f"{names} beside it, one word a line", _TODO)


def read_table(path: Path, words: Path) -> tuple[list[str], Vectors]:
    """The words, and their matrix as float32, mapped from the file if it already is that."""
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
        expected = f"as many as {path.name} has rows, {len(matrix):,}"
        raise BadInput(str(words), found, expected, "List the words in order of the rows.")
    return listed, matrix


def _read_matrix(path: Path) -> Vectors:
    try:
        # Without pickles: loading one can run any code.
        matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    except numpy_errors() as error:
        reason = first_line(error)
        raise BadInput(str(path), f"no matrix ({reason})", "a .npy file of numbers", _TODO) from None
    if not isinstance(matrix, np.ndarray) or matrix.ndim != 2 or matrix.dtype.kind != "f" or not matrix.size:
        found = f"{matrix.dtype} of shape {matrix.shape}" if isinstance(matrix, np.ndarray) else "an archive"
        raise BadInput(str(path), found, "a matrix of floats, one row a word", _TODO)
    return np.asarray(matrix, np.float32)


def encoder_vectors(folder: Path, *, name: str, sha256: str) -> WordVectors:
    """Vectors in which a word is the mean of its pieces, lower-cased and without accents as the encoder reads it."""
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


@dataclass(frozen=True, slots=True, eq=False)
class WordPiece:
    """A vocabulary of pieces, by which any text is spelled greedily, longest piece first."""

    vocabulary: Mapping[str, int]

    def pieces(self, text: str) -> list[int]:
        """The ids of the text's pieces, as the BERT tokeniser gives them, special marks left out."""
        return [piece for word in _words(text) for piece in self._spell(word)]

    def _spell(self, word: str) -> list[int]:
        vocabulary, size = self.vocabulary, len(word)
        if size > _LONGEST:
            return [vocabulary[UNKNOWN]]
        if (whole := vocabulary.get(word)) is not None:
            return [whole]
        spelled: list[int] = []
        start = 0
        while start < size:
            mark = "##" if start else ""
            for end in range(size, start, -1):
                piece = vocabulary.get(mark + word[start:end])
                if piece is not None:
                    spelled.append(piece)
                    start = end
                    break
            else:
                return [vocabulary[UNKNOWN]]
        return spelled


def _words(text: str) -> Iterator[str]:
    """The words between spaces of the text as BERT sees it, punctuation marks one by one."""
    if text.isascii() and text.isalnum():
        yield text.lower()
        return
    for chunk in _normalised(text).split():
        word = ""
        for char in chunk:
            if _is_punctuation(char):
                if word:
                    yield word
                yield char
                word = ""
            else:
                word += char
        if word:
            yield word


def _normalised(text: str) -> str:
    clean = "".join(" " if char.isspace() else char for char in text if not _is_dropped(char))
    bare = unicodedata.normalize("NFD", _HAN.sub(r" \1 ", clean))
    # One by one: lower-casing a whole word writes a final sigma in another way than BERT's.
    return "".join(char.lower() for char in bare if unicodedata.category(char) != "Mn")


def _is_dropped(char: str) -> bool:
    return char == "\ufffd" or (unicodedata.category(char) in ("Cc", "Cf", "Co") and char not in "\t\n\r")


def _is_punctuation(char: str) -> bool:
    return char in _ASCII_PUNCTUATION or unicodedata.category(char)[0] == "P"
