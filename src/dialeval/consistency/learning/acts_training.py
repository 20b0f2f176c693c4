"""Training of the labeller of dialogue acts, from utterances to an adapter with its card; needs torch."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import torch

from dialeval.consistency.learning.acts import (
    ADAPTER,
    KIND,
    Utterance,
    accuracy_of,
    commonest_act,
    segments_of,
)
from dialeval.errors import Unsuitable
from dialeval.files.atomic import write_atomically
from dialeval.stats import Estimate
from dialeval.training.checkpoint import Checkpoints
from dialeval.training.finetuning import (
    FinetunedEncoder,
    Finetuning,
    FinetuningConfig,
    predict,
    write_adapter,
)
from dialeval.training.folder import CARD, Card
from dialeval.training.loop import DEFAULT, Fitted, Session, fit
from dialeval.training.schedule import Schedule
from dialeval.training.task import Loss, Numbers, Sum, Task, batches_by_length

_POOL: Final = 4096
"""Utterances that are sorted by length together."""
_VALIDATED: Final = 1000
"""Utterances that are measured each time, to keep evaluations short."""


@dataclass(frozen=True, slots=True)
class ActsConfig(FinetuningConfig):
    """Everything that moves the weights, beside the data."""

    finetuning: Finetuning = field(default_factory=lambda: Finetuning(rank=16, alpha=32.0, longest=48))
    schedule: Schedule = field(
        default_factory=lambda: Schedule(
            epochs=1, learning_rate=1e-3, warm_up=100, evaluate_every=500, patience=100
        )
    )
    alone: float = 0.25
    """Share of utterances that are learnt without the one before, so that both can be labelled."""
    most: int | None = None
    """How many utterances are learnt from, drawn at random; None for all."""


class TrainedActs(NamedTuple):
    """The outcome of training."""

    names: tuple[str, ...]
    learnt: int
    fitted: Fitted
    measured: dict[str, Estimate]
    """On the utterances for a test: with the utterance before, without it, and always the commonest act."""


def train_acts(
    utterances: Sequence[Utterance],
    test: Sequence[Utterance],
    config: ActsConfig,
    folder: Path,
    *,
    session: Session = DEFAULT,
) -> TrainedActs:
    """Learn from utterances and write ``adapter.safetensors`` into the folder; a killed run resumes.

    One conversation in fifty is held out to keep the best weights by.
    """
    names = tuple(act for act, _ in Counter(each.act for each in utterances).most_common())
    if len(names) < 2:
        raise Unsuitable(
            f"Utterances of {len(names)} dialogue act(s); two or more are required. Give other utterances too."
        )
    held = [each for each in utterances if _held_out(each)][:_VALIDATED]
    learnt = _drawn([each for each in utterances if not _held_out(each)], config)
    schedule = config.schedule_for(len(learnt))
    model = FinetunedEncoder(config.finetuning, names, seed=schedule.seed)
    identity = {**config.identity(), "data": _digest(learnt), "held_out": _digest(held)}
    fitted = fit(_task(model, learnt, held, config), schedule, Checkpoints(folder, identity), session)
    write_adapter(folder / ADAPTER, model, KIND, {"utterances": len(learnt), "data": _digest(learnt)})
    done = TrainedActs(names, len(learnt), fitted, _measured(model, test, commonest_act(utterances)))
    write_atomically(folder / CARD, str(_card(done, config)).encode())
    return done


def _held_out(utterance: Utterance) -> bool:
    return hashlib.sha256(utterance.conversation.encode()).digest()[0] % 50 == 0


def _drawn(utterances: Sequence[Utterance], config: ActsConfig) -> list[Utterance]:
    """At most this many, a share of them without what was said before."""
    draw = Random(config.schedule.seed)
    most = len(utterances) if config.most is None else min(config.most, len(utterances))
    rows = sorted(draw.sample(range(len(utterances)), most))
    return [
        utterances[row]._replace(before="") if draw.random() < config.alone else utterances[row]
        for row in rows
    ]


def _digest(utterances: Sequence[Utterance]) -> str:
    content = hashlib.sha256()
    for each in utterances:
        content.update(repr(each[:3]).encode())
    return content.hexdigest()


def _task(
    model: FinetunedEncoder, train: Sequence[Utterance], held_out: Sequence[Utterance], config: ActsConfig
) -> Task:
    tokens, targets = _numbers(model, train)
    held, held_targets = _numbers(model, held_out)
    batches = batches_by_length(list(map(len, tokens)), config.batch, pool=_POOL, seed=config.schedule.seed)

    def losses(rows: Sequence[int]) -> list[Loss]:
        logits = model([tokens[row] for row in rows])
        wanted = targets[list(rows)].to(logits.device)
        nats = torch.nn.functional.cross_entropy(logits, wanted, reduction="none")
        return [Loss(nats.mean(), {"nats": Sum(float(nats.detach().sum()), len(rows))})]

    def validate() -> Numbers:
        logits = predict(model, held)
        nats = torch.nn.functional.cross_entropy(logits, held_targets)
        return {"nats": float(nats), "accuracy": float((logits.argmax(1) == held_targets).float().mean())}

    # Without a conversation to hold out there is nothing to validate by, and the last weights are kept.
    return Task(model, batches, losses, validate if held else None, lambda numbers: numbers["nats"])


def _numbers(
    model: FinetunedEncoder, utterances: Sequence[Utterance]
) -> tuple[list[list[int]], torch.Tensor]:
    tokens = model.tokens([segments_of(each.text, each.before) for each in utterances])
    return tokens, torch.tensor([model.outputs.index(each.act) for each in utterances])


def _measured(model: FinetunedEncoder, test: Sequence[Utterance], commonest: str) -> dict[str, Estimate]:
    if not test:
        return {}
    alone = [each._replace(before="") for each in test]
    return {
        "with the utterance before": accuracy_of(_acts(model, test), test),
        "alone": accuracy_of(_acts(model, alone), test),
        f"always {commonest}": accuracy_of([commonest] * len(test), test),
    }


def _acts(model: FinetunedEncoder, utterances: Sequence[Utterance]) -> list[str]:
    logits = predict(model, model.tokens([segments_of(each.text, each.before) for each in utterances]))
    return [model.outputs[place] for place in logits.argmax(1).tolist()]


def _card(done: TrainedActs, config: ActsConfig) -> Card:
    rows = [
        (name, f"{each.n:,}", f"{each.value:.3f} [{each.low:.3f}, {each.high:.3f}]")
        for name, each in done.measured.items()
    ]
    return Card(
        title="Labeller of dialogue acts",
        about="Names the dialogue act of an utterance, for `dialeval consistency analyse --acts FOLDER`.",
        data=f"Learnt from {done.learnt:,} utterances with {len(done.names)} dialogue acts.",
        settings={**config.identity(), "updates": done.fitted.best.updates},
        columns=("test utterances", "n", "accuracy"),
        measured=rows,
    )
