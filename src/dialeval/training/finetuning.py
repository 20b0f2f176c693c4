"""Fine-tuning of an encoder with a head on top, all of its weights or low-rank changes of them (Hu et al., 2022)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from dialeval.encoder.adapters import ABOUT, DOWN, HEAD, UP, WHOLE, About, find_adapter
from dialeval.encoder.files import EMBEDDED, Weights, find_encoder
from dialeval.encoder.model import Encoder, Fit, load_encoder, load_torch, segment_ids
from dialeval.errors import BadInput
from dialeval.files.foreign import weights_path
from dialeval.resources.device import Precision, autocast, device_of
from dialeval.training.schedule import Schedule

_WORDS: Final = "embeddings"
"""The vectors of words are trained only on demand: half of a small encoder, and few of them occur in one corpus."""


@dataclass(frozen=True, slots=True)
class Finetuning:
    """Settings of what is trained of an encoder, and of what it reads."""

    encoder: str = EMBEDDED
    hub: bool = False
    """Whether the encoder may be downloaded."""
    rank: int | None = 8
    """Of the changes; None to train all weights."""
    word_vectors: bool = False
    """Whether the vectors of words are trained too if all weights are."""
    alpha: float = 16.0
    """Changes are scaled by ``alpha / rank``."""
    hidden: int = 128
    """Size of the head's tanh layer."""
    dropout: float = 0.1
    """Between the encoder and the head."""
    longest: int = 128
    """Tokens that are read of a text."""
    fit: Fit = "longest"
    precision: Precision = "float32"
    """Of the encoder's products while training; weights are kept in 32 bits."""

    @property
    def scale(self) -> float:
        """By which the product of the low-rank factors is multiplied."""
        return self.alpha / self.rank if self.rank else 1.0

    def identity(self) -> dict[str, Any]:
        """Settings that must be equal for a run to be resumed."""
        settings = asdict(self)
        if not self.word_vectors:
            del settings["word_vectors"]
        return settings


@dataclass(frozen=True, slots=True)
class FinetuningConfig:
    """Everything that moves the weights of a classifier, beside the data; classifiers add settings of their own."""

    finetuning: Finetuning
    schedule: Schedule
    batch: int = 32

    def identity(self) -> dict[str, Any]:
        """Settings that must be equal for a run to be resumed."""
        settings = asdict(self)
        del settings["schedule"], settings["finetuning"]
        return {**self.finetuning.identity(), **self.schedule.identity(), **settings}

    def schedule_for(self, examples: int) -> Schedule:
        """The schedule with a warm-up of at most a tenth of the updates, and a rate that falls to 0 after the last."""
        updates = self.schedule.epochs * -(-examples // self.batch)
        warm_up = min(self.schedule.warm_up, updates // 10)
        return replace(self.schedule, warm_up=warm_up).falling(updates + 1)


class LowRank(nn.Module):
    """A linear layer that stays as it is, and a change of rank ``r`` that is learnt: x W' + scale (x A') B'."""

    def __init__(self, linear: nn.Linear, rank: int, scale: float) -> None:
        super().__init__()
        self.linear, self.scale = linear.requires_grad_(False), scale
        self.down = nn.Parameter(torch.empty(rank, linear.in_features))
        self.up = nn.Parameter(torch.zeros(linear.out_features, rank))
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))

    def forward(self, states: Tensor) -> Tensor:
        """The layer's output with the change."""
        changed = nn.functional.linear(nn.functional.linear(states, self.down), self.up)
        out: Tensor = self.linear(states) + self.scale * changed
        return out


