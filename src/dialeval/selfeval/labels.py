"""Fine-tuning of SelF-Eval or `quantidce` on a few ratings, held near what it was by distillation (Ye et al., 2021)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from dialeval.data.types import Dialogue, Example, Judgement, Record
from dialeval.encoder.adapters import ADAPTER, HEAD, AdapterFile, load_adapter, tensor_shapes
from dialeval.errors import Unsuitable
from dialeval.resources.device import device_of
from dialeval.selfeval.metric import adapter_file, marked
from dialeval.selfeval.subjects import Subject, exchanges_of, turns_of, unscorable
from dialeval.selfeval.trained.heads import pair_features
from dialeval.selfeval.trained.trainer import PairNetwork, write_rival
from dialeval.selfeval.trainer import SelfEvalConfig, SelfEvalModel
from dialeval.selfeval.turnwise import exchange_units
from dialeval.selfeval.turnwise_trainer import TurnwiseConfig, TurnwiseNetwork, write_network
from dialeval.training.checkpoint import Checkpoints
from dialeval.training.finetuning import Finetuning, restore_adapter, write_adapter
from dialeval.training.loop import DEFAULT, Fitted, Session, fit
from dialeval.training.schedule import Schedule
from dialeval.training.task import Loss, Numbers, Rows, Sum, Task, batches_by_length

SCHEDULE: Final = Schedule(epochs=6, learning_rate=1e-4, warm_up=10, patience=3, save_every=20)
_KEPT: Final = 1.0
"""Weight of the distance to the scores before, beside the distance to the ratings."""


RatedSubject: TypeAlias = tuple[Subject, float]
"""A subject and the mean of its ratings, brought to [0, 1]."""


def rated_subjects(records: Iterable[Record], ratings: Iterable[Judgement]) -> list[RatedSubject]:
    """The examples or dialogues that people rated, each with its mean rating; the scale runs from worst to best."""
    values: dict[tuple[str, str], list[float]] = {}
    for judgement in ratings:
        if judgement.value is not None:
            values.setdefault((judgement.item, judgement.system), []).append(judgement.value)
    given = [value for own in values.values() for value in own]
    low, high = min(given, default=0.0), max(given, default=0.0)
    rated = [
        (record, (fmean(values[record.item, record.system]) - low) / (high - low))
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
    rated: Sequence[RatedSubject],
    start: str,
    folder: Path,
    *,
    kind: Literal["selfeval", "quantidce"] = "selfeval",
    schedule: Schedule = SCHEDULE,
    session: Session = DEFAULT,
) -> Fitted:
    """Fine-tune the model ``start`` on ratings, a fifth of them held out, and write it to ``folder``."""
    file = adapter_file(start, kind)
    profile = file.about.facts.get("profile")
    learn = _pairs if kind == "quantidce" else _turnwise if profile == "turnwise" else _whole
    learner = learn(file, rated)
    ratings = [round(rating, 9) for _, rating in rated]
    identity = {"start": file.sha256, "ratings": ratings, **schedule.identity()}
    goals = torch.tensor([rating for _, rating in rated], dtype=torch.float32)
    task = _task(learner.model, learner.scores, learner.lengths, goals, schedule.seed)
    fitted = fit(task, schedule, Checkpoints(folder, identity), session)
    learner.write(folder / ADAPTER, {**file.about.facts, "ratings": len(rated)})
    return fitted


class _Learner(NamedTuple):
    """A model to fine-tune, however it reads its subjects."""

    model: nn.Module
    scores: Callable[[Rows], Tensor]
    """Of the subjects at these positions."""
    lengths: Sequence[int]
    write: Callable[[Path, Mapping[str, Any]], None]


def _whole(file: AdapterFile, rated: Sequence[RatedSubject]) -> _Learner:
    facts = file.about.facts
    config = SelfEvalConfig(profile=facts["profile"], window=facts["window"], schedule=SCHEDULE)
    hidden = tensor_shapes(file.path).get("head.hidden.weight", (128,))[0]
    settings = Finetuning(
        encoder=file.about.encoder,
        rank=file.rank,
        word_vectors=any(name.startswith("embeddings") for name in tensor_shapes(file.path)),
        alpha=file.about.scale * (file.rank or 1),
        hidden=hidden,
        longest=file.about.longest,
        fit=file.about.fit,
        dropout=0.0,
    )
    model = SelfEvalModel(settings, config)
    restore_adapter(model, file.path)
    texts = [[turn.text for turn in turns_of(subject)][-(config.window or 0) :] for subject, _ in rated]
    tokens = model.tokens([marked(turns) for turns in texts])

    def scores(rows: Rows) -> Tensor:
        return torch.sigmoid(model([tokens[row] for row in rows])).mean(1).cpu()

    def write(path: Path, facts: Mapping[str, Any]) -> None:
        write_adapter(path, model, "selfeval", facts)

    return _Learner(model, scores, [len(ids) for ids in tokens], write)


def _turnwise(file: AdapterFile, rated: Sequence[RatedSubject]) -> _Learner:
    facts = file.about.facts
    head = {name.removeprefix(HEAD): tensor.float() for name, tensor in load_file(file.path).items()}
    config = TurnwiseConfig(size=len(head["hidden.bias"]), dropout=0.0)
    network = TurnwiseNetwork(head["said.weight"].shape[1], config)
    network.load_state_dict(head)
    exchanges = [exchanges_of(subject) for subject, _ in rated]
    said, earlier = exchange_units(load_adapter(file), [each for own in exchanges for each in own])
    turns, before = (torch.from_numpy(side.astype(np.float32)) for side in (said, earlier))
    starts = np.cumsum([0, *map(len, exchanges)]).tolist()

    def scores(rows: Rows) -> Tensor:
        spans = [slice(starts[row], starts[row + 1]) for row in rows]
        device = device_of(network)
        logits = [network(turns[span].unsqueeze(1).to(device), before[span].to(device)) for span in spans]
        scaled = [torch.sigmoid(facts["slope"] * each + facts["shift"]).mean() for each in logits]
        return torch.stack(scaled).cpu()

    def write(path: Path, facts: Mapping[str, Any]) -> None:
        write_network(path, network, file.weights, file.about.encoder, facts)

    return _Learner(network, scores, list(map(len, exchanges)), write)


def _pairs(file: AdapterFile, rated: Sequence[RatedSubject]) -> _Learner:
    head = {name.removeprefix(HEAD): tensor.float() for name, tensor in load_file(file.path).items()}
    size, features = head["hidden.weight"].shape
    network = PairNetwork(features, size, 1, 0.0, 0)
    network.load_state_dict(head)
    exchanges = [exchanges_of(subject) for subject, _ in rated]
    units = exchange_units(load_adapter(file), [each for own in exchanges for each in own])
    inputs = torch.from_numpy(pair_features(*units).astype(np.float32))
    starts = np.cumsum([0, *map(len, exchanges)]).tolist()

    def scores(rows: Rows) -> Tensor:
        device = device_of(network)
        spans = [inputs[starts[row] : starts[row + 1]].to(device) for row in rows]
        return torch.stack([torch.sigmoid(network(span)).mean() for span in spans]).cpu()

    def write(path: Path, facts: Mapping[str, Any]) -> None:
        tensors = {name: weight.detach().cpu().numpy() for name, weight in network.named_parameters()}
        write_rival(path, "quantidce", tensors, file.weights, file.about.encoder, facts)

    return _Learner(network, scores, list(map(len, exchanges)), write)


def _task(
    model: nn.Module, scores: Callable[[Rows], Tensor], lengths: Sequence[int], goals: Tensor, seed: int
) -> Task:
    model.eval()
    with torch.inference_mode():
        before = torch.cat([scores([row]) for row in range(len(goals))]).clone()
    order = np.random.default_rng(seed).permutation(len(goals)).tolist()
    held, kept = order[: len(goals) // 5], order[len(goals) // 5 :]

    of_kept = batches_by_length([lengths[row] for row in kept], 16, pool=256, seed=seed)

    def batches(epoch: int) -> list[list[int]]:
        return [[kept[row] for row in batch] for batch in of_kept(epoch)]

    def losses(rows: Rows) -> list[Loss]:
        given = scores(rows)
        own = list(rows)
        loss = ((given - goals[own]) ** 2).mean() + _KEPT * ((given - before[own]) ** 2).mean()
        return [Loss(loss, {"loss": Sum(float(loss.detach()) * len(rows), len(rows))})]

    def validate() -> Numbers:
        return {"loss": float(((scores(held) - goals[held]) ** 2).mean())}

    return Task(model, batches, losses, validate)
