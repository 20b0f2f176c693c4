"""The two searches on Milvus: a server by its address, or a local file through milvus-lite."""

from __future__ import annotations

import hashlib
import logging
import logging.config
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from dialeval.engine import SILENT, Progress
from dialeval.errors import RunFailed
from dialeval.resources import require_library
from dialeval.selection.repository.indexes import FLAT_UP_TO, cells_for, cells_searched
from dialeval.selection.repository.repository import Engine, Repository
from dialeval.selection.repository.sentence_vectors import Vectors
from dialeval.selection.repository.words import words
from dialeval.text.search import Hit

if TYPE_CHECKING:
    from pymilvus import MilvusClient

_ROWS_AT_ONCE: Final = 1_000
_QUERIES_AT_ONCE: Final = 64
_SPARE: Final = 16
# Milvus's BM25 has the constant factor k1 + 1, as tantivy's has.
_FACTOR: Final = 2.2
_LONGEST: Final = 65_535


@contextmanager
def milvus_engine(
    repository: Repository, uri: str, *, token: str = "", progress: Progress = SILENT
) -> Iterator[Engine]:
    """The repository's two searches on Milvus at ``uri``, a server's address or the path of a local file.

    Its utterances and vectors are sent to a collection named by their digest, and only those that are not there yet.
    BM25 has the same parameters and words as here; vectors are searched exactly up to 200,000, in cells beyond.
    """
    require_library("pymilvus", "Milvus")
    with _logging_left_alone():
        from pymilvus import MilvusClient, MilvusException

    name, local = f"dialeval_{_digest(repository)[:24]}", "://" not in uri
    try:
        client = MilvusClient(uri, token=token)
        try:
            with _quiet_server():
                _fill(client, name, repository, progress, local=local)
            yield Engine(_Words(client, name), _Nearest(client, name, len(repository)))
        finally:
            client.close()
            if local:
                _release(uri)
    except MilvusException as error:
        raise RunFailed(
            f"Milvus at {uri} refused: {error.message}. Check the address, the token and that the server is version "
            "2.5 or newer; or search here, with the repository's own engine."
        ) from error


@dataclass(frozen=True, slots=True, eq=False)
class _Words:
    """BM25 by Milvus's full-text search."""

    client: MilvusClient
    collection: str

    def search(self, queries: Sequence[Sequence[str]], k: int) -> list[list[Hit]]:
        asked = [index for index, query in enumerate(queries) if query]
        result: list[list[Hit]] = [[] for _ in queries]
        for start in range(0, len(asked), _QUERIES_AT_ONCE):
            places = asked[start : start + _QUERIES_AT_ONCE]
            rows = self.client.search(
                self.collection,
                data=[" ".join(dict.fromkeys(queries[place])) for place in places],
                anns_field="terms",
                limit=k + _SPARE,
                search_params={"metric_type": "BM25"},
            )
            for place, hits in zip(places, rows, strict=True):
                # milvus-lite gives BM25 as a distance, which is below zero; servers give the score.
                result[place] = _best([(hit["id"], abs(hit["distance"]) / _FACTOR) for hit in hits], k)
        return result


@dataclass(frozen=True, slots=True, eq=False)
class _Nearest:
    """Cosines by Milvus's search over unit vectors."""

    client: MilvusClient
    collection: str
    count: int

    def search(self, vectors: Vectors, k: int) -> list[list[Hit]]:
        asked = [index for index, vector in enumerate(vectors) if vector.any()]
        result: list[list[Hit]] = [[] for _ in vectors]
        for start in range(0, len(asked), _QUERIES_AT_ONCE):
            places = asked[start : start + _QUERIES_AT_ONCE]
            rows = self.client.search(
                self.collection,
                data=[vectors[place].tolist() for place in places],
                anns_field="vector",
                limit=k + _SPARE,
                search_params={"metric_type": "IP", "params": {"nprobe": cells_searched(self.count)}},
            )
            for place, hits in zip(places, rows, strict=True):
                result[place] = _best([(hit["id"], hit["distance"]) for hit in hits], k)
        return result


