"""Repositories: folders of utterances with their indexes, from which false candidates are retrieved."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Self, cast

import numpy as np

from dialeval.data.codec.sources import check
from dialeval.engine import SILENT, Executor, Progress
from dialeval.errors import BadInput, Unsuitable
from dialeval.files.atomic import atomic_path
from dialeval.files.digests import hash_tree
from dialeval.files.documents import write_document
from dialeval.files.folders import alone_in
from dialeval.selection.repository.indexes import (
    FLAT_UP_TO,
    LexicalIndex,
    VectorIndex,
    WordIndex,
    build_lexical,
)
from dialeval.selection.repository.utterances import Corpus, Excluded, Filters, Sieve, texts_of
from dialeval.selection.repository.vector_store import VectorKind, VectorStore

if TYPE_CHECKING:
    import pyarrow as pa

_FORMAT: Final = 1
"""Rises with anything that changes what is kept: words, tidying, filters, layout."""
_FACTS: Final = "repository.json"
_UTTERANCES: Final = "utterances.parquet"
_LEXICAL: Final = "lexical"
_VECTORS: Final = "vectors"
_ROWS_AT_ONCE: Final = 50_000


class Engine(NamedTuple):
    """The two ways to search a repository."""

    lexical: WordIndex
    nearest: VectorIndex


@dataclass(frozen=True, slots=True)
class Facts:
    """Where a repository comes from, and what was left out of it."""

    sources: Mapping[str, str]
    """sha256 of each file by name."""
    excluded: Mapping[str, str]
    """sha256 of each file whose utterances were left out, by name."""
    filters: Filters
    kept: int
    dropped: Mapping[str, int]
    """Number of utterances that were left out, by reason."""


@dataclass(frozen=True, slots=True, eq=False)
class Repository:
    """A folder of utterances, numbered from 0, with an index of their words and one of their vectors."""

    folder: Path
    facts: Facts
    vectors: VectorStore
    _texts: pa.ChunkedArray
    engine: Engine

    @classmethod
    def open(cls, folder: Path) -> Self:
        """The repository in this folder, all of it built."""
        import pyarrow.parquet as pq

        facts = _read_facts(folder)
        if facts is None or not (folder / _LEXICAL).is_dir():
            raise _not_whole(folder)
        try:
            texts = pq.read_table(folder / _UTTERANCES, columns=["text"]).column("text")
            lexical = LexicalIndex.open(folder / _LEXICAL)
        except (OSError, ValueError):  # lost, cut short, or being written at this moment
            raise _not_whole(folder) from None
        if len(texts) != facts.kept:
            raise _not_whole(folder)
        vectors = VectorStore.open(folder / _VECTORS, facts.kept)
        return cls(folder, facts, vectors, texts, Engine(lexical, vectors.index()))

    def __len__(self) -> int:
        return self.facts.kept

    def texts(self, ids: Iterable[int]) -> list[str]:
        """The utterances of these numbers."""
        return cast(list[str], self._texts.take(np.array(list(ids), np.int64)).to_pylist())

    def all_texts(self) -> Iterator[str]:
        """Every utterance, in order."""
        for chunk in self._texts.chunks:
            yield from chunk.to_pylist()


def built_repository(sources: Sequence[str]) -> Repository | None:
    """Return the repository that was built, if the sources name one, which must then stand alone; else None."""
    folders = [source for source in sources if (Path(source) / "repository.json").is_file()]
    if not folders:
        return None
    if len(sources) > 1:
        raise BadInput(
            folders[0],
            f"a repository that was built, beside {len(sources) - 1} other sources",
            "files only, or one built repository alone",
            "Name the files that it was built from instead; it is rebuilt with the others.",
        )
    return Repository.open(Path(folders[0]))


def build_repository(
    sources: Iterable[Path | Corpus],
    out: Path,
    *,
    exclude: Iterable[Path | Corpus] = (),
    filters: Filters = Filters(),  # noqa: B008 - frozen
    vectors: VectorKind = "reranked",
    words: str = "minilm",
    encoder: str = "minilm",
    flat_up_to: int = FLAT_UP_TO,
    progress: Progress = SILENT,
    executor: Executor | None = None,
) -> Repository:
    """The repository of these files in the folder ``out``, built where it does not exist yet.

    What an earlier call has finished is used again where it would come out the same: the utterances where files (by
    their bytes) and filters agree, each index where its utterances and vectors do. An interrupted call resumes where
    it stopped. ``exclude`` names files of training or evaluation dialogues: none of their utterances gets in, however
    it is spelled. Files called .txt hold one utterance a line; what other names do not tell, ``Corpus`` does. Only one
    process at a time may build in a folder; vectors are computed by the executor where there is one.
    """
    files, apart = _corpora(sources), _corpora(exclude)
    if not files:
        raise Unsuitable("A repository needs at least one file of utterances; none was given.")
    wanted = Facts(_hashes(files), _hashes(apart), filters, 0, {})
    with alone_in(out):
        facts = _finished_utterances(files, apart, out, wanted, progress)
        if not (out / _LEXICAL).is_dir():
            build_lexical(_stored(out), out / _LEXICAL, progress=progress)
        VectorStore.build(
            out / _VECTORS,
            lambda: _stored(out),
            facts.kept,
            kind=vectors,
            words=words,
            encoder=encoder,
            flat_up_to=flat_up_to,
            progress=progress,
            executor=executor,
        )
        return Repository.open(out)


def _finished_utterances(
    files: Sequence[Corpus], apart: Sequence[Corpus], out: Path, wanted: Facts, progress: Progress
) -> Facts:
    """The account of utterances that are all written: those of an earlier call where it read the same."""
    facts = _read_facts(out) if (out / _UTTERANCES).is_file() else None
    if facts is None or (facts.sources, facts.excluded, facts.filters) != (
        wanted.sources,
        wanted.excluded,
        wanted.filters,
    ):
        _clear(out)
        return _write_utterances(files, apart, out, wanted, progress=progress)
    return facts


def _write_utterances(
    files: Sequence[Corpus], apart: Sequence[Corpus], out: Path, wanted: Facts, *, progress: Progress
) -> Facts:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sieve = Sieve(wanted.filters, Excluded.of(text for corpus in apart for text in texts_of(corpus)))
    schema = pa.schema([("id", pa.int64()), ("text", pa.string())])
    kept = 0
    with atomic_path(out / _UTTERANCES) as scratch, pq.ParquetWriter(scratch, schema) as writer:
        for batch in _batches(text for corpus in files for text in sieve.pass_through(texts_of(corpus))):
            writer.write_table(pa.table([range(kept, kept + len(batch)), batch], schema=schema))
            kept += len(batch)
            progress.advance(len(batch))
    facts = Facts(wanted.sources, wanted.excluded, wanted.filters, kept, dict(sorted(sieve.dropped.items())))
    if not kept:
        shown = ", ".join(f"{count:,} {reason}" for reason, count in facts.dropped.items()) or "none at all"
        raise Unsuitable(
            f"No utterance of {', '.join(str(corpus.path) for corpus in files)} can be used in the repository (found: "
            f"{shown}). Give other files, "
            "or let through shorter and longer ones."
        )
    write_document(out / _FACTS, {"format": _FORMAT, **asdict(facts)}, indent=2)
    return facts


def _not_whole(folder: Path) -> BadInput:
    return BadInput(
        str(folder),
        "no whole repository",
        f"a folder with {_FACTS}, {_UTTERANCES}, {_LEXICAL} and {_VECTORS}",
        "Give the command that built it again ('dialeval select build', or build_repository), which makes what is "
        "missing; where that does not help, delete the folder first.",
    )


def _batches(texts: Iterator[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if len(batch) == _ROWS_AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


def _stored(folder: Path) -> Iterator[str]:
    """The utterances as they were written, a batch in memory at a time."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(folder / _UTTERANCES) as file:
        for batch in file.iter_batches(columns=["text"]):
            yield from batch.column(0).to_pylist()


