"""The vectors of a repository: computed once, a chunk at a time, so that an interrupted build resumes."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np

from dialeval.engine import SILENT, Batch, Executor, InProcess, Job, Progress, run
from dialeval.errors import BadInput, ResourceUnavailable
from dialeval.files.atomic import atomic_path
from dialeval.files.documents import write_document
from dialeval.selection.repository.indexes import (
    NearestIndex,
    build_cells,
    even_sample,
    flat_index,
    open_cells,
)
from dialeval.selection.repository.sentence_vectors import (
    ContextualVectors,
    SentenceVectors,
    StaticVectors,
    Vectors,
    first_component,
    units_without,
)

VectorKind: TypeAlias = Literal["reranked", "contextual", "static"]
"""``contextual``: every utterance is encoded in context, as in the paper. ``reranked``: an index of static vectors
finds the nearest few, which alone are encoded in context and reranked. ``static``: static vectors only."""

_FACTS: Final = "facts.json"
_AVERAGES: Final = "averages.npy"
_PART: Final = "averages.part"
_COMPONENT: Final = "component.npy"
_CONTEXTUAL_COMPONENT: Final = "contextual_component.npy"
_CELLS: Final = "cells.faiss"
_CHUNK: Final = 4_096
_FITTED_ON: Final = 50_000
_FITTED_IN_CONTEXT_ON: Final = 2_000


@dataclass(frozen=True, slots=True, eq=False)
class VectorStore:
    """A folder with the SIF average of each utterance, the component to remove, and an index where there are many."""

    folder: Path
    kind: VectorKind
    encoder: SentenceVectors
    """Settings that the index was made with."""
    component: Vectors
    in_context: SentenceVectors | None
    """What the nearest few are reranked with, under ``reranked``."""
    component_in_context: Vectors | None

    @classmethod
    def open(cls, folder: Path, count: int) -> VectorStore:
        """The vectors of ``count`` utterances in this folder."""
        try:
            facts = json.loads((folder / _FACTS).read_text(encoding="utf-8"))
            component, held = np.load(folder / _COMPONENT), len(np.load(folder / _AVERAGES, mmap_mode="r"))
            first, second = _encoders(facts["kind"], facts["words"], facts["encoder"])
            other = np.load(folder / _CONTEXTUAL_COMPONENT) if second else None
        except (OSError, ValueError, KeyError):
            held = -1
        if held != count:
            found, expected = "no vectors of all utterances", f"those of {count:,}"
            todo = "Give the command that built it again ('dialeval select build', or build_repository)."
            raise BadInput(str(folder), found, expected, todo)
        return cls(folder, facts["kind"], first, component, second, other)

    @classmethod
    def build(
        cls,
        folder: Path,
        utterances: Callable[[], Iterator[str]],
        count: int,
        *,
        kind: VectorKind,
        words: str,
        encoder: str,
        flat_up_to: int,
        progress: Progress = SILENT,
        executor: Executor | None = None,
    ) -> None:
        """Make whatever is missing in the folder: averages, components, cells."""
        first, second = _encoders(kind, words, encoder)
        asked = {"kind": kind, "words": words, "encoder": encoder, "utterances": count}
        try:
            facts = {"averages": first.fact, "in_context": second.fact if second else None}
        except ResourceUnavailable as error:
            hint = "" if kind == "static" else " Or ask for static vectors, which need no encoder."
            raise ResourceUnavailable(f"{error}{hint}") from None
        _keep_what_fits(folder, asked | facts)
        if not (folder / _AVERAGES).is_file():
            _write_averages(folder, utterances, count, first, progress, executor or InProcess())
        averages = np.load(folder / _AVERAGES, mmap_mode="r")
        if not (folder / _COMPONENT).is_file():
            _save(folder / _COMPONENT, first_component(averages[even_sample(count, _FITTED_ON)]))
        if second and not (folder / _CONTEXTUAL_COMPONENT).is_file():
            sample = islice(utterances(), None, None, even_sample(count, _FITTED_IN_CONTEXT_ON).step)
            _save(folder / _CONTEXTUAL_COMPONENT, first_component(second.encode(list(sample))))
        if count > flat_up_to and not (folder / _CELLS).is_file():
            build_cells(averages, np.load(folder / _COMPONENT), folder / _CELLS, progress=progress)

    def index(self) -> NearestIndex:
        """The index of all vectors: in cells where that was built, else exact."""
        if (self.folder / _CELLS).is_file():
            return open_cells(self.folder / _CELLS)
        return flat_index(np.load(self.folder / _AVERAGES, mmap_mode="r"), self.component)

    def units(self, texts: list[str]) -> Vectors:
        """The unit vectors of texts, as the index compares them."""
        return units_without(self.encoder.encode(texts), self.component)

    def units_in_context(self, texts: list[str]) -> Vectors:
        """The unit vectors of texts by which the nearest few are reranked."""
        assert self.in_context is not None
        assert self.component_in_context is not None
        return units_without(self.in_context.encode(texts), self.component_in_context)

    def stored_units(self) -> Iterator[Vectors]:
        """The unit vectors of all utterances, a chunk at a time."""
        averages = np.load(self.folder / _AVERAGES, mmap_mode="r")
        for start in range(0, len(averages), _CHUNK):
            yield units_without(averages[start : start + _CHUNK], self.component)


def _encoders(kind: VectorKind, words: str, encoder: str) -> tuple[SentenceVectors, SentenceVectors | None]:
    if kind == "contextual":
        return ContextualVectors(encoder), None
    return StaticVectors(words), ContextualVectors(encoder) if kind == "reranked" else None


def _keep_what_fits(folder: Path, facts: Mapping[str, object]) -> None:
    """Clear what the folder holds of other utterances or vectors, and note the facts."""
    path = folder / _FACTS
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        held = {}
    if any(held.get(key) != facts[key] for key in ("utterances", "averages")):
        shutil.rmtree(folder, ignore_errors=True)
    if held.get("in_context") != facts["in_context"]:
        (folder / _CONTEXTUAL_COMPONENT).unlink(missing_ok=True)
    if held != facts:
        write_document(path, facts, indent=2)


def _write_averages(
    folder: Path,
    utterances: Callable[[], Iterator[str]],
    count: int,
    encoder: SentenceVectors,
    progress: Progress,
    executor: Executor,
) -> None:
    """Append chunk after chunk to a part file; whole chunks of an interrupted call are kept."""
    part, chunk_bytes = folder / _PART, _CHUNK * encoder.dimensions * 2
    done = part.stat().st_size // chunk_bytes if part.is_file() else 0
    with part.open("ab") as file:
        file.truncate(done * chunk_bytes)
        rest = islice(utterances(), done * _CHUNK, None)
        chunks = iter(lambda: list(islice(rest, _CHUNK)), [])
        job = Job("", encoder.encode, _InMemory())
        for vectors in run(job, (Batch(chunk, "") for chunk in chunks), executor=executor):
            # Half precision moves a cosine by about 1e-4 and halves the file.
            file.write(vectors.astype(np.float16).tobytes())
            file.flush()
            progress.advance(len(vectors))
        os.fsync(file.fileno())
    rows = np.memmap(part, np.float16, "r", shape=(count, encoder.dimensions))
    with atomic_path(folder / _AVERAGES) as scratch, scratch.open("wb") as file:
        np.lib.format.write_array(file, rows, allow_pickle=False)
    del rows
    part.unlink()


class _InMemory:
    """Vectors are kept in the part file, and not in a cache."""

    def encode(self, result: Vectors) -> bytes:
        return result.tobytes()

    def decode(self, payload: bytes) -> Vectors:
        return np.frombuffer(payload, np.float32)


def _save(path: Path, array: Vectors) -> None:
    with atomic_path(path) as scratch, scratch.open("wb") as file:
        np.save(file, array, allow_pickle=False)
