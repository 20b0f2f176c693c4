"""The embedded encoder, and a tiny RoBERTa."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialeval.encoder import Encoder, Weights, find_encoder, load_encoder
from dialeval.errors import ResourceUnavailable


@pytest.fixture(scope="session")
def minilm() -> Weights:
    """The embedded encoder's files."""
    try:
        return find_encoder("minilm")
    except ResourceUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def encoder(minilm: Weights) -> Encoder:
    """The embedded encoder, loaded."""
    return load_encoder(minilm)


def make_roberta(folder: Path) -> Path:
    """A tiny RoBERTa with random weights and a byte-level tokenizer, as a user's own model would lie on disk."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaConfig, RobertaModel, RobertaTokenizerFast

    trainer = ByteLevelBPETokenizer()
    words = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer.train_from_iterator(
        ["the cat sat on the mat", "where is it?"], vocab_size=300, special_tokens=words
    )
    folder.mkdir(exist_ok=True)
    trainer.save_model(str(folder))
    RobertaTokenizerFast.from_pretrained(folder, model_max_length=40).save_pretrained(folder)
    torch.manual_seed(0)
    config = RobertaConfig(
        vocab_size=400,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=42,
    )
    RobertaModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def roberta(tmp_path_factory: pytest.TempPathFactory, minilm: Weights) -> Path:
    """The folder of a tiny RoBERTa; needs ``minilm`` only because that skips where torch is not installed."""
    return make_roberta(tmp_path_factory.mktemp("models") / "tiny-roberta")