def _corpora(files: Iterable[Path | Corpus]) -> list[Corpus]:
    corpora = [corpus if isinstance(corpus, Corpus) else Corpus(corpus) for corpus in files]
    for corpus in corpora:
        check(corpus.path, folder=corpus.path.is_dir() and corpus.format is not None)
    return corpora


def _hashes(corpora: Sequence[Corpus]) -> dict[str, str]:
    # By whole path where names repeat, as train.jsonl of two corpora does.
    names = Counter(corpus.path.name for corpus in corpora)
    return {
        corpus.path.name if names[corpus.path.name] == 1 else str(corpus.path): hash_tree(corpus.path)
        for corpus in corpora
    }


def _read_facts(folder: Path) -> Facts | None:
    path = folder / _FACTS
    if not path.is_file():
        return None
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        if held.pop("format") != _FORMAT:
            return None
        return Facts(**{**held, "filters": Filters(**held["filters"])})
    except (ValueError, TypeError, KeyError, AttributeError):
        todo = "Delete the folder and rebuild it."
        raise BadInput(str(path), "other content", "the record of a repository", todo) from None


def _clear(folder: Path) -> None:
    """Make room for a repository where there is an old one or nothing; leave anything else alone."""
    ours = (_FACTS, _UTTERANCES, _LEXICAL, _LEXICAL + ".part", _VECTORS)
    strange = sorted(
        path.name
        for path in (folder.iterdir() if folder.is_dir() else ())
        if not path.name.startswith((".", *ours))
    )
    if strange:
        found = f"a folder that holds {', '.join(strange[:3])}"
        raise BadInput(str(folder), found, "an empty folder, or a repository", "Name another folder.")
    # The account goes first: without it nothing else in the folder counts.
    (folder / _FACTS).unlink(missing_ok=True)
    (folder / _UTTERANCES).unlink(missing_ok=True)
    for name in ours[2:]:
        shutil.rmtree(folder / name, ignore_errors=True)
