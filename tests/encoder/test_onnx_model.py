from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dialeval.encoder.files import Vectors, Weights, find_encoder, runs_on_onnx
from dialeval.encoder.model import load_encoder
from dialeval.encoder.onnx_model import FastTokenizer, OnnxModel, load_onnx, load_tokenizer

pytest.importorskip("torch")
from dialeval.encoder.model import TorchModel, load_torch

TEXTS = [
    "Where can I park?",
    "  Behind the   house, I'd say -- won't you?\n",
    "",
    "東京タワー",
    "naïve café ﬁne 👍🏽",
    "word " * 300,
    "[MASK] [SEP] @user https://example.org/a?b=c",
]


@pytest.fixture(scope="module")
def small_bert(tmp_path_factory: pytest.TempPathFactory, minilm: Weights) -> Weights:
    """A BERT of another shape than the embedded one, with the embedded one's tokenizer."""
    import shutil

    import torch
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("models") / "small-bert"
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=30522,
        hidden_size=24,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=40,
        layer_norm_eps=1e-6,
    )
    BertModel(config).save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        shutil.copy(minilm.folder / name, folder / name)
    return find_encoder(str(folder))


def padded(tokenizer: FastTokenizer, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    rows = tokenizer.ids(texts, 128)
    ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(rows):
        ids[row, : len(tokens)], mask[row, : len(tokens)] = tokens, 1
    return ids, mask


def test_the_embedded_encoder_runs_without_torch(minilm: Weights) -> None:
    assert runs_on_onnx(minilm)
    assert isinstance(load_encoder(minilm).model, OnnxModel)


def test_sentence_vectors_equal_those_of_torch_to_a_millionth(minilm: Weights) -> None:
    ids, mask = padded(load_tokenizer(minilm), TEXTS)

    def units(states: Vectors) -> np.ndarray:
        means = (states * mask[..., None]).sum(axis=1) / mask.sum(axis=1)[:, None]
        return means / np.linalg.norm(means, axis=1, keepdims=True)

    ours = units(load_onnx(minilm).states(ids, mask, None))
    theirs = units(load_torch(minilm)[1].states(ids, mask, None))
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize("layer", [0, 1, 2, 3, None])
def test_every_layer_of_another_bert_equals_that_of_torch(small_bert: Weights, layer: int | None) -> None:
    ids, mask = padded(load_tokenizer(small_bert), TEXTS)
    ours = load_onnx(small_bert).states(ids, mask, layer)
    theirs = load_torch(small_bert)[1].states(ids, mask, layer)
    assert ours.shape == theirs.shape == (*ids.shape, 24)
    np.testing.assert_allclose(ours[mask == 1], theirs[mask == 1], atol=2e-6)


@pytest.mark.parametrize("longest", [8, 256])
def test_tokens_and_their_places_equal_those_of_transformers(minilm: Weights, longest: int) -> None:
    ours, theirs = load_tokenizer(minilm), load_torch(minilm)[0]
    assert ours.ids(TEXTS, longest) == theirs.ids(TEXTS, longest)
    assert ours.offsets(TEXTS, longest) == theirs.offsets(TEXTS, longest)
    for name in ("model_max_length", "pad_token_id", "cls_token_id", "sep_token_id"):
        assert getattr(ours, name) == getattr(theirs, name), name


def test_models_that_the_graph_does_not_describe_run_on_torch(roberta: Path) -> None:
    weights = find_encoder(str(roberta))
    assert not runs_on_onnx(weights)
    assert isinstance(load_encoder(weights).model, TorchModel)
