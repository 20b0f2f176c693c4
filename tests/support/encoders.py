"""The embedded encoder, and a tiny RoBERTa."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import pytest

from dialeval.encoder import Encoder, Weights, find_encoder, load_encoder
from dialeval.errors import ResourceUnavailable
from dialeval.resources.huggingface import quiet_transformers

CARRIERS: Final = Path(sys.prefix) / "carriers"
"""What `make test` installs of release/carriers.lock."""


@pytest.fixture(scope="session")
def minilm() -> Weights:
    """The embedded encoder's files."""
    try:
        return find_encoder("minilm")
    except ResourceUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture
def deberta(monkeypatch: pytest.MonkeyPatch) -> Weights:
    """The files of the larger base, whose carrier lies beside the packages, installed for one test."""
    monkeypatch.syspath_prepend(str(CARRIERS))
    try:
        return find_encoder("deberta")
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


NLI: Final = {0: "ENTAILMENT", 1: "NEUTRAL", 2: "CONTRADICTION"}


def make_classifier(base: Path, folder: Path, labels: dict[int, str]) -> Path:
    """A RoBERTa classifier with random weights, and the tokenizer of another tiny one."""
    import torch
    from transformers import AutoTokenizer, RobertaConfig, RobertaForSequenceClassification

    config = RobertaConfig.from_pretrained(base, num_labels=len(labels), id2label=labels)
    torch.manual_seed(0)
    RobertaForSequenceClassification(config).eval().save_pretrained(folder)
    AutoTokenizer.from_pretrained(base).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def roberta(tmp_path_factory: pytest.TempPathFactory, minilm: Weights) -> Path:
    """The folder of a tiny RoBERTa; needs ``minilm`` only because that skips where torch is not installed."""
    return make_roberta(tmp_path_factory.mktemp("models") / "tiny-roberta")


def make_small(folder: Path, kind: str, **settings: object) -> Path:
    """A tiny DeBERTa (``deberta-v2``) or MPNet (``mpnet``) with random weights and a tokenizer of its own."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import AutoConfig, AutoModel, PreTrainedTokenizerFast

    begin, end, pad = ("<s>", "</s>", "<pad>") if kind == "mpnet" else ("[CLS]", "[SEP]", "[PAD]")
    special = [begin, pad, end, "[UNK]"] if kind == "mpnet" else [pad, begin, end, "[UNK]"]
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    texts = ["the cat sat on the mat", "where can I park? behind the house, I'd say"]
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=120, special_tokens=special))
    numbered = [(name, tokenizer.token_to_id(name)) for name in (begin, end)]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}", special_tokens=numbered
    )
    names = {"cls_token": begin, "sep_token": end, "pad_token": pad, "unk_token": "[UNK]"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **names).save_pretrained(folder)
    torch.manual_seed(0)
    shape = {"vocab_size": 120, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4}
    own = {
        "mpnet": {"max_position_embeddings": 66, "relative_attention_num_buckets": 32},
        "deberta-v2": {
            "max_position_embeddings": 64,
            "position_buckets": 8,
            "relative_attention": True,
            "share_att_key": True,
            "position_biased_input": False,
            "type_vocab_size": 0,
            "pos_att_type": ["p2c", "c2p"],
            "norm_rel_ebd": "layer_norm",
            "layer_norm_eps": 1e-7,
        },
    }[kind]
    config = AutoConfig.for_model(
        kind, **shape, intermediate_size=40, initializer_range=0.3, **{**own, **settings}
    )
    with quiet_transformers():
        model = AutoModel.from_config(config)
    with torch.no_grad():  # biases and scales begin as 0 and 1, where a graph could leave them out
        for weight in model.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    model.save_pretrained(folder)
    return folder
