"""Training of the rivals: minutes on one core, for the encoder is left as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, cast

import numpy as np

from dialeval.core import Floats
from dialeval.encoder.adapters import write_head
from dialeval.encoder.files import Vectors, Weights, find_encoder
from dialeval.selfeval.folder import ADAPTER
from dialeval.selfeval.spoiling import Material
from dialeval.selfeval.trained.config import Rival, RivalConfig
from dialeval.selfeval.trained.objectives import (
    DensityObjective,
    DynaevalObjective,
    Objective,
    QuantidceObjective,
)
from dialeval.selfeval.trained.pairs import pair_features, pair_states, whitening
from dialeval.selfeval.turnwise.training import LONGEST, Encoded, earlier_rows, encode
from dialeval.training.checkpoint import Checkpoints
from dialeval.training.loop import DEFAULT, Fitted, Session, fit
from dialeval.training.task import Loss, Numbers, Rows, Sum, Task, batches_by_length, numbered_on

_OBJECTIVES: Final[Mapping[Rival, Callable[[int, RivalConfig], Objective]]] = {
    "density": DensityObjective,
    "dynaeval": DynaevalObjective,
    "quantidce": QuantidceObjective,
}
_MOST_STATES: Final = 20_000
"""True responses whose features describe what a true response looks like."""


def train_rival(
    material: Material,
    held_out: Material,
    config: RivalConfig,
    folder: Path,
    *,
    digest: str,
    session: Session = DEFAULT,
) -> Fitted:
    """Train, write the network to ``folder``, and return what was measured; a run that was killed resumes."""
    weights = find_encoder(config.encoder)
    data = encode(material, weights)
    judged = encode(held_out, weights) if held_out.dialogues else None
    return train_encoded(data, judged, config, weights, folder, digest=digest, session=session)


def train_encoded(
    data: Encoded,
    judged: Encoded | None,
    config: RivalConfig,
    weights: Weights,
    folder: Path,
    *,
    digest: str,
    session: Session = DEFAULT,
) -> Fitted:
    """The same for dialogues whose turns are vectors already."""
    objective = _OBJECTIVES[config.kind](data.units.shape[1], config)
    settings = asdict(config) | {"schedule": config.schedule.identity()}
    checkpoints = Checkpoints(folder, {"data": digest, **settings})
    fitted = fit(_task(objective, data, judged, config), config.schedule, checkpoints, session)
    objective.network.eval()
    tensors = {name: weight.detach().numpy() for name, weight in objective.network.named_parameters()}
    if config.kind == "density":
        tensors |= _density(tensors, data, config.schedule.seed)
    facts = {"data": digest, "dialogues": len(data.rows), "updates": fitted.best.updates}
    write_rival(folder / ADAPTER, config.kind, tensors, weights, config.encoder, facts)
    return fitted


def write_rival(
    path: Path,
    kind: Rival,
    tensors: Mapping[str, Vectors],
    weights: Weights,
    encoder: str,
    facts: Mapping[str, Any],
) -> None:
    """Write a network in 16-bit floats, but for what a distance is computed with, which takes 32."""
    kept = ("centre", "whitening")
    narrow = {name: tensor if name in kept else _half(tensor) for name, tensor in tensors.items()}
    write_head(path, narrow, weights, encoder, kind, LONGEST, facts)


def _task(objective: Objective, data: Encoded, judged: Encoded | None, config: RivalConfig) -> Task:
    count, seed = len(data.rows), config.schedule.seed

    batches = numbered_on(batches_by_length([1] * count, config.batch_size, pool=count, seed=seed), count)

    def losses(rows: Rows) -> list[Loss]:
        draw = np.random.default_rng([seed, *rows[:2], len(rows)])
        loss = objective.loss(data, [row % count for row in rows], draw)
        return [Loss(loss, {"loss": Sum(float(loss.detach()) * len(rows), len(rows))})]

    def validate() -> Numbers:
        assert judged is not None
        everyone = range(len(judged.rows))
        loss = float(objective.loss(judged, everyone, np.random.default_rng(0)))
        return {"loss": loss, **objective.measure(judged, everyone, np.random.default_rng(0))}

    return Task(objective.network, batches, losses, validate if judged is not None else None)


def _density(tensors: Mapping[str, Vectors], data: Encoded, seed: int) -> dict[str, Vectors]:
    """Where the hidden layer puts true responses, as the written network has it."""
    narrow = {name: _half(tensor) for name, tensor in tensors.items()}
    states = pair_states(narrow, _true_features(data, seed))
    centre, apart = whitening(states)
    return {"centre": centre.astype(np.float32), "whitening": apart.astype(np.float32)}


def _half(tensor: Vectors) -> Vectors:
    return cast(Vectors, tensor.astype(np.float16))


def _true_features(data: Encoded, seed: int) -> Floats:
    units, blank = data.units.numpy(), len(data.units) - 1
    turns = [(rows, place) for rows in data.rows for place in range(1, len(rows))]
    kept = np.random.default_rng(seed).permutation(len(turns))[:_MOST_STATES].tolist()
    chosen = [turns[number] for number in kept]
    earlier = np.array([earlier_rows(rows, place, blank) for rows, place in chosen])
    responses = np.array([rows[place] for rows, place in chosen])
    return pair_features(units[responses].astype(np.float64), units[earlier].astype(np.float64))
