"""Training of the contradiction detector: an encoder with three outputs over pairs of utterances; needs torch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor, nn

from dialeval.consistency.detecting.pairs import segments_of
from dialeval.consistency.learning.config import KIND, DetectorConfig
from dialeval.consistency.pairs.types import CLASSES, LabelledPair, hash_share
from dialeval.errors import Unsuitable
from dialeval.training.checkpoint import Checkpoints
from dialeval.training.finetuning import FinetunedEncoder, Finetuning, in_chunks, restore_adapter
from dialeval.training.loop import DEFAULT, Fitted, Session, fit
from dialeval.training.task import Loss, Numbers, Rows, Sum, Task, batches_by_length

ADAPTER: Final = "adapter.safetensors"
_TARGETS: Final = {"contradiction": 0, "entailment": 1, "neutral": 2, "consistent": 3}
_POOL: Final = 64


class Trained(NamedTuple):
    """A trained model, and how its training went."""

    model: FinetunedEncoder
    fitted: Fitted


def class_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Negative log-probability of each pair's label, shape (n,); ``consistent`` is either of the two other classes."""
    log = nn.functional.log_softmax(logits, dim=1)
    consistent = torch.logsumexp(log[:, 1:], dim=1, keepdim=True)
    return -torch.cat([log, consistent], dim=1).gather(1, targets[:, None])[:, 0]


@dataclass(frozen=True, slots=True, eq=False)
class _Data:
    """Pairs as numbers."""

    tokens: list[list[int]]
    targets: Tensor

    @classmethod
    def of(cls, model: FinetunedEncoder, pairs: Sequence[LabelledPair]) -> _Data:
        tokens = model.tokens([segments_of(labelled.pair) for labelled in pairs])
        return cls(tokens, torch.tensor([_TARGETS[labelled.label] for labelled in pairs]))

    def logits(self, model: FinetunedEncoder, rows: Rows) -> Tensor:
        logits: Tensor = model([self.tokens[row] for row in rows])
        return logits


def train_detector(
    train: Sequence[LabelledPair],
    validation: Sequence[LabelledPair],
    config: DetectorConfig,
    folder: Path,
    *,
    start_from: Path | None = None,
    session: Session = DEFAULT,
) -> Trained:
    """Train on pairs, keep the weights that are best in validation, and resume from the folder's checkpoint."""
    if not train or not validation:
        raise Unsuitable(
            f"{len(train)} pairs to train on and {len(validation)} to validate with; both are required. "
            "Give more pairs."
        )
    settings = Finetuning(
        encoder=config.encoder,
        hub=config.hub,
        rank=config.rank,
        longest=config.longest,
        precision=config.precision,
    )
    model = FinetunedEncoder(settings, CLASSES, seed=config.schedule.seed)
    if start_from is not None:
        restore_adapter(model, start_from)
    measured = sorted(validation, key=lambda labelled: hash_share(labelled.pair))[: config.validated]
    task = _task(model, _Data.of(model, train), _Data.of(model, measured), config)
    identity = {**_settings(config), "data": digest_of([*train, *validation]), "start": str(start_from or "")}
    updates = config.schedule.epochs * -(-len(train) // config.batch)
    # The rate falls to 0 at the end of the last epoch, unless the schedule says otherwise.
    schedule = config.schedule.falling(updates)
    return Trained(model, fit(task, schedule, Checkpoints(folder, identity), session))


def _task(model: FinetunedEncoder, train: _Data, held_out: _Data, config: DetectorConfig) -> Task:
    lengths = [len(ids) for ids in train.tokens]
    batches = batches_by_length(lengths, config.batch, pool=_POOL * config.batch, seed=config.schedule.seed)

    def losses(rows: Rows) -> list[Loss]:
        logits = train.logits(model, rows)
        each = class_loss(logits, train.targets[list(rows)].to(logits.device))
        return [Loss(each.mean(), {"loss": Sum(float(each.sum().detach()), len(rows))})]

    return Task(model, batches, losses, lambda: _measured(model, held_out))


def _measured(model: FinetunedEncoder, data: _Data) -> Numbers:
    """Mean loss, and the share of pairs whose contradiction is seen or rightly not seen."""
    total, right = 0.0, 0
    for rows in in_chunks(data.tokens, 64):
        logits = data.logits(model, rows)
        targets = data.targets[rows].to(logits.device)
        total += float(class_loss(logits, targets).sum())
        right += int(((logits.softmax(1)[:, 0] >= 0.5) == (targets == 0)).sum())
    return {"loss": total / len(data.tokens), "accuracy": right / len(data.tokens)}


def digest_of(pairs: Sequence[LabelledPair]) -> str:
    """A hash of all pairs and labels, in order."""
    content = hashlib.sha256()
    for labelled in pairs:
        content.update(repr((*labelled.pair, labelled.label)).encode())
    return content.hexdigest()


def _settings(config: DetectorConfig) -> dict[str, Any]:
    schedule = config.schedule
    kept = {"epochs": schedule.epochs, **schedule.identity()}
    own = {name: getattr(config, name) for name in ("encoder", "rank", "longest", "batch", "precision")}
    return {"kind": KIND, **own, **kept}