def _best(hits: Sequence[tuple[int, float]], k: int) -> list[Hit]:
    rounded = [Hit(int(number), round(float(score), 4)) for number, score in hits]
    return sorted(rounded, key=lambda hit: (-hit.score, hit.document))[:k]


def _fill(
    client: MilvusClient, name: str, repository: Repository, progress: Progress, *, local: bool
) -> None:
    """Make the collection and send what it does not hold yet, in the order of the utterances."""
    if not client.has_collection(name):
        _create(client, name, repository, local=local)
    done = int(client.get_collection_stats(name)["row_count"])
    vectors = (row for chunk in repository.vectors.stored_units() for row in chunk)
    rest = islice(zip(repository.all_texts(), vectors, strict=True), done, None)
    while batch := list(islice(rest, _ROWS_AT_ONCE)):
        client.insert(
            name,
            [
                {"id": done + index, "words": " ".join(words(text)), "vector": vector.tolist()}
                for index, (text, vector) in enumerate(batch)
            ],
        )
        done += len(batch)
        progress.advance(len(batch))
    client.flush(name)
    client.load_collection(name)


def _create(client: MilvusClient, name: str, repository: Repository, *, local: bool) -> None:
    """Make the collection: words with BM25, and vectors with the inner product."""
    indexes = _indexes(len(repository), local=local)
    schema = _schema(len(repository.vectors.component))
    client.create_collection(name, schema=schema, index_params=indexes, consistency_level="Strong")


def _schema(dimensions: int) -> Any:
    from pymilvus import DataType, Function, FunctionType, MilvusClient

    schema = MilvusClient.create_schema(auto_id=False)
    schema.add_field("id", DataType.INT64, is_primary=True)
    # Our words joined by spaces, in which the standard tokeniser finds the same words again.
    schema.add_field(
        "words",
        DataType.VARCHAR,
        max_length=_LONGEST,
        enable_analyzer=True,
        analyzer_params={"tokenizer": "standard"},
    )
    schema.add_field("terms", DataType.SPARSE_FLOAT_VECTOR)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dimensions)
    schema.add_function(
        Function(
            name="bm25",
            function_type=FunctionType.BM25,
            input_field_names=["words"],
            output_field_names=["terms"],
        )
    )
    return schema


def _indexes(utterances: int, *, local: bool) -> Any:
    from pymilvus import MilvusClient

    indexes = MilvusClient.prepare_index_params()
    settings = {"bm25_k1": 1.2, "bm25_b": 0.75}
    # pymilvus passes settings on one by one; milvus-lite 3.2 reads only those in a group called params.
    indexes.add_index(
        "terms",
        index_type="SPARSE_INVERTED_INDEX",
        metric_type="BM25",
        params={"params": settings} if local else settings,
    )
    if utterances <= FLAT_UP_TO:
        indexes.add_index("vector", index_type="FLAT", metric_type="IP")
    else:
        cells = {"nlist": cells_for(utterances)}
        indexes.add_index("vector", index_type="IVF_SQ8", metric_type="IP", params=cells)
    return indexes


@contextmanager
def _logging_left_alone() -> Iterator[None]:
    """Without the logging set-up that pymilvus does when imported, which closes every handler of the process.

    absl's handler then closes its stream as well, should that no longer be the standard one.
    """
    before = logging.config.dictConfig
    logging.config.dictConfig = lambda config: None
    try:
        yield
    finally:
        logging.config.dictConfig = before


def _release(uri: str) -> None:
    """Stop the server that milvus-lite runs in this process, so that others may open the file."""
    from milvus_lite.server_manager import server_manager_instance

    server_manager_instance.release_server(uri)


@contextmanager
def _quiet_server() -> Iterator[None]:
    """Without the tracebacks that milvus-lite logs of calls it has no answer to, and which pymilvus allows for."""
    logger = logging.getLogger("grpc._server")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def _digest(repository: Repository) -> str:
    """Return what tells this repository from any other: its account of itself, and that of its vectors."""
    accounts = [repository.folder / "repository.json", repository.vectors.folder / "facts.json"]
    return hashlib.sha256(b"\n".join(path.read_bytes() for path in accounts)).hexdigest()
