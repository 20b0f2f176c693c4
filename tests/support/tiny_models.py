"""Tiny models with random weights, saved as users save theirs."""

from __future__ import annotations

from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

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


def causal_folder(root: Path) -> Path:
    """A causal model of a window of 256 tokens."""
    torch.manual_seed(7)
    words = tokenizer()
    return save(root / "causal", llama(words), words)


def seq2seq_folder(root: Path) -> Path:
    """An encoder-decoder of a window of 128 tokens, whose tokenizer puts tokens around every text."""
    torch.manual_seed(7)
    words = tokenizer(framed=True)
    small = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4}
    small |= {"decoder_attention_heads": 4, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48}
    config = transformers.BartConfig(
        vocab_size=len(words),
        max_position_embeddings=128,
        decoder_start_token_id=2,
        forced_eos_token_id=None,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        **small,
    )
    return save(root / "seq2seq", transformers.BartForConditionalGeneration(config), words)
