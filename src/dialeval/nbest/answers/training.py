"""Training of the yes/no classifier, from exchanges to an adapter with its card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor

from dialeval.files.atomic import write_atomically
from dialeval.files.digests import hash_file
from dialeval.nbest.answers.augment import augmented
from dialeval.nbest.answers.corpus import Exchange, Parts, digest
from dialeval.nbest.answers.evaluation import (
    Measured,
    Readable,
    Thresholds,
    best_thresholds,
    codes,
    measure,
    measure_labels,
    softmax,
)
from dialeval.nbest.answers.labels import LABELS, first_word_label
from dialeval.nbest.answers.topics import crossed, relatedness
from dialeval.stats import Estimate
from dialeval.training.checkpoint import Checkpoints
from dialeval.training.finetuning import (
    FinetunedEncoder,
    Finetuning,
    FinetuningConfig,
    predict,
    restore_adapter,
    write_adapter,
)
from dialeval.training.folder import CARD, Card
from dialeval.training.loop import DEFAULT, Fitted, Session, fit
from dialeval.training.schedule import Schedule
from dialeval.training.task import Loss, Numbers, Sum, Task, batches_by_length

ADAPTER: Final = "adapter.safetensors"
_POOL: Final = 2048
"""Exchanges that are sorted by length together."""


@dataclass(frozen=True, slots=True)
class YesNoConfig(FinetuningConfig):
    """Everything that moves the weights, beside the data."""

    finetuning: Finetuning = field(default_factory=lambda: Finetuning(rank=16, alpha=32.0, longest=96))
    schedule: Schedule = field(
        default_factory=lambda: Schedule(
            epochs=3, learning_rate=1e-3, warm_up=100, evaluate_every=400, patience=100
        )
    )
    ambiguous_weight: float = 2.0
    """How much an ambiguous answer counts in the loss; there are few of them."""
    most: int | None = None
    """How many exchanges are learnt from, drawn at random; None for all."""


@dataclass(frozen=True, slots=True)
class Trained:
    """The outcome of training."""

    adapter: Path
    thresholds: Thresholds
    fitted: Fitted
    valid: Measured
    test: Measured
    rule: Measured
    """The rule of the first word on the same exchanges."""


def train_yesno(
    parts: Parts,
    config: YesNoConfig,
    folder: Path,
    *,
    start: Path | None = None,
    session: Session = DEFAULT,
) -> Trained:
    """Learn from ``parts`` and write ``adapter.safetensors`` into the folder; a killed run resumes.

    With ``start``, another adapter of the same shape, learning begins with its weights.
    """
    learnt = _drawn(augmented(parts.train, config.schedule.seed), config)
    schedule = config.schedule_for(len(learnt))
    model = FinetunedEncoder(config.finetuning, LABELS, seed=schedule.seed)
    if start is not None:
        restore_adapter(model, start)
    task = make_task(model, learnt, parts.valid, config)
    begun = hash_file(start) if start else None
    identity = {**config.identity(), "data": digest(learnt), "valid": digest(parts.valid), "start": begun}
    fitted = fit(task, schedule, Checkpoints(folder, identity), session)
    valid = _readable(model, _pairs(parts.valid))
    labels = [each.label for each in parts.valid]
    thresholds = best_thresholds(valid, labels, _readable(model, crossed(parts.valid, schedule.seed)))
    facts = {
        **{"threshold": thresholds.ambiguous, "related": thresholds.related},
        **{"train": digest(parts.train), "exchanges": len(parts.train)},
    }
    write_adapter(folder / ADAPTER, model, "yesno", facts)
    trained = Trained(
        adapter=folder / ADAPTER,
        thresholds=thresholds,
        fitted=fitted,
        valid=measure(valid, labels, thresholds),
        test=measure(_readable(model, _pairs(parts.test)), [each.label for each in parts.test], thresholds),
        rule=measure_first_word(parts.test),
    )
    write_atomically(folder / CARD, str(card_of(trained, parts, config, start)).encode())
    return trained


def measure_first_word(exchanges: Sequence[Exchange]) -> Measured:
    """The rule of the first word, compared with people's labels."""
    given = codes([first_word_label(each.answer) for each in exchanges])
    return measure_labels(given, codes([each.label for each in exchanges]))


