"""Milvus finds what the local indexes find."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dialeval.errors import RunFailed
from dialeval.selection.drafting.retrieval import CandidateRules, retrieve
from dialeval.selection.repository.words import content_words
from support.repositories import LINES, Count, small_repository

pytest.importorskip("milvus_lite")
from dialeval.selection.repository.milvus import milvus_engine

ANY_LENGTH = CandidateRules(shortest=0, longest=100)
TEXTS = (
    "I lost the car near the park last week.",
    "Do I have to focus it?",
    "The camera isn't on the table.",
    "Is it?",
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return small_repository(tmp_path_factory.mktemp("small"), [*LINES, "It isn't John's camera, is it?"])


def test_milvus_and_the_local_indexes_agree(repository, tmp_path):
    queries = [content_words(text) for text in TEXTS]
    vectors = repository.vectors.units(list(TEXTS))
    with milvus_engine(repository, str(tmp_path / "milvus.db")) as engine:
        for ours, theirs in (
            (repository.engine.lexical.search(queries, 5), engine.lexical.search(queries, 5)),
            (repository.engine.nearest.search(vectors, 5), engine.nearest.search(vectors, 5)),
        ):
            for one, other in zip(ours, theirs, strict=True):
                assert [hit.document for hit in other] == [hit.document for hit in one]
                assert [hit.score for hit in other] == pytest.approx([hit.score for hit in one], abs=1e-3)
        assert [
            [one.id for one in found]
            for found in retrieve(repository, TEXTS, m=4, engine=engine, rules=ANY_LENGTH)
        ] == [[one.id for one in found] for found in retrieve(repository, TEXTS, m=4, rules=ANY_LENGTH)]


def test_a_second_opening_sends_nothing_again(repository, tmp_path):
    counts = [Count(), Count()]
    for count in counts:
        with milvus_engine(repository, str(tmp_path / "milvus.db"), progress=count) as engine:
            assert engine.lexical.search([["tennis"]], 1)[0]
    assert [count.done for count in counts] == [len(repository), 0]


def test_an_address_where_no_milvus_is_ends_with_a_hint(repository):
    with pytest.raises(RunFailed, match="Check the address"), milvus_engine(repository, "http://127.0.0.1:1"):
        pass


LOGGED = """
import logging, sys
from pathlib import Path
from dialeval.errors import RunFailed
from dialeval.selection.repository.milvus import milvus_engine
from dialeval.selection.repository.repository import Repository
handler = logging.FileHandler(sys.argv[2])
try:
    with milvus_engine(Repository.open(Path(sys.argv[1])), "http://127.0.0.1:1"):
        pass
except RunFailed:
    print("open" if handler.stream else "closed")
"""


@pytest.mark.slow
def test_what_a_process_logs_to_stays_open(repository, tmp_path):
    command = [sys.executable, "-c", LOGGED, str(repository.folder), str(tmp_path / "log.txt")]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "open\n"


def test_another_may_open_the_file_once_it_is_closed(repository, tmp_path):
    fcntl = pytest.importorskip("fcntl")
    with milvus_engine(repository, str(tmp_path / "milvus.db")):
        (lock,) = (tmp_path / "milvus.db").glob("LOCK*")
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
