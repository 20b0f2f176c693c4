"""Tiny language models, and what they make of a text one by one, as the libraries compute it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import transformers

from support.tiny_models import causal_folder, seq2seq_folder

Logprob = Callable[[str, str], float]
"""Mean log-probability per token of the second text after the first."""


@pytest.fixture(scope="session")
def causal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a causal model."""
    return causal_folder(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
def seq2seq(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an encoder-decoder."""
    return seq2seq_folder(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
def after(causal: Path) -> Logprob:
    """By one pass of the model for each pair, straight from transformers."""
    words = transformers.AutoTokenizer.from_pretrained(causal)
    model = transformers.AutoModelForCausalLM.from_pretrained(causal).eval()

    def mean(before: str, said: str) -> float:
        prefix, response = (words(text, add_special_tokens=False)["input_ids"] for text in (before, said))
        with torch.inference_mode():
            logits = model(torch.tensor([prefix + response])).logits[0, len(prefix) - 1 : -1]
        return float(logits.log_softmax(-1).gather(1, torch.tensor(response)[:, None]).mean())

    return mean
