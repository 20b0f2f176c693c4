"""Fine-tuning of SelF-Eval on a few human ratings, held near what it was by distillation (Ye et al., 2021)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple

import numpy as np
import torch

from dialeval.data.types import Dialogue, Example, Judgement, Record
from dialeval.errors import Unsuitable
from dialeval.selfeval.config import SelfEvalConfig
from dialeval.selfeval.folder import ADAPTER
from dialeval.selfeval.metric import adapter_file
from dialeval.selfeval.model import SelfEvalModel
from dialeval.selfeval.reading import marked
from dialeval.selfeval.subjects import Judged, turns_of, unscorable
from dialeval.training.checkpoint import Checkpoints
from dialeval.training.finetuning import Finetuning, predict, restore_adapter, write_adapter
from dialeval.training.loop import DEFAULT, Fitted, Session, fit
from dialeval.training.schedule import Schedule
from dialeval.training.task import Loss, Numbers, Rows, Sum, Task, cut_by_length, shuffled_batches

_SCHEDULE: Final = Schedule(epochs=6, learning_rate=1e-4, warm_up=10, patience=3, save_every=20)
_KEPT: Final = 1.0
"""Weight of the distance to the scores before, beside the distance to the ratings."""


class Rated(NamedTuple):
    """A subject and the mean of its ratings, brought to [0, 1]."""

    subject: Judged
    rating: float


def rated_subjects(records: Iterable[Record], ratings: Iterable[Judgement]) -> list[Rated]:
    """The examples or dialogues that people rated, each with its mean rating; the scale runs from worst to best."""
    values: dict[tuple[str, str], list[float]] = {}
    for judgement in ratings:
        if judgement.value is not None:
            values.setdefault((judgement.item, judgement.system), []).append(judgement.value)
    given = [value for own in values.values() for value in own]
    low, high = min(given, default=0.0), max(given, default=0.0)
    rated = [
        Rated(record, (fmean(values[record.item, record.system]) - low) / (high - low))
        for record in records
        if isinstance(record, Example | Dialogue)
        and (record.item, record.system) in values
        and unscorable(record) is None
        and high > low
    ]
    if len(rated) < 20:
        raise Unsuitable(
            f"Found {len(rated)} rated dialogues or responses; expected at least 20, with ratings that differ. Give "
            "ratings whose item and system are those of the dialogues."
        )
    return rated


def train_on_labels(
    rated: Sequence[Rated], start: str, folder: Path, *, seed: int = 0, session: Session = DEFAULT
) -> Fitted:
    """Fine-tune the model ``start`` on ratings, a fifth of them held out, and write it to ``folder``."""
    file = adapter_file(start, "selfeval")
    facts = dict(file.about.facts)
    config = SelfEvalConfig(profile=facts["profile"], window=facts["window"], schedule=_SCHEDULE)
    settings = Finetuning(
        encoder=file.about.encoder,
        rank=file.rank,
        alpha=file.about.scale * (file.rank or 1),
        longest=file.about.longest,
        fit=file.about.fit,
        dropout=0.0,
    )
    model = SelfEvalModel(settings, config)
    restore_adapter(model, file.path)
    identity = {"start": file.sha256, "ratings": [round(each.rating, 9) for each in rated], "seed": seed}
    fitted = fit(_task(model, rated, config, seed), _SCHEDULE, Checkpoints(folder, identity), session)
    write_adapter(folder / ADAPTER, model, "selfeval", {**facts, "ratings": len(rated)})
    return fitted


def _task(model: SelfEvalModel, rated: Sequence[Rated], config: SelfEvalConfig, seed: int) -> Task:
    texts = [[turn.text for turn in turns_of(each.subject)][-config.window :] for each in rated]
    tokens = model.tokens([marked(turns) for turns in texts])
    before = torch.sigmoid(predict(model, tokens)).mean(1)
    goals = torch.tensor([each.rating for each in rated], dtype=torch.float32)
    order = np.random.default_rng(seed).permutation(len(rated)).tolist()
    held, kept = order[: len(rated) // 5], order[len(rated) // 5 :]

    def batches(epoch: int) -> list[list[int]]:
        lengths = [len(tokens[row]) for row in kept]
        plain = shuffled_batches(
            len(kept), 256, lambda rows: cut_by_length(rows, lengths, 16), seed=seed, epoch=epoch
        )
        return [[kept[row] for row in batch] for batch in plain]

    def losses(rows: Rows) -> list[Loss]:
        scores = torch.sigmoid(model([tokens[row] for row in rows])).mean(1).cpu()
        loss = ((scores - goals[list(rows)]) ** 2).mean() + _KEPT * (
            (scores - before[list(rows)]) ** 2
        ).mean()
        return [Loss(loss, {"loss": Sum(float(loss.detach()) * len(rows), len(rows))})]

    def validate() -> Numbers:
        scores = torch.sigmoid(predict(model, [tokens[row] for row in held])).mean(1)
        return {"loss": float(((scores - goals[held]) ** 2).mean())}

    return Task(model, batches, losses, validate)
