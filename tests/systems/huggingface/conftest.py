"""Tiny models with random weights, saved as users save theirs, and the embedded one where it is installed."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

from dialeval.errors import ResourceUnavailable
from dialeval.resources import obtain

TEXTS = [
    "Hello, how are you today?",
    "I am fine, thank you. And you?",
    "Would you like some tea or some coffee?",
    "No, I do not drink tea. I like milk.",
    "user assistant system",
]
CHAT = (
    "{% for m in messages %}<s>{{ m['role'] }}\n{{ m['content'] }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant\n{% endif %}"
)
STRICT = (
    "{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('roles must alternate') }}{% endif %}<s>{{ m['role'] }}\n{{ m['content'] }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant\n{% endif %}"
)


def tokenizer(template: str | None = None, *, framed: bool = False) -> transformers.PreTrainedTokenizerFast:
    """Byte pairs learnt from a few sentences; ``framed`` puts <s> and </s> around every text, as BART does."""
    plain = Tokenizer(models.BPE())
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<pad>", "<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    plain.train_from_iterator(TEXTS, trainer)
    if framed:
        plain.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
        )
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="<pad>", bos_token="<s>", eos_token="</s>"
    )
    made.chat_template = template
    return made


def save(folder: Path, model, words, *, times: int = 6) -> Path:
    """The model with weights far enough from each other that its choices are clear."""
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(times if weight.dim() > 1 else 1)
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def llama(words, **more):
    config = {
        "vocab_size": len(words),
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 256,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**(config | more)))


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
