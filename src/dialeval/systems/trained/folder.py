"""The folder of a trained generator: network, weights, subwords, card and marker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import torch

from dialeval.systems.trained.config import LAYOUT, Architecture, Shape, TrainConfig, read_config
from dialeval.systems.trained.convolutional import Convolutional
from dialeval.systems.trained.network import Network
from dialeval.systems.trained.recurrent import Recurrent
from dialeval.systems.trained.subwords import Subwords, load_subwords
from dialeval.systems.trained.transformer import Transformer
from dialeval.training.checkpoint import Evaluation
from dialeval.training.folder import FORMAT, Card
from dialeval.training.history import cells_of, columns_of, count_weights, perplexity
from dialeval.training.loop import Fitted
from dialeval.version import __version__

ARCHITECTURES: Final[Mapping[Architecture, Callable[[Shape, int], Network]]] = {
    "gru": Recurrent,
    "lstm": Recurrent,
    "convs2s": Convolutional,
    "transformer": Transformer,
}


def build(shape: Shape, vocabulary: int, seed: int) -> Network:
    """A network that has learnt nothing; its weights follow from the seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return ARCHITECTURES[shape.architecture](shape, vocabulary)


@dataclass(frozen=True, slots=True)
class Origin:
    """The data and the model that a model was made from."""

    train_sha256: str
    train_lessons: int
    held_out_sha256: str
    held_out_lessons: int
    start: str | None = None
    """sha256 of the model that it started from; None where it was trained from scratch."""


def write_generator(
    folder: Path, network: Network, subwords: Subwords, config: TrainConfig, origin: Origin, fitted: Fitted
) -> None:
    """Write the model; its marker comes last, so that where it is, all is."""
    about = {"model": LAYOUT.kind, "vocabulary": len(subwords), "parameters": count_weights(network)}
    about |= description(config, origin, fitted)
    LAYOUT.write(folder, about, network, subwords.save(), _card(about))


def read_generator(folder: Path) -> tuple[Network, Subwords, TrainConfig]:
    """The folder's model, its subwords and how it was trained."""
    config, subwords = read_config(folder), load_subwords(folder / LAYOUT.vocabulary)
    network = build(config.shape, len(subwords), 0)
    LAYOUT.load_weights(folder, network)
    return network.eval(), subwords, config


def description(config: TrainConfig, origin: Origin, fitted: Fitted) -> dict[str, Any]:
    """How a model came about, for machines; no times, so that the same training gives the same bytes."""
    return {
        "format": FORMAT,
        "dialeval": __version__,
        "data": asdict(origin),
        "train": config.as_json(),
        "ending": fitted.ending,
        "best": evaluation_row(fitted.best),
        "looks": [evaluation_row(evaluation) for evaluation in fitted.history],
    }


def evaluation_row(evaluation: Evaluation) -> dict[str, float | None]:
    """An evaluation for machines; per token, and without its time."""
    train, held_out = evaluation.train, evaluation.held_out or {}
    return {
        "epoch": round(evaluation.epoch, 4),
        "updates": evaluation.updates,
        "train_nats": train["nats"],
        "train_unlikelihood": train.get("unlikelihood"),
        "held_out_nats": held_out.get("nats"),
        "held_out_unlikelihood": held_out.get("unlikelihood"),
        "held_out_perplexity": perplexity(evaluation),
    }


def _card(about: Mapping[str, Any]) -> Card:
    train, data = about["train"], about["data"]
    plain = {key: value for key, value in train.items() if key not in ("shape", "schedule")}
    return Card(
        f"Response generator ({train['shape']['architecture']})",
        f"An encoder-decoder with {about['parameters']:,} weights and {about['vocabulary']:,} subwords.\n"
        f"Trained with dialeval {about['dialeval']}.\n"
        "In a study: `{name: mine, kind: trained, path: THIS FOLDER}`.",
        f"Data: {data['train_lessons']} responses in context, sha256 `{data['train_sha256']}`,\n"
        f"and {data['held_out_lessons']} held out, sha256 `{data['held_out_sha256']}`.",
        {**train["shape"], **plain, **train["schedule"]},
        columns_of("token"),
        cells_of(about["looks"]),
    )