class FinetunedEncoder(nn.Module):
    """An encoder, [first token ; mean of tokens], a tanh layer, and one logit per output; no head without outputs."""

    def __init__(self, settings: Finetuning, outputs: Sequence[str], *, seed: int = 0) -> None:
        super().__init__()
        self.settings, self.outputs = settings, tuple(outputs)
        self.weights: Weights = find_encoder(settings.encoder, hub=settings.hub)
        # The tokenizer of the encoder that will run the adapter, so that both read the same.
        self.reader: Encoder = load_encoder(self.weights)
        self.encoder = load_torch(self.weights)[1].model
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._open_weights()
            size = 2 * int(self.encoder.config.hidden_size)  # type: ignore[union-attr, arg-type]
            self.drop = nn.Dropout(settings.dropout)
            self.head = nn.ModuleDict()
            if outputs:
                self.head["hidden"] = nn.Linear(size, settings.hidden)
                self.head["out"] = nn.Linear(settings.hidden, len(self.outputs))

    def _open_weights(self) -> None:
        rank = self.settings.rank
        for name, weight in self.encoder.named_parameters():
            left = ("pooler",) if self.settings.word_vectors else (_WORDS, "pooler")
            weight.requires_grad_(rank is None and not name.startswith(left))
        if rank is None:
            return
        for name, module in list(self.encoder.named_modules()):
            if isinstance(module, nn.Linear) and not name.startswith("pooler"):
                parent = self.encoder.get_submodule(name.rpartition(".")[0])
                setattr(parent, name.rpartition(".")[2], LowRank(module, rank, self.settings.scale))

    def tokens(self, texts: Sequence[Sequence[str]]) -> list[list[int]]:
        """Token ids of texts in segments."""
        return segment_ids(self.reader, texts, longest=self.settings.longest, fit=self.settings.fit)

    def forward(self, tokens: Sequence[Sequence[int]]) -> Tensor:
        """The logits of texts given as token ids, shape (texts, outputs)."""
        return self.logits(self.pooled(tokens))

    def pooled(self, tokens: Sequence[Sequence[int]]) -> Tensor:
        """The first token's state beside the mean of all, shape (texts, 2 * size)."""
        states, mask = self.states(tokens)
        kept = mask.unsqueeze(-1).to(states.dtype)
        return torch.cat([states[:, 0], (states * kept).sum(1) / kept.sum(1)], dim=1)

    def states(self, tokens: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """The state of every token, shape (texts, tokens, size), and which tokens are not padding."""
        shape = (len(tokens), max(map(len, tokens)))
        ids, mask = np.full(shape, self.reader.tokenizer.pad_token_id or 0), np.zeros(shape, np.int64)
        for row, each in enumerate(tokens):
            ids[row, : len(each)] = each
            mask[row, : len(each)] = 1
        device = device_of(self)
        held = torch.from_numpy(mask).to(device)
        with autocast(device, self.settings.precision):
            out = self.encoder(input_ids=torch.from_numpy(ids).to(device), attention_mask=held)
        return out.last_hidden_state.float(), held

    def logits(self, pooled: Tensor) -> Tensor:
        """Logits that the head makes of pooled states."""
        out: Tensor = self.head["out"](torch.tanh(self.head["hidden"](self.drop(pooled))))
        return out

    def means(self, tokens: Sequence[Sequence[int]]) -> Tensor:
        """The mean of each text's states, shape (texts, size)."""
        pooled = self.pooled(tokens)
        return pooled[:, pooled.shape[1] // 2 :]

    def trained(self) -> dict[str, Tensor]:
        """The weights that training moves, by the names of `dialeval.encoder.adapters`."""
        tensors: dict[str, Tensor] = {}
        for name, module in self.encoder.named_modules():
            if isinstance(module, LowRank):
                tensors[f"{name}.weight{DOWN}"], tensors[f"{name}.weight{UP}"] = module.down, module.up
        if self.settings.rank is None:
            tensors |= {
                name + WHOLE: weight
                for name, weight in self.encoder.named_parameters()
                if weight.requires_grad
            }
        return tensors | {f"{HEAD}{name}": weight for name, weight in self.head.named_parameters()}


def write_adapter(path: Path, model: FinetunedEncoder, kind: str, facts: Mapping[str, Any]) -> About:
    """Write what was trained, with what is needed to run it; ``facts`` are JSON values such as a threshold."""
    settings = model.settings
    about = About(
        kind=kind,
        outputs=model.outputs,
        encoder=settings.encoder,
        sha256=model.weights.sha256,
        scale=settings.scale,
        longest=settings.longest,
        fit=settings.fit,
        facts=dict(facts),
    )
    with weights_path(path) as scratch:
        # 16 bits are enough: scores change in the third or fourth decimal place.
        halves = {name: tensor.detach().cpu().half().contiguous() for name, tensor in model.trained().items()}
        save_file(halves, scratch, metadata={ABOUT: about.text()})
    return about


def restore_adapter(model: FinetunedEncoder, path: Path) -> None:
    """Give the model the trained weights of an adapter, to train it further; it must have the same shape.

    Changes that the adapter scales differently are rescaled, so that the model begins where the adapter ended.
    """
    _restore(model, path, model.trained(), load_file(path))


def restore_encoder(model: FinetunedEncoder, path: Path) -> None:
    """Give the model an adapter's changes of the encoder and leave the head, which may be for something else."""
    own, tensors = (
        {name: weight for name, weight in each.items() if not name.startswith(HEAD)}
        for each in (model.trained(), load_file(path))
    )
    _restore(model, path, own, tensors)


def _restore(
    model: FinetunedEncoder, path: Path, own: Mapping[str, Tensor], tensors: Mapping[str, Tensor]
) -> None:
    if tensors.keys() != own.keys() or any(tensors[name].shape != own[name].shape for name in own):
        expected = f"an adapter of rank {model.settings.rank} with outputs {', '.join(model.outputs)}"
        raise BadInput(str(path), "an adapter of another shape", expected, "Give one that fits.")
    ratio = find_adapter(path).about.scale / model.settings.scale
    with torch.no_grad():
        for name, weight in own.items():
            weight.copy_(tensors[name].to(weight.dtype) * (ratio if name.endswith(UP) else 1.0))


def in_chunks(tokens: Sequence[Sequence[int]], size: int) -> Iterator[list[int]]:
    """Positions of texts of like length, ``size`` at a time, for evaluation."""
    order = sorted(range(len(tokens)), key=lambda row: len(tokens[row]))
    for start in range(0, len(order), size):
        yield order[start : start + size]


def predict(model: FinetunedEncoder, tokens: Sequence[Sequence[int]], *, size: int = 64) -> Tensor:
    """The logits of many texts, in order, without gradients; the model is left in evaluation mode."""
    model.eval()
    out = torch.zeros(len(tokens), len(model.outputs))
    with torch.inference_mode():
        for rows in in_chunks(tokens, size):
            out[rows] = model([tokens[row] for row in rows]).cpu()
    return out
