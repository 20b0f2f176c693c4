"""Training of the cross-encoder: an encoder with two outputs over a context and a response; needs torch."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn

from dialeval.encoder.adapters import ADAPTER, find_adapter
from dialeval.errors import Unsuitable
from dialeval.files.digests import hash_file
from dialeval.selfeval.crossencoder.lessons import OUTPUTS, Lesson
from dialeval.selfeval.crossencoder.reading import KIND
from dialeval.training.checkpoint import Checkpoints
from dialeval.training.finetuning import (
    FinetunedEncoder,
    Finetuning,
    FinetuningConfig,
    predict,
    restore_adapter,
    restore_encoder,
    write_adapter,
)
from dialeval.training.loop import DEFAULT, Fitted, Session, fit
from dialeval.training.schedule import Schedule
from dialeval.training.task import Loss, Numbers, Rows, Sum, Task, batches_by_length

_POOL: Final = 32
"""Batches whose lessons are sorted by length together."""


@dataclass(frozen=True, slots=True)
class CrossEncoderConfig(FinetuningConfig):
    """Everything that moves the weights, beside the lessons."""

    finetuning: Finetuning = field(default_factory=lambda: Finetuning(rank=10, longest=64))
    schedule: Schedule = field(
        default_factory=lambda: Schedule(
            epochs=1, learning_rate=6e-4, warm_up=40, evaluate_every=150, patience=99
        )
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Data:
    """Lessons as numbers."""

    tokens: list[list[int]]
    targets: Tensor
    """1, 0, or NaN for what is not known, shape (lessons, outputs)."""
    kinds: tuple[str, ...]

    @classmethod
    def of(cls, model: FinetunedEncoder, lessons: Sequence[Lesson]) -> _Data:
        tokens = model.tokens([lesson.segments for lesson in lessons])
        known = [(lesson.fits, lesson.formed) for lesson in lessons]
        targets = [[float("nan") if each is None else float(each) for each in row] for row in known]
        return cls(tokens, torch.tensor(targets), tuple(lesson.kind for lesson in lessons))


def lesson_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy of each output of each lesson; 0 where the target is not known."""
    known = ~torch.isnan(targets)
    each = nn.functional.binary_cross_entropy_with_logits(logits, torch.nan_to_num(targets), reduction="none")
    return each * known


def train_cross_encoder(
    train: Sequence[Lesson],
    held_out: Sequence[Lesson],
    config: CrossEncoderConfig,
    folder: Path,
    *,
    start_from: Path | None = None,
    session: Session = DEFAULT,
) -> Fitted:
    """Train on lessons, keep the weights that are best in validation, and write the adapter to ``folder``."""
    if not train or not held_out:
        raise Unsuitable(
            f"{len(train)} lessons to train on and {len(held_out)} to validate with; both are required. "
            "Give more dialogues of four turns or more."
        )
    model = FinetunedEncoder(config.finetuning, OUTPUTS, seed=config.schedule.seed)
    if start_from is not None:
        # An adapter for something else knows how pairs are read; its head is for its own outputs.
        restore = restore_adapter if find_adapter(start_from).about.kind == KIND else restore_encoder
        restore(model, start_from)
    task = _task(model, _Data.of(model, train), _Data.of(model, held_out), config)
    identity: dict[str, Any] = {"kind": KIND, "data": digest_of([*train, *held_out]), **config.identity()}
    if start_from is not None:
        identity["start"] = hash_file(start_from)
    fitted = fit(task, config.schedule_for(len(train)), Checkpoints(folder, identity), session)
    facts = {"data": identity["data"], "lessons": len(train), "updates": fitted.best.updates}
    write_adapter(folder / ADAPTER, model, KIND, facts)
    return fitted


def _task(model: FinetunedEncoder, train: _Data, held_out: _Data, config: CrossEncoderConfig) -> Task:
    lengths = [len(ids) for ids in train.tokens]
    batches = batches_by_length(lengths, config.batch, pool=_POOL * config.batch, seed=config.schedule.seed)

    def losses(rows: Rows) -> list[Loss]:
        logits = model([train.tokens[row] for row in rows])
        each = lesson_loss(logits, train.targets[list(rows)].to(logits.device))
        total = each.sum()
        return [Loss(total / len(rows), {"loss": Sum(float(total.detach()), len(rows))})]

    return Task(model, batches, losses, lambda: _measured(model, held_out))


def _measured(model: FinetunedEncoder, data: _Data) -> Numbers:
    """Mean loss, and for each kind of lesson the share that is seen rightly by the output that it is about."""
    logits = predict(model, data.tokens)
    right: dict[str, list[bool]] = defaultdict(list)
    for kind, row, wanted in zip(data.kinds, logits.tolist(), data.targets.tolist(), strict=True):
        output = 0 if wanted[0] == wanted[0] else 1
        right[kind].append((row[output] > 0) == bool(wanted[output]))
    shares = {kind: sum(each) / len(each) for kind, each in sorted(right.items())}
    return {"loss": float(lesson_loss(logits, data.targets).sum()) / len(data.tokens), **shares}


def digest_of(lessons: Sequence[Lesson]) -> str:
    """A hash of all lessons, in order."""
    content = hashlib.sha256()
    for lesson in lessons:
        content.update(repr(tuple(lesson)).encode())
    return content.hexdigest()
