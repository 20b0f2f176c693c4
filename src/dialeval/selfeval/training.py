"""Training of SelF-Eval without labels, in a coarse and a fine-grained stage (Ma et al., 2022, section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor

from dialeval.encoder.files import Weights
from dialeval.selfeval.config import SelfEvalConfig
from dialeval.selfeval.construction.replacing import Rank
from dialeval.selfeval.folder import ADAPTER
from dialeval.selfeval.losses import bce, compactness, ordering, r_drop, ranking, separation
from dialeval.selfeval.model import SelfEvalModel
from dialeval.selfeval.spoiling import Cluster, Material
from dialeval.selfeval.turnwise.training import LONGEST, turn_units
from dialeval.training.checkpoint import Checkpoints
from dialeval.training.finetuning import Finetuning, predict, write_adapter
from dialeval.training.loop import DEFAULT, Fitted, Session, fit
from dialeval.training.task import Loss, Numbers, Rows, Sum, Task, batches_by_length, numbered_on

_POOL: Final = 32
"""Batches whose dialogues are sorted by length together."""


def train_selfeval(
    material: Material,
    held_out: Material,
    config: SelfEvalConfig,
    finetuning: Finetuning,
    folder: Path,
    *,
    digest: str,
    session: Session = DEFAULT,
) -> Fitted:
    """Train, write the adapter to ``folder``, and return what was measured; a run that was killed resumes."""
    model = SelfEvalModel(finetuning, config)
    settings = asdict(config) | {"finetuning": asdict(finetuning), "schedule": config.schedule.identity()}
    checkpoints = Checkpoints(folder, {"data": digest, **settings})
    rank = encoder_rank(material, model.weights) if config.replacing.hardness == "topic" else None
    fitted = fit(_task(model, material, held_out, config, rank), config.schedule, checkpoints, session)
    facts: dict[str, Any] = {
        "profile": config.profile,
        "window": config.window,
        "data": digest,
        "dialogues": len(material.dialogues),
        "updates": fitted.best.updates,
    }
    write_adapter(folder / ADAPTER, model, "selfeval", facts)
    return fitted


def encoder_rank(material: Material, weights: Weights) -> Rank:
    """Cosines of turns of the material, by the encoder before it is trained; each turn is encoded once."""
    texts = list(dict.fromkeys(turn for turns in material.dialogues for turn in turns))
    units = turn_units(texts, weights, LONGEST)
    rows = {text: row for row, text in enumerate(texts)}

    def rank(text: str, others: Sequence[str]) -> list[float]:
        cosines: list[float] = (units[[rows[other] for other in others]] @ units[rows[text]]).tolist()
        # The same text again would be no replacement.
        return [cosine if other != text else -1.0 for cosine, other in zip(cosines, others, strict=True)]

    return rank


def _task(
    model: SelfEvalModel,
    material: Material,
    held_out: Material,
    config: SelfEvalConfig,
    rank: Rank | None,
) -> Task:
    count, seed = len(material.dialogues), config.schedule.seed
    lengths = [sum(map(len, turns)) for turns in material.dialogues]
    judged = _clusters(held_out, range(len(held_out.dialogues)), config)

    batches = batches_by_length(lengths, config.clusters, pool=config.clusters * _POOL, seed=seed)

    def losses(rows: Rows) -> Iterator[Loss]:
        clusters = _clusters(material, rows, config, rank)
        if clusters:
            yield batch_loss(model, clusters, config, fine=config.fine(rows[0] // count))

    return Task(
        model,
        numbered_on(batches, count),
        losses,
        (lambda: measure(model, judged)) if judged else None,
        objective=lambda numbers: (
            -numbers["order"] - numbers["form"] if "order" in numbers else numbers["loss"]
        ),
    )


def _clusters(
    material: Material, rows: Rows, config: SelfEvalConfig, rank: Rank | None = None
) -> list[Cluster]:
    made = (material.cluster(row, config.replacing, config.schedule.seed, rank) for row in rows)
    return [cluster for cluster in made if cluster is not None]


class _Scored(NamedTuple):
    """The logits of one cluster."""

    cluster: Cluster
    relevance: Tensor
    """Of the samples, in order."""
    form: tuple[Tensor, Tensor] | None
    """Of the original and of the version with spoilt form; None where there is no such version or no such head."""


def _scored(model: SelfEvalModel, clusters: Sequence[Cluster]) -> list[_Scored]:
    logits = model(model.ids([turns for cluster in clusters for turns in cluster.texts]))
    scored, start = [], 0
    for cluster in clusters:
        own = logits[start : start + len(cluster.texts)]
        start += len(cluster.texts)
        both = cluster.spoilt is not None and len(model.outputs) > 1
        form = (own[0, -1], own[-1, -1]) if both else None
        scored.append(_Scored(cluster, own[: len(cluster.samples), 0], form))
    return scored


def batch_loss(
    model: SelfEvalModel, clusters: Sequence[Cluster], config: SelfEvalConfig, *, fine: bool
) -> Loss:
    """The loss of a batch, a mean over its clusters; with R-drop in the fine-grained stage."""
    scored = _scored(model, clusters)
    losses = [relevance_loss(each, config) for each in scored]
    pairs = [each.form for each in scored if each.form is not None]
    if pairs:
        better, worse = (torch.stack(side) for side in zip(*pairs, strict=True))
        losses.append(len(scored) * ranking(better, worse))
    if fine:
        again = _scored(model, clusters)
        losses += [
            r_drop(torch.sigmoid(a.relevance), torch.sigmoid(b.relevance))
            for a, b in zip(scored, again, strict=True)
        ]
    loss = torch.stack(losses).sum() / len(scored)
    return Loss(loss, {"loss": Sum(float(loss.detach()) * len(scored), len(scored))})


def relevance_loss(scored: _Scored, config: SelfEvalConfig) -> Tensor:
    """The loss of one cluster's replaced turns, as the config says."""
    logits, levels = scored.relevance, [sample.level for sample in scored.cluster.samples]
    if config.loss == "bce":
        targets = [sample.score for sample in scored.cluster.samples]
        return bce(logits, torch.tensor(targets, device=logits.device))
    if config.loss == "ranking":
        pairs = [(a, b) for a, x in enumerate(levels) for b, y in enumerate(levels) if x < y]
        better, worse = (torch.tensor(side, device=logits.device) for side in zip(*pairs, strict=True))
        return ranking(logits[better], logits[worse])
    scores = torch.sigmoid(logits)
    by_level = [
        scores[[row for row, own in enumerate(levels) if own == level]] for level in sorted(set(levels))
    ]
    centroids = torch.stack([own.mean() for own in by_level])
    released = config.profile == "released"
    loss = separation(centroids, margin=config.margin, absolute=released)
    if released:
        # The script has the order loss that the paper removed: a worse level must not be above a better one.
        loss = loss + ordering(centroids)
    return loss + torch.stack([compactness(own, of_mean=released) for own in by_level]).sum()


def measure(model: SelfEvalModel, clusters: Sequence[Cluster]) -> Numbers:
    """Shares of pairs of levels in the right order, and of originals above their version of spoilt form."""
    tokens = model.ids([turns for cluster in clusters for turns in cluster.texts])
    logits = predict(model, tokens)
    right, pairs, formed, forms, start = 0, 0, 0, 0, 0
    for cluster in clusters:
        own = logits[start : start + len(cluster.texts)]
        start += len(cluster.texts)
        levels = [sample.level for sample in cluster.samples]
        for a, better in enumerate(levels):
            for b, worse in enumerate(levels):
                if better < worse:
                    right, pairs = right + bool(own[a, 0] > own[b, 0]), pairs + 1
        if cluster.spoilt is not None:
            formed, forms = formed + bool(own[0, -1] > own[-1, -1]), forms + 1
    return {"order": right / max(pairs, 1), "form": formed / max(forms, 1)}
