"""A Hugging Face model behind the documented server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from support.documented_server import Row


class ServedModel:
    """A causal model from a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.name = name
        self.tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self.model = AutoModelForCausalLM.from_pretrained(
            folder, local_files_only=True, dtype=torch.float32
        ).eval()

    def encode(self, text: str) -> list[int]:
        return self.tokenizer(text, add_special_tokens=False)["input_ids"]

    def decode(self, token: int) -> str:
        return self.tokenizer.decode([token])

    def chat(self, messages: list[dict[str, str]], cue: bool, go_on: bool) -> str:
        return self.tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=cue, continue_final_message=go_on
        )

    def after(self, tokens: Sequence[int]) -> Sequence[Row]:
        import torch

        with torch.inference_mode():
            return self.model(torch.tensor([list(tokens)])).logits[0].double().log_softmax(-1).numpy()


def log_probability(served: ServedModel, before: str, written: str) -> tuple[float, int]:
    """The sum over ``written``'s tokens after ``before``'s, by the library's own loss, and their number."""
    import torch

    first, second = served.encode(before), served.encode(written)
    labels = torch.tensor([[-100] * len(first) + second])
    with torch.inference_mode():
        loss = served.model(torch.tensor([first + second]), labels=labels).loss
    return -float(loss) * len(second), len(second)
