"""The folder of a generator: network or sentences, weights, vocabulary, card and marker."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from dialeval.nlg.generators.config import LAYOUT, TrainConfig, read_config
from dialeval.nlg.generators.network import Network
from dialeval.nlg.generators.vocabulary import Vocabulary, load_vocabulary
from dialeval.training.checkpoint import Evaluation
from dialeval.training.folder import FORMAT, Card, cells_of, columns_of, count_weights, perplexity
from dialeval.training.loop import Fitted
from dialeval.version import __version__


@dataclass(frozen=True, slots=True)
class Origin:
    """The data that a model was made from."""

    train_sha256: str
    train_sentences: int
    held_out_sha256: str
    held_out_sentences: int
    lowercase: bool
    vectors: str | None = None
    """sha256 of the word vectors that it started from."""


def build(config: TrainConfig, vocabulary: Vocabulary) -> Network:
    """A network that has learnt nothing; its weights follow from the seed."""
    sizes = (len(vocabulary.features), len(vocabulary.words), len(vocabulary.values))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.schedule.seed)
        return Network(config.shape, *sizes, unknown=config.unknown)


def write_network(
    folder: Path,
    network: Network,
    vocabulary: Vocabulary,
    config: TrainConfig,
    origin: Origin,
    fitted: Fitted,
) -> None:
    """Write a trained network; its marker comes last, so that where it is, all is."""
    about = _about(config, origin) | {
        "weights": count_weights(network),
        "ending": fitted.ending,
        "best": evaluation_row(fitted.best),
        "evaluations": [evaluation_row(evaluation) for evaluation in fitted.history],
    }
    words = f"{len(vocabulary.words):,} words, {len(vocabulary.features):,} features of acts"
    LAYOUT.write(folder, about, network, _bytes(vocabulary.as_json()), _card(about, words))


def write_sentences(folder: Path, sentences: Mapping[str, Any], config: TrainConfig, origin: Origin) -> None:
    """Write a random generator: its sentences by kind of act, and a file of weights without any."""
    about = _about(config, origin) | {"weights": 0, "evaluations": []}
    words = f"the sentences of {len(sentences):,} kinds of acts"
    LAYOUT.write(folder, about, nn.Module(), _bytes({"sentences": sentences}), _card(about, words))


def read_network(folder: Path) -> tuple[Network, Vocabulary]:
    """The folder's network and its vocabulary."""
    config, vocabulary = read_config(folder), load_vocabulary(folder / LAYOUT.vocabulary)
    network = LAYOUT.load_weights(folder, lambda: build(config, vocabulary))
    return network.eval(), vocabulary


def evaluation_row(evaluation: Evaluation) -> dict[str, float | None]:
    """An evaluation for machines, without its time."""
    return {
        "epoch": round(evaluation.epoch, 4),
        "updates": evaluation.updates,
        "train_nats": evaluation.train["nats"],
        "held_out_nats": (evaluation.held_out or {}).get("nats"),
        "held_out_perplexity": perplexity(evaluation),
    }


def _about(config: TrainConfig, origin: Origin) -> dict[str, Any]:
    """Origin of a model, for machines; no times, so that the same training gives the same bytes."""
    return {
        "model": LAYOUT.kind,
        "format": FORMAT,
        "dialeval": __version__,
        "data": asdict(origin),
        "train": config.as_json(),
    }


def _bytes(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=0) + "\n").encode()


def _card(about: Mapping[str, Any], words: str) -> Card:
    train, data = about["train"], about["data"]
    plain = {key: value for key, value in train.items() if key not in ("shape", "schedule")}
    return Card(
        f"Generator of sentences from dialogue acts ({train['shape']['model']})",
        f"{about['weights']:,} weights, {words}. Trained with dialeval {about['dialeval']}.\n"
        "Use: `dialeval nlg generate THIS_FOLDER ACTS -o OUT`;\n"
        "in a study: `{name: mine, kind: nlg, path: THIS_FOLDER}`.",
        f"Data: {data['train_sentences']} sentences with acts, sha256 `{data['train_sha256']}`,\n"
        f"and {data['held_out_sentences']} held out, sha256 `{data['held_out_sha256']}`.",
        {**train["shape"], **plain, **train["schedule"]},
        columns_of("word"),
        cells_of(about["evaluations"]),
    )