def card_of(trained: Trained, parts: Parts, config: YesNoConfig, start: Path | None) -> Card:
    """What a reader should know of the classifier."""
    measured = {"validation": trained.valid, "held out": trained.test, "held out, first word": trained.rule}
    rows = [
        (
            *(name, f"{m.accuracy.n:,}", _accuracy(m.accuracy), f"{m.macro_f1:.3f}", _recalls(m)),
            *(f"{m.abstained:.3f}", f"{m.accuracy_read:.3f}"),
        )
        for name, m in measured.items()
    ]
    tested = sorted({each.scenario for each in parts.test} - {each.scenario for each in parts.train})
    unseen = f" Scenarios that are only held out: {'; '.join(tested)}." if tested else ""
    begun = f" It began with the weights of an adapter with sha256 {hash_file(start)}." if start else ""
    return Card(
        title="Yes/no classifier",
        about=(
            f"Reads the answer to a polar question as yes, no or ambiguous: {_trained(config.finetuning)} "
            f"{config.finetuning.encoder} and a head, run by `dialeval nbest answers` without torch. An answer is "
            f"ambiguous from a probability of {trained.thresholds.ambiguous:.2f} on{_unrelated(trained.thresholds)}, "
            "chosen on validation exchanges to find half of the ambiguous answers and of answers to other questions "
            "at the least cost in accuracy."
        ),
        data=(
            f"Learnt from {len(parts.train):,} exchanges (sha256 {digest(parts.train)}), with direct answers, "
            "unrelated answers and negative questions added by rules; labels are shares of people's "
            f"judgements.{begun}{unseen}"
        ),
        settings={**config.identity(), "updates": trained.fitted.best.updates},
        columns=(
            "exchanges",
            "n",
            "accuracy",
            "macro F1",
            "recall",
            "called ambiguous",
            "accuracy of the others",
        ),
        measured=rows,
    )


def _trained(settings: Finetuning) -> str:
    return "all weights of" if settings.rank is None else "low-rank changes of"


def _unrelated(thresholds: Thresholds) -> str:
    if thresholds.related <= -1:
        return ""
    return f", or below a cosine with its question of {thresholds.related:.2f}"


def _accuracy(found: Estimate) -> str:
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def _recalls(measured: Measured) -> str:
    return ", ".join(f"{label} {share:.2f}" for label, share in measured.recall.items())


def _drawn(exchanges: Sequence[Exchange], config: YesNoConfig) -> list[Exchange]:
    if config.most is None or config.most >= len(exchanges):
        return list(exchanges)
    rows = np.random.default_rng(config.schedule.seed).permutation(len(exchanges))[: config.most]
    return [exchanges[row] for row in sorted(rows.tolist())]


def _pairs(exchanges: Sequence[Exchange]) -> list[tuple[str, str]]:
    return [(each.question, each.answer) for each in exchanges]


def _readable(model: FinetunedEncoder, pairs: Sequence[tuple[str, str]]) -> Readable:
    if not pairs:
        return Readable(np.zeros((0, len(LABELS))), np.zeros(0))
    logits = predict(model, model.tokens(pairs)).numpy().astype(np.float64)
    questions, answers = zip(*pairs, strict=True)
    return Readable(softmax(logits), relatedness(questions, answers))


def make_task(
    model: FinetunedEncoder, train: Sequence[Exchange], valid: Sequence[Exchange], config: YesNoConfig
) -> Task:
    """What the training loop needs: cross entropy with people's shares, ambiguous answers weighted."""
    tokens = model.tokens([(each.question, each.answer) for each in train])
    targets = torch.tensor([each.shares for each in train])
    held = model.tokens([(each.question, each.answer) for each in valid])
    held_targets = torch.tensor([each.shares for each in valid])
    batches = batches_by_length(list(map(len, tokens)), config.batch, pool=_POOL, seed=config.schedule.seed)
    weights = torch.tensor([1.0, 1.0, config.ambiguous_weight])

    def losses(rows: Sequence[int]) -> list[Loss]:
        logits = model([tokens[row] for row in rows])
        nats = _nats(logits, targets[list(rows)].to(logits.device), weights.to(logits.device))
        return [Loss(nats.mean(), {"nats": Sum(float(nats.detach().sum()), len(rows))})]

    def validate() -> Numbers:
        logits = predict(model, held)
        right = logits.argmax(1) == held_targets.argmax(1)
        nats = _nats(logits, held_targets, weights)
        return {"nats": float(nats.mean()), "accuracy": float(right.float().mean())}

    frequency = held_targets.mean(0).clamp_min(1e-9)
    guess = float(_nats(frequency.log().expand(len(held), -1), held_targets, weights).mean())
    return Task(model, batches, losses, validate, lambda numbers: numbers["nats"], {"nats": guess})


def _nats(logits: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    return -(targets * weights * logits.log_softmax(-1)).sum(-1)
