"""A trained generator in its folder and in memory.

The folder holds network, weights, subwords, card and marker. In memory it gives next tokens for search and scores
responses with each context encoded once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor

from dialeval.resources.device import find_device, wide
from dialeval.systems.tensors import normalised
from dialeval.systems.trained.config import LAYOUT, Architecture, Shape, TrainConfig, read_config
from dialeval.systems.trained.networks import (
    Convolutional,
    Network,
    Recurrent,
    Rows,
    Transformer,
    fold_norms,
    pick,
)
from dialeval.systems.trained.subwords import END, START, Subwords, Tokens, load_subwords
from dialeval.training.checkpoint import Evaluation
from dialeval.training.folder import (
    FORMAT,
    Card,
    ModelFolder,
    cells_of,
    columns_of,
    count_weights,
    perplexity,
)
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
    """sha256 of the model that it started from; None if it was trained from scratch."""


def write_generator(
    folder: Path, network: Network, subwords: Subwords, config: TrainConfig, origin: Origin, fitted: Fitted
) -> None:
    """Write the model; its marker comes last, so that if it is there, all is."""
    about = {"model": LAYOUT.kind, "vocabulary": len(subwords), "parameters": count_weights(network)}
    about |= description(config, origin, fitted)
    LAYOUT.write(folder, about, network, subwords.save(), _card(about))


def read_generator(folder: Path) -> tuple[Network, Subwords, TrainConfig]:
    """The folder's model, its subwords and how it was trained."""
    config, subwords = read_config(folder), load_subwords(folder / LAYOUT.vocabulary)
    network = LAYOUT.load_weights(folder, lambda: build(config.shape, len(subwords), 0))
    return network.eval(), subwords, config


def description(config: TrainConfig, origin: Origin, fitted: Fitted) -> dict[str, Any]:
    """Return how a model came about, for machines; no times, so that the same training gives the same bytes."""
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


_CONTEXTS: Final = 64
"""Contexts that are encoded at once, and held for their responses."""


class State(NamedTuple):
    """State that search carries from step to step."""

    memory: Rows
    past: Rows
    position: int


@dataclass(frozen=True, slots=True, eq=False)
class GeneratorModel:
    """A network as search and scoring see it."""

    network: Network

    @property
    def end(self) -> frozenset[int]:
        """The token that ends a response."""
        return frozenset({END})

    @property
    def vocabulary(self) -> int:
        """Number of tokens."""
        return self.network.vocabulary

    def start(self, prefixes: Sequence[Sequence[int]]) -> tuple[Tensor, State]:
        """Log-probabilities of the first token of each response, and the state there."""
        memory = self.network.encode(self.network.pad(prefixes))
        first = torch.full((len(prefixes),), START, device=self.network.device)
        return self.step(first, State(memory, self.network.begin(memory), 0))

    def step(self, tokens: Tensor, state: State) -> tuple[Tensor, State]:
        """Log-probabilities after one more token per row."""
        states, past = self.network.advance(state.memory, state.past, tokens, state.position)
        return normalised(self.network.logits(states)), State(state.memory, past, state.position + 1)

    def select(self, state: State, rows: Tensor) -> State:
        """The state of these rows."""
        return State(pick(state.memory, rows), pick(state.past, rows), state.position)

    def logprobs(self, contexts: Sequence[Tokens], responses: Sequence[Tokens], rows: int) -> list[float]:
        """The log-probability of each response given its context, at most ``rows`` of them at once."""
        of_context: dict[Tokens, list[int]] = {}
        for index, context in enumerate(contexts):
            of_context.setdefault(context, []).append(index)
        distinct = sorted(of_context, key=len)
        by_index: dict[int, float] = {}
        with torch.inference_mode():
            for start in range(0, len(distinct), _CONTEXTS):
                some = distinct[start : start + _CONTEXTS]
                memory = self.network.encode(self.network.pad(some))
                row = {index: number for number, context in enumerate(some) for index in of_context[context]}
                order = sorted(row, key=lambda index: len(responses[index]))
                for first in range(0, len(order), rows):
                    batch = order[first : first + rows]
                    rows_of_batch = torch.tensor([row[index] for index in batch], device=self.network.device)
                    scores = self._score(pick(memory, rows_of_batch), [responses[index] for index in batch])
                    by_index.update(zip(batch, scores, strict=True))
        return [by_index[index] for index in range(len(responses))]

    def _score(self, memory: Rows, responses: Sequence[Tokens]) -> list[float]:
        read = self.network.pad([(START, *response[:-1]) for response in responses])
        logits = self.network.logits(self.network.decode(memory, read.ids)[read.mask])
        tokens = torch.tensor([token for response in responses for token in response], device=logits.device)
        values = wide(normalised(logits).gather(1, tokens[:, None])[:, 0])
        lengths = [len(response) for response in responses]
        return [float(part.sum()) for part in torch.split(values, lengths)]


class LoadedGenerator(NamedTuple):
    """A trained generator in memory."""

    model: GeneratorModel
    subwords: Subwords
    config: TrainConfig


@lru_cache(maxsize=4)
def load(files: ModelFolder, device: str) -> LoadedGenerator:
    """The generator in these files; the last four are kept, and other hashes are another generator."""
    network, subwords, config = read_generator(files.folder)
    fold_norms(network)
    return LoadedGenerator(
        GeneratorModel(network.requires_grad_(False).to(find_device(device))), subwords, config
    )
