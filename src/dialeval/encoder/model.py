"""Hugging Face encoders, loaded once a process and run so that a text's company does not change its vectors.

Importing this module brings neither torch nor transformers; ``load_encoder`` does. Weights come from safetensors
alone, and no code that lies beside them is run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from dialeval.encoder.files import Weights
from dialeval.encoder.quiet import quiet_transformers
from dialeval.errors import ResourceUnavailable

if TYPE_CHECKING:
    import torch

Vectors: TypeAlias = NDArray[np.float32]

_TEXTS_AT_ONCE: Final = 64
_TOKENS_AT_ONCE: Final = 8192
# Byte pairs tell a word after a blank from one at the start; bert-score puts a blank before every text.
_BLANK_FIRST: Final = ("roberta", "gpt2")


class _Tokenizer(Protocol):
    """What we use of a transformers tokenizer."""

    model_max_length: int
    pad_token_id: int | None
    cls_token_id: int | None
    sep_token_id: int | None

    def __call__(
        self, texts: list[str], *, truncation: bool, max_length: int, return_attention_mask: bool
    ) -> dict[str, list[list[int]]]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Encoder:
    """A tokenizer and a model that turn texts into vectors."""

    tokenizer: _Tokenizer
    model: torch.nn.Module
    longest: int
    """Tokens the model can take, special ones included; longer texts are cut."""

    def tokens(self, texts: Sequence[str], *, longest: int | None = None) -> list[list[int]]:
        """The ids of each text's tokens, special ones included."""
        if not texts:
            return []
        most = min(self.longest, longest or self.longest)
        coded = self.tokenizer(list(texts), truncation=True, max_length=most, return_attention_mask=False)
        return coded["input_ids"]

    def states(
        self,
        tokens: Sequence[Sequence[int]],
        *,
        layer: int | None = None,
        keep: Callable[[Vectors], Vectors] = np.copy,
    ) -> list[Vectors]:
        """What ``keep`` makes of each text's vectors, one per token: the output of ``layer``, or of the last.

        Texts of like length run together. Padding is masked, so a text's vectors are the same in any company but
        for rounding, about 1e-6. What is kept should be a copy, or a short text keeps its whole batch alive.
        """
        found: dict[int, Vectors] = {}
        for positions in _batches([len(ids) for ids in tokens]):
            states = self._run([tokens[at] for at in positions], layer)
            for at, own in zip(positions, states, strict=True):
                found[at] = keep(own[: len(tokens[at])])
        return [found[at] for at in range(len(tokens))]

    def _run(self, batch: Sequence[Sequence[int]], layer: int | None) -> Vectors:
        import torch

        ids = torch.full((len(batch), max(map(len, batch))), self.tokenizer.pad_token_id or 0)
        mask = torch.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            mask[row, : len(tokens)] = 1
        with torch.inference_mode():
            out = self.model(input_ids=ids, attention_mask=mask, output_hidden_states=layer is not None)
            states = out.last_hidden_state if layer is None else out.hidden_states[layer]
        return cast(Vectors, states.numpy())


@lru_cache(maxsize=2)
def load_encoder(weights: Weights) -> Encoder:
    """The encoder of these weights, in 32-bit floats on the CPU; loaded once a process."""
    import torch

    blank = {"add_prefix_space": True} if weights.setting("config.json", "model_type") in _BLANK_FIRST else {}
    local = {"local_files_only": True, "trust_remote_code": False}
    with quiet_transformers() as transformers:
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(weights.folder, **local, **blank)
            model = transformers.AutoModel.from_pretrained(
                weights.folder, **local, use_safetensors=True, dtype=torch.float32
            )
        # Whatever the library raises about files that are no model, which changes with its versions.
        except Exception as error:
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise ResourceUnavailable(
                f"No encoder could be loaded from {weights.folder}: {reason.rstrip('.')}. Check that the folder "
                "holds config.json, a tokenizer and the safetensors of one model."
            ) from error
    if model.config.is_encoder_decoder:
        model = model.get_encoder()
    return Encoder(tokenizer, model.eval(), _longest(tokenizer, weights))


def _longest(tokenizer: _Tokenizer, weights: Weights) -> int:
    positions = weights.setting("config.json", "max_position_embeddings", "n_positions")
    most = positions if isinstance(positions, int) else 512
    # RoBERTa's first position is its padding's id plus one. A tokenizer that knows its limit has allowed for that.
    return tokenizer.model_max_length if tokenizer.model_max_length <= most else most - 2


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Positions of texts of like length, at most so many texts and padded tokens at once."""
    batch: list[int] = []
    for at in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == _TEXTS_AT_ONCE or (len(batch) + 1) * lengths[at] > _TOKENS_AT_ONCE):
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch
