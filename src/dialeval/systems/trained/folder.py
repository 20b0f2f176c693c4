"""A trained generator on disk: weights as safetensors, subwords, a card, and a marker that says how it came about."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

from dialeval.errors import BadInput
from dialeval.files.atomic import atomic_path, write_atomically
from dialeval.systems.trained.architectures import build
from dialeval.systems.trained.checkpoint import Look, put_weights, take_weights
from dialeval.systems.trained.config import TrainConfig
from dialeval.systems.trained.fitting import Fitted
from dialeval.systems.trained.layout import CARD, FORMAT, MARKER, SUBWORDS, WEIGHTS, read_config
from dialeval.systems.trained.network import Network
from dialeval.systems.trained.subwords import Subwords, load_subwords
from dialeval.version import __version__


@dataclass(frozen=True, slots=True)
class Origin:
    """What a model was made from."""

    train_sha256: str
    train_lessons: int
    held_out_sha256: str
    held_out_lessons: int
    start: str | None = None
    """sha256 of the model that it started from; None where it started from nothing."""


def write_generator(
    folder: Path, network: Network, subwords: Subwords, config: TrainConfig, origin: Origin, fitted: Fitted
) -> None:
    """Write the model; its marker comes last, so that where it is, all is."""
    about = {"model": "generator", "vocabulary": len(subwords), "parameters": count_parameters(network)}
    about |= description(config, origin, fitted)
    write_atomically(folder / SUBWORDS, subwords.save())
    with atomic_path(folder / WEIGHTS) as scratch:
        save_file(dict(take_weights(network)), scratch)
    write_atomically(folder / CARD, _card(about).encode())
    write_atomically(folder / MARKER, (json.dumps(about, indent=2) + "\n").encode())


def read_generator(folder: Path) -> tuple[Network, Subwords, TrainConfig]:
    """The folder's model, its subwords and how it was trained."""
    config, subwords = read_config(folder), load_subwords(folder / SUBWORDS)
    network = build(config.shape, len(subwords), 0)
    try:
        put_weights(network, load_file(folder / WEIGHTS))
    except (SafetensorError, RuntimeError, KeyError, OSError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        needed = f"the weights that {MARKER} describes"
        raise BadInput(str(folder / WEIGHTS), reason, needed, "Train the model again.") from error
    return network.eval(), subwords, config


def description(config: TrainConfig, origin: Origin, fitted: Fitted) -> dict[str, Any]:
    """How a model came about, for machines; no times, so that the same training gives the same bytes."""
    return {
        "format": FORMAT,
        "dialeval": __version__,
        "data": asdict(origin),
        "train": asdict(config),
        "ending": fitted.ending,
        "best": look_row(fitted.best),
        "looks": [look_row(look) for look in fitted.looks],
    }


def count_parameters(network: nn.Module) -> int:
    """How many weights there are."""
    return sum(weight.numel() for weight in network.parameters())


def perplexity(look: Look) -> float | None:
    """Exp of the nats per token of the held-out right responses, ends counted; None where none are held out."""
    return None if look.held_out is None else math.exp(look.held_out.nats_per_token)


def look_row(look: Look) -> dict[str, float | None]:
    """A look for machines; per token, and without its time."""
    return {
        "epoch": round(look.epoch, 4),
        "updates": look.updates,
        "train_nats": look.train.nats_per_token,
        "train_unlikelihood": look.train.unlikelihood,
        "held_out_nats": look.held_out and look.held_out.nats_per_token,
        "held_out_unlikelihood": look.held_out and look.held_out.unlikelihood,
        "held_out_perplexity": perplexity(look),
    }


def _card(about: Mapping[str, Any]) -> str:
    train, data = about["train"], about["data"]
    flat = {
        **train["shape"],
        **{k: v for k, v in train.items() if k not in ("shape", "schedule")},
        **train["schedule"],
    }
    settings = "\n".join(f"| {key} | {value} |" for key, value in flat.items())
    looks = "\n".join(
        f"| {row['epoch']:g} | {row['updates']} | {row['train_nats']:.4f} | {_shown(row['held_out_nats'])} | "
        f"{_shown(row['held_out_perplexity'])} |"
        for row in about["looks"]
    )
    return f"""# Response generator ({train["shape"]["architecture"]})

An encoder-decoder with {about["parameters"]:,} weights and {about["vocabulary"]:,} subwords.
Trained with dialeval {about["dialeval"]}.
In a study: `{{name: mine, kind: trained, path: THIS FOLDER}}`.

Data: {data["train_lessons"]} responses in context, sha256 `{data["train_sha256"]}`,
and {data["held_out_lessons"]} held out, sha256 `{data["held_out_sha256"]}`.
The licence of the data governs what you may do with the weights.

| setting | value |
|---|---|
{settings}

| epoch | updates | training nats per token | held-out nats per token | held-out perplexity |
|---|---|---|---|---|
{looks}
"""


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
