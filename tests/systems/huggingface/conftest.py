"""Tiny models with random weights, saved as users save theirs, and the embedded one where it is installed."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import transformers

from dialeval.errors import ResourceUnavailable
from dialeval.resources import obtain
from support.tiny_models import CHAT, STRICT, llama, save, tokenizer


@pytest.fixture(scope="session")
def folders(tmp_path_factory) -> dict[str, Path]:
    """Folders of tiny models, by what is special about them."""
    torch.manual_seed(7)
    root = tmp_path_factory.mktemp("models")
    words, framed = tokenizer(), tokenizer(framed=True)
    size = len(words)
    ids = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    small = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4}
    small |= {"decoder_attention_heads": 4, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48}
    t5 = transformers.T5Config(
        vocab_size=size,
        d_model=32,
        d_kv=8,
        d_ff=48,
        num_layers=2,
        num_heads=4,
        decoder_start_token_id=0,
        **ids,
    )
    gpt2 = transformers.GPT2Config(vocab_size=size, n_embd=32, n_layer=2, n_head=4, n_positions=128, **ids)
    bart = transformers.BartConfig(
        vocab_size=size,
        max_position_embeddings=128,
        decoder_start_token_id=2,
        forced_eos_token_id=None,
        **small,
        **ids,
    )
    bloom = transformers.BloomConfig(vocab_size=size, hidden_size=32, n_layer=2, n_head=4, **ids)
    mistral = transformers.MistralConfig(
        **llama(words).config.to_dict() | {"sliding_window": 16, "head_dim": 8}
    )
    return {
        "chat": save(root / "chat", llama(words), tokenizer(CHAT)),
        "strict": save(root / "strict", llama(words), tokenizer(STRICT)),
        "llama": save(root / "llama", llama(words), words),
        "gpt2": save(root / "gpt2", transformers.GPT2LMHeadModel(gpt2), words),
        "bloom": save(root / "bloom", transformers.BloomForCausalLM(bloom), words),
        "mistral": save(root / "mistral", transformers.MistralForCausalLM(mistral), words),
        "t5": save(root / "t5", transformers.T5ForConditionalGeneration(t5), words, times=1),
        "bart": save(root / "bart", transformers.BartForConditionalGeneration(bart), framed),
    }


@pytest.fixture(scope="session")
def embedded() -> str:
    """The name of the embedded model, or skip."""
    try:
        obtain("smollm2-135m-instruct")
    except ResourceUnavailable as error:
        pytest.skip(str(error))
    return "smollm2-135m-instruct"
