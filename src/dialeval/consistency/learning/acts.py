"""Dialogue acts: a linear classifier on sentence vectors of a frozen encoder, trained on Switchboard's labels."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from dialeval.core import Floats
from dialeval.data.codec.bad import refuse
from dialeval.data.codec.sources import Source, check, lines
from dialeval.encoder import EMBEDDED, find_encoder
from dialeval.encoder.sentences import sentence_vectors
from dialeval.errors import BadInput, ResourceUnavailable, Unsuitable
from dialeval.files.atomic import atomic_path

ACTS: Final = "acts.safetensors"
_AT_ONCE: Final = 2048


class Utterance(NamedTuple):
    """An utterance and its act."""

    text: str
    act: str


def read_utterances(source: Source) -> Iterator[Utterance]:
    """Utterances of a file with lines ``conversation|speaker|text|act``, as Switchboard's are published."""
    check(source)
    for number, text in lines(source, refuse):
        fields = text.rstrip("\r\n").split("|")
        if fields == [""]:
            continue
        if len(fields) != 4:
            raise BadInput(
                str(source),
                f"{len(fields)} fields",
                "conversation|speaker|text|act",
                "Give Switchboard's lines.",
                number,
            )
        if fields[2].strip():
            yield Utterance(fields[2].strip(), fields[3].strip())


@dataclass(frozen=True, slots=True, eq=False)
class ActLabeller:
    """Gives utterances their dialogue acts."""

    names: tuple[str, ...]
    weights: Floats
    """Shape (acts, size + 1), the last column being the bias."""
    encoder: str = EMBEDDED

    def acts(self, texts: Sequence[str]) -> list[str]:
        """The most probable act of each text."""
        if not texts:
            return []
        scores = vectors_of(texts, self.encoder) @ self.weights.T
        return [self.names[place] for place in scores.argmax(axis=1)]

    def accuracy(self, utterances: Sequence[Utterance]) -> tuple[int, int]:
        """How many acts are right, and of how many."""
        given = self.acts([each.text for each in utterances])
        return sum(act == each.act for act, each in zip(given, utterances, strict=True)), len(utterances)


def vectors_of(texts: Sequence[str], encoder: str) -> Floats:
    """Sentence vectors of unit mean length with a 1 behind, shape (n, size + 1)."""
    weights = find_encoder(encoder)
    parts = [sentence_vectors(texts[at : at + _AT_ONCE], weights) for at in range(0, len(texts), _AT_ONCE)]
    found = np.concatenate(parts).astype(np.float64)
    return np.column_stack([found, np.ones(len(found))])


def train_acts(
    utterances: Sequence[Utterance], *, encoder: str = EMBEDDED, penalty: float = 1e-5, steps: int = 200
) -> ActLabeller:
    """Softmax regression by L-BFGS with an L2 penalty on all weights but the bias."""
    from scipy.optimize import minimize

    names = tuple(dict.fromkeys(each.act for each in utterances))
    if len(names) < 2:
        raise Unsuitable(f"Utterances of {len(names)} dialogue act(s); two or more are required.")
    target = np.array([names.index(each.act) for each in utterances])
    known = vectors_of([each.text for each in utterances], encoder)
    rows = np.arange(len(target))

    def cost(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(len(names), -1)
        scores = known @ weights.T
        scores -= scores.max(axis=1, keepdims=True)
        scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
        slopes = np.exp(scores)
        slopes[rows, target] -= 1
        held = weights.copy()
        held[:, -1] = 0
        value = -scores[rows, target].mean() + penalty * (held**2).sum()
        return float(value), (slopes.T @ known / len(target) + 2 * penalty * held).ravel()

    start = np.zeros(len(names) * known.shape[1])
    found = minimize(cost, start, jac=True, method="L-BFGS-B", options={"maxiter": steps})
    return ActLabeller(names, found.x.reshape(len(names), -1), encoder)


def write_labeller(folder: Path, labeller: ActLabeller, facts: dict[str, object]) -> None:
    """Write the weights, and what they are, into the folder."""
    from safetensors.numpy import save_file

    about = json.dumps({"names": labeller.names, "encoder": labeller.encoder, **facts})
    with atomic_path(folder / ACTS) as scratch:
        save_file({"weights": labeller.weights.astype(np.float32)}, scratch, metadata={"about": about})


def read_labeller(folder: Path) -> ActLabeller:
    """The labeller that ``write_labeller`` wrote."""
    from safetensors import safe_open

    path = folder / ACTS
    if not path.is_file():
        raise ResourceUnavailable(f"{folder} lacks {ACTS}. Give a folder that 'dialeval train acts' wrote.")
    with safe_open(path, "np") as file:
        about = json.loads((file.metadata() or {})["about"])
        weights = file.get_tensor("weights").astype(np.float64)
    return ActLabeller(tuple(about["names"]), weights, about["encoder"])
