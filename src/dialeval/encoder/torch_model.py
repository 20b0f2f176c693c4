"""Hugging Face encoders of any architecture on torch and transformers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from dialeval.core import Integers
from dialeval.encoder.files import Vectors, Weights
from dialeval.resources.huggingface import quiet_transformers

if TYPE_CHECKING:
    import torch

# Byte pairs tell a word after a space from one at the start; bert-score puts a space before every text.
_SPACE_FIRST: Final = ("roberta", "gpt2")


@dataclass(frozen=True, slots=True, eq=False)
class TorchModel:
    """A model of transformers in evaluation mode."""

    model: torch.nn.Module

    def states(self, ids: Integers, mask: Integers, layer: int | None) -> Vectors:
        """The output of ``layer``, or of the last, for padded ids, shape (texts, tokens, size)."""
        import torch

        inputs = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
        with torch.inference_mode():
            out = self.model(**inputs, output_hidden_states=layer is not None)
            states = out.last_hidden_state if layer is None else out.hidden_states[layer]
        return cast(Vectors, states.numpy())


class TransformersTokenizer:
    """A tokenizer of transformers."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self.model_max_length: int = tokenizer.model_max_length
        self.pad_token_id: int | None = tokenizer.pad_token_id
        self.cls_token_id: int | None = tokenizer.cls_token_id
        self.sep_token_id: int | None = tokenizer.sep_token_id

    def ids(self, texts: Sequence[str], longest: int) -> list[list[int]]:
        """Token ids of each text, special ones included, cut to ``longest``."""
        return cast(list[list[int]], self._cut(texts, longest)["input_ids"])

    def offsets(self, texts: Sequence[str], longest: int) -> list[list[tuple[int, int]]]:
        """Where each token begins and ends in its text; nowhere for special ones."""
        cut = self._cut(texts, longest, return_offsets_mapping=True)
        return cast(list[list[tuple[int, int]]], cut["offset_mapping"])

    def _cut(self, texts: Sequence[str], longest: int, **wanted: bool) -> Any:
        return self._tokenizer(
            list(texts), truncation=True, max_length=longest, return_attention_mask=False, **wanted
        )


def load_torch(weights: Weights) -> tuple[TransformersTokenizer, TorchModel]:
    """The tokenizer and the model on the CPU in 32-bit floats."""
    import torch

    spaced = (
        {"add_prefix_space": True} if weights.setting("config.json", "model_type") in _SPACE_FIRST else {}
    )
    local = {"local_files_only": True, "trust_remote_code": False}
    with quiet_transformers() as transformers:
        tokenizer = transformers.AutoTokenizer.from_pretrained(weights.folder, **local, **spaced)
        model = transformers.AutoModel.from_pretrained(
            weights.folder, **local, use_safetensors=True, dtype=torch.float32
        )
    if model.config.is_encoder_decoder:
        model = model.get_encoder()
    return TransformersTokenizer(tokenizer), TorchModel(model.eval())
