from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dialeval.errors import ResourceUnavailable
from dialeval.metrics.embedding.sources import encoder_vectors, read_tensor


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
