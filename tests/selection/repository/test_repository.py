"""Repositories on disk: what is kept, what is used again, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dialeval.errors import BadInput, ResourceUnavailable, Unsuitable
from dialeval.resources import check
from dialeval.selection.repository.repository import Repository, build_repository
from dialeval.selection.repository.utterances import Filters
from dialeval.selection.repository.vector_store import VectorStore
from support.repositories import LINES, Count, drawn_vectors, small_repository


def times(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_repository_keeps_its_utterances_in_order(tmp_path):
    repository = small_repository(tmp_path)
    assert list(repository.all_texts()) == list(LINES)
    assert repository.texts([3, 0]) == [LINES[3], LINES[0]]
    assert repository.texts([]) == []
    assert len(repository) == len(LINES)


def test_a_second_build_builds_nothing(tmp_path):
    first, second = Count(), Count()
    small_repository(tmp_path, progress=first)
    before = times(tmp_path / "repository")
    small_repository(tmp_path, progress=second)
    assert first.done == 3 * len(LINES)
    assert second.done == 0
    assert times(tmp_path / "repository") == before


def test_another_filter_builds_all_of_it_anew(tmp_path):
    small_repository(tmp_path)
    shorter = small_repository(tmp_path, filters=Filters(min_words=2, max_words=6))
    assert shorter.facts.dropped == {"more than 6 words": 6}
    assert len(shorter) == len(LINES) - 6
    assert shorter.engine.nearest.search(shorter.vectors.units(["tennis"]), 20)[0][-1].document < len(shorter)


def test_a_changed_source_builds_all_of_it_anew(tmp_path):
    small_repository(tmp_path)
    assert len(small_repository(tmp_path, LINES[:5])) == 5


def test_other_vectors_leave_the_utterances_and_the_words_alone(tmp_path):
    small_repository(tmp_path)
    before, folder = times(tmp_path / "repository"), tmp_path / "repository"
    count = Count()
    small_repository(tmp_path, words=drawn_vectors(tmp_path / "wider", dimensions=12), progress=count)
    changed = {path for path, time in times(folder).items() if before.get(path) != time}
    assert count.done == len(LINES)
    assert {Path(path).parent for path in changed} == {folder / "vectors"}
    assert Repository.open(folder).vectors.component.shape == (12,)


def test_what_was_lost_is_made_again(tmp_path):
    repository = small_repository(tmp_path)
    asked = repository.vectors.units(["The tennis courts"])
    before = repository.engine.nearest.search(asked, 5)
    (tmp_path / "repository" / "vectors" / "averages.npy").unlink()
    with pytest.raises(BadInput, match="build_repository"):
        Repository.open(tmp_path / "repository")
    again = small_repository(tmp_path)
    assert again.engine.nearest.search(asked, 5) == before


def test_an_interrupted_encoding_goes_on_after_its_last_whole_chunk(tmp_path, monkeypatch):
    monkeypatch.setattr("dialeval.selection.repository.vector_store._CHUNK", 4)
    whole = small_repository(tmp_path / "whole")
    averages = np.load(whole.vectors.folder / "averages.npy")

    class Killed(Exception):
        pass

    class Killer(Count):
        def advance(self, n: int, /) -> None:
            super().advance(n)
            if self.done == 2 * len(LINES) + 8:
                raise Killed

    with pytest.raises(Killed):
        small_repository(tmp_path / "cut", progress=Killer())
    part = tmp_path / "cut" / "repository" / "vectors" / "averages.part"
    # As if a power cut had left half a row.
    part.write_bytes(part.read_bytes() + b"123")
    rest = Count()
    resumed = small_repository(tmp_path / "cut", progress=rest)
    assert rest.done == len(LINES) - 8
    assert np.array_equal(np.load(resumed.vectors.folder / "averages.npy"), averages)


def test_an_interrupted_reading_leaves_no_repository(tmp_path):
    class Stopped(Exception):
        pass

    class Stopper(Count):
        def advance(self, n: int, /) -> None:
            raise Stopped

    with pytest.raises(Stopped):
        small_repository(tmp_path, progress=Stopper())
    with pytest.raises(BadInput, match="no whole repository"):
        Repository.open(tmp_path / "repository")
    assert len(small_repository(tmp_path)) == len(LINES)


def test_the_account_names_sources_and_what_was_dropped(tmp_path):
    apart = tmp_path / "evaluation.txt"
    apart.write_text("the camera is on the TABLE !\n", encoding="utf-8")
    repository = small_repository(tmp_path, [*LINES, LINES[0], "Yes."], exclude=[apart])
    account = json.loads((repository.folder / "repository.json").read_text())
    assert account["kept"] == len(LINES) - 1
    assert account["dropped"] == {"excluded": 1, "fewer than 2 words": 1, "repeated": 1}
    assert set(account["sources"]) == {"lines.txt"}
    assert set(account["excluded"]) == {"evaluation.txt"}
    assert LINES[3] not in set(repository.all_texts())


def test_files_of_one_name_are_told_apart(tmp_path):
    paths = [tmp_path / folder / "train.txt" for folder in ("a", "b")]
    for at, path in enumerate(paths):
        path.parent.mkdir()
        path.write_text(f"This is line number {at}.\n")
    built = build_repository(paths, tmp_path / "out", vectors="static", words=drawn_vectors(tmp_path / "v"))
    assert list(built.facts.sources) == [str(path) for path in paths]
    assert len(built) == 2


def test_large_repositories_are_searched_in_cells(tmp_path):
    repository = small_repository(tmp_path, flat_up_to=5)
    assert (repository.vectors.folder / "cells.faiss").is_file()
    hits = repository.engine.nearest.search(repository.vectors.units([LINES[5]]), 1)
    assert hits[0][0].score > 0.9


@pytest.mark.parametrize(
    ("lines", "expected"), [([], "none at all"), (["Yes.", "No."], "2 fewer than 2 words")]
)
def test_a_repository_of_nothing_is_refused_with_the_reason(tmp_path, lines, expected):
    with pytest.raises(Unsuitable, match=expected):
        small_repository(tmp_path, lines)


def test_no_sources_and_missing_sources_are_refused(tmp_path):
    with pytest.raises(Unsuitable, match="at least one file"):
        build_repository([], tmp_path / "out")
    with pytest.raises(BadInput, match="no such file"):
        build_repository([tmp_path / "absent.txt"], tmp_path / "out")


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    source, out = tmp_path / "lines.txt", tmp_path / "thesis"
    source.write_text("\n".join(LINES))
    out.mkdir()
    (out / "chapter1.tex").write_text("Once upon a time")
    with pytest.raises(BadInput, match=r"chapter1\.tex"):
        build_repository([source], out, vectors="static")
    assert (out / "chapter1.tex").read_text() == "Once upon a time"


def test_an_account_that_is_not_ours_is_refused(tmp_path):
    (tmp_path / "repository.json").write_text('{"format": 1, "filters": 3}')
    with pytest.raises(BadInput, match="other content, expected the record of a repository"):
        Repository.open(tmp_path)


@pytest.mark.parametrize("lost", ["component.npy", "facts.json", "averages.npy"])
def test_a_repository_without_all_its_vectors_does_not_open(tmp_path, lost):
    folder = small_repository(tmp_path).folder
    (folder / "vectors" / lost).unlink()
    with pytest.raises(BadInput, match="no vectors of all utterances"):
        Repository.open(folder)


def test_utterances_that_were_lost_are_written_again(tmp_path):
    folder = small_repository(tmp_path).folder
    (folder / "utterances.parquet").unlink()
    with pytest.raises(BadInput, match=r"no whole repository.*'dialeval select build'"):
        Repository.open(folder)
    assert list(small_repository(tmp_path).all_texts()) == list(LINES)


@pytest.mark.parametrize("broken", ["utterances.parquet", "lexical/meta.json"])
def test_a_file_that_was_cut_short_is_told(tmp_path, broken):
    folder = small_repository(tmp_path).folder
    (folder / broken).write_bytes((folder / broken).read_bytes()[:20])
    with pytest.raises(BadInput, match="no whole repository"):
        Repository.open(folder)


def test_utterances_of_another_build_do_not_open(tmp_path):
    folder, other = small_repository(tmp_path).folder, small_repository(tmp_path / "b", LINES[:5]).folder
    (folder / "utterances.parquet").write_bytes((other / "utterances.parquet").read_bytes())
    with pytest.raises(BadInput, match="no whole repository"):
        Repository.open(folder)


def test_two_builds_in_one_folder_do_not_meet(tmp_path):
    class Rival(Count):
        refused = 0

        def advance(self, n: int, /) -> None:
            with pytest.raises(BadInput, match="another process that builds here"):
                small_repository(tmp_path, LINES[:5])
            small_repository(tmp_path / "elsewhere", LINES[:5])
            (tmp_path / "lines.txt").write_text("\n".join(LINES) + "\n", encoding="utf-8")
            self.refused += 1

    rival = Rival()
    assert list(small_repository(tmp_path, progress=rival).all_texts()) == list(LINES)
    assert rival.refused
    assert len(small_repository(tmp_path, LINES[:5])) == 5


def test_an_encoder_that_is_not_there_is_named_with_a_way_out(tmp_path):
    with pytest.raises(ResourceUnavailable, match="ask for static vectors"):
        small_repository(tmp_path, vectors="reranked", encoder=str(tmp_path / "absent"))


def test_vectors_of_too_few_utterances_are_refused(tmp_path):
    repository = small_repository(tmp_path)
    with pytest.raises(BadInput, match="no vectors of all utterances"):
        VectorStore.open(repository.vectors.folder, len(LINES) + 1)


def test_every_utterance_may_be_encoded_in_context(tmp_path):
    status = check("all-minilm-l6-v2", verify=False)
    if status.path is None:
        pytest.skip(status.detail)
    repository = small_repository(tmp_path, vectors="contextual")
    assert repository.vectors.component.shape == (384,)
    for at, hits in enumerate(repository.engine.nearest.search(repository.vectors.units(list(LINES)), 2)):
        assert hits[0].document == at
        assert hits[0].score == pytest.approx(1, abs=2e-3)
        assert hits[1].score < 0.95
