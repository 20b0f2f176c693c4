"""Training of SelF-Eval on whole dialogues without labels (Ma et al., 2022, section 3.3).

Settings with the profiles of the paper, of the authors' script and of ours; the model, an encoder and its head; the
coarse and the fine-grained stage.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import torch
from torch import Tensor, nn

from dialeval.encoder.adapters import ADAPTER
from dialeval.encoder.files import Weights
from dialeval.encoder.model import special_ids
from dialeval.errors import Unsuitable
from dialeval.files.digests import hash_file
from dialeval.selfeval.corruption import Cluster, Material
from dialeval.selfeval.losses import (
    bce,
    compactness,
    graded_ranking,
    ordering,
    r_drop,
    ranking,
    separation,
)
from dialeval.selfeval.metric import marked, turn_spans
from dialeval.selfeval.replacement import SIMPLE, Rank, Replacement
from dialeval.selfeval.turnwise_trainer import LONGEST, turn_units
from dialeval.training.checkpoint import Checkpoints
from dialeval.training.finetuning import (
    FinetunedEncoder,
    Finetuning,
    predict,
    restore_adapter,
    write_adapter,
)
from dialeval.training.loop import DEFAULT, Fitted, Session, fit
from dialeval.training.schedule import Schedule, require, require_at_least_one
from dialeval.training.task import Loss, Numbers, Rows, Sum, Task, batches_by_length, numbered_on

Profile: TypeAlias = Literal["paper", "simple", "light", "released", "two_heads"]
Relevance: TypeAlias = Literal["mlr", "bce", "graded_bce", "ranking"]


@dataclass(frozen=True, slots=True)
class SelfEvalConfig:
    """Everything that moves the weights, beside the data and what is trained of the encoder."""

    profile: Profile = "two_heads"
    replacing: Replacement = field(default_factory=Replacement)
    loss: Relevance = "mlr"
    """Loss of replaced turns: ``mlr`` (separation and compactness), ``bce`` (original or replaced, the paper's
    ablation -mlr), ``graded_bce`` (the reference score), or ``ranking`` of all pairs of different reference scores."""
    margin: float | None = None
    """Between neighbouring levels; None for 1 / (levels - 1)."""
    drop: bool = True
    """Whether the second half of the epochs, at least one of two, adds R-drop; False is the ablation -drop."""
    clusters: int = 6
    """Dialogues in a batch, each with all of its spoilt versions."""
    window: int | None = 8
    """Turns that are read at once, longer dialogues being scored window by window; None to read a whole dialogue."""
    schedule: Schedule = field(
        default_factory=lambda: Schedule(
            epochs=2, learning_rate=5e-4, warm_up=100, evaluate_every=250, patience=8, save_every=50
        )
    )

    def __post_init__(self) -> None:
        require_at_least_one(self, "clusters")
        window = 2 if self.window is None else self.window
        require("window", window, window >= 2, "2 or more")

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the heads: everything in one, or relevance and form apart, since in one head they fight."""
        return ("relevance", "form") if self.profile == "two_heads" else ("quality",)

    def fine(self, epoch: int) -> bool:
        """Whether an epoch, counted from 0, has R-drop."""
        return self.drop and self.schedule.second_stage(epoch)


_PAPER: Final = SelfEvalConfig(
    profile="paper",
    replacing=Replacement(most_rounds=None, per_level=None),
    clusters=15,
    window=None,
    schedule=Schedule(
        epochs=2,
        learning_rate=0.005,
        second_learning_rate=0.002,
        evaluate_every=250,
        patience=8,
        save_every=50,
    ),
)
PROFILES: Final[dict[Profile, SelfEvalConfig]] = {
    "paper": _PAPER,
    "simple": replace(_PAPER, profile="simple", replacing=replace(SIMPLE, per_level=None)),
    "light": SelfEvalConfig(profile="light", replacing=Replacement(per_level=5)),
    "released": SelfEvalConfig(
        profile="released",
        # Levels 0 to 2, two replaced turns by one speaker; five dialogues of each level.
        replacing=Replacement(levels=(0, 1, 2), per_level=5),
        margin=0.3,
        drop=False,
        clusters=1,
        schedule=Schedule(epochs=5, learning_rate=2e-5, warm_up=100, evaluate_every=250, save_every=50),
    ),
    "two_heads": SelfEvalConfig(replacing=Replacement(last_turn=0.5)),
}
_WHOLE: Final = Finetuning(rank=None, word_vectors=True, longest=512, fit="last", dropout=0.5)
_LIGHT: Final = Finetuning(rank=16, longest=192, fit="last")


def same_model(one: str, other: str) -> bool:
    """Whether scorers of both profiles are the same network, so that one may start from the other's weights."""
    return one == other or {one, other} == {"paper", "simple"}


def finetuning_of(profile: Profile) -> Finetuning:
    """What a profile trains of an encoder and reads: all weights and 512 tokens if it is the paper's."""
    return _WHOLE if profile in ("paper", "simple") else _LIGHT


class SelfEvalModel(FinetunedEncoder):
    """Scores of dialogues: [first token ; mean of tokens] through a tanh layer, then a sigmoid (equation 1)."""

    def __init__(self, finetuning: Finetuning, config: SelfEvalConfig) -> None:
        super().__init__(finetuning, config.outputs, seed=config.schedule.seed)
        self.released = config.profile == "released"
        if self.released:
            size = int(self.encoder.config.hidden_size)  # type: ignore[union-attr, arg-type]
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(config.schedule.seed)
                self.head = _released_head(size)

    def ids(self, dialogues: Sequence[Sequence[str]]) -> list[list[int]]:
        """Token ids of dialogues given as texts of turns."""
        return self.tokens([marked(turns) for turns in dialogues])

    def forward(self, tokens: Sequence[Sequence[int]]) -> Tensor:
        """Logits, shape (dialogues, outputs)."""
        return self._released_logits(tokens) if self.released else super().forward(tokens)

    def _released_logits(self, tokens: Sequence[Sequence[int]]) -> Tensor:
        """As the authors' script has it: a vector for each turn, then mean and maximum over all and the first token."""
        states, _ = self.states(tokens)
        end = special_ids(self.reader)[1]
        pooled = []
        for row, ids in enumerate(tokens):
            turns = [states[row, a:b] for a, b in turn_spans(ids, end)]
            vectors = torch.stack([torch.cat([turn.mean(0), turn.max(0).values]) for turn in turns])
            all_of_it = torch.cat([states[row, :1], nn.functional.elu(self.head["turn"](vectors))])
            pooled.append(torch.cat([all_of_it.mean(0), all_of_it.max(0).values]))
        hidden = nn.functional.elu(self.head["first"](torch.stack(pooled)))
        out: Tensor = self.head["last"](nn.functional.elu(self.head["second"](hidden)))
        return out


def _released_head(size: int) -> nn.ModuleDict:
    return nn.ModuleDict(
        {
            "turn": nn.Linear(2 * size, size),
            "first": nn.Linear(2 * size, size // 2),
            "second": nn.Linear(size // 2, size // 4),
            "last": nn.Linear(size // 4, 1),
        }
    )


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
    start_from: Path | None = None,
    session: Session = DEFAULT,
) -> Fitted:
    """Train, write the adapter to ``folder``, and return what was measured; a run that was killed resumes.

    With ``start_from``, the file of a scorer of the same profile and shape, training begins with its weights: so the
    paper's models were first trained on other dialogues.
    """
    _check_sizes(material, config.replacing)
    model = SelfEvalModel(finetuning, config)
    settings = asdict(config) | {"finetuning": finetuning.identity(), "schedule": config.schedule.identity()}
    if start_from is not None:
        restore_adapter(model, start_from)
        settings["start"] = hash_file(start_from)
    checkpoints = Checkpoints(folder, {"data": digest, **settings})
    rank = None if config.replacing.hardness == "random" else encoder_rank(material, model.weights)
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


_MOST: Final = 1024
"""Versions of one dialogue, whose scores are compared with one another and held in memory together."""


def _check_sizes(material: Material, replacing: Replacement) -> None:
    """Refuse dialogues that have more versions than can be learnt from at once."""
    longest = max(map(len, material.dialogues))
    places = longest if replacing.speakers == "any" else -(-longest // 2)
    if replacing.rounds or replacing.most_rounds:
        rounds = replacing.rounds or replacing.most_rounds or 0
        places = min(places, 2 * rounds if replacing.speakers == "any" else rounds)
    versions = replacing.samples(places)
    if versions > _MOST:
        raise Unsuitable(
            f"A dialogue of {longest} turns has {versions:,} versions with replaced turns; expected {_MOST:,} at most. "
            "Learn from a few of each level (--per-level 5), or from a few rounds of each dialogue (--rounds 4)."
        )


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
        for part in _parts(clusters):
            loss, sums = batch_loss(model, part, config, fine=config.fine(rows[0] // count))
            yield Loss(loss * (len(part) / len(clusters)), sums)

    return Task(
        model,
        numbered_on(batches, count),
        losses,
        (lambda: measure(model, judged)) if judged else None,
        objective=lambda numbers: (
            -numbers["order"] - numbers["form"] if "order" in numbers else numbers["loss"]
        ),
    )


_AT_ONCE: Final = 96
"""Versions of dialogues whose gradients are computed together, if one dialogue does not have more."""


def _parts(clusters: Sequence[Cluster]) -> Iterator[list[Cluster]]:
    """The clusters in order, few enough at once for the memory."""
    part: list[Cluster] = []
    size = 0
    for cluster in clusters:
        if part and size + len(cluster.texts) > _AT_ONCE:
            yield part
            part, size = [], 0
        part.append(cluster)
        size += len(cluster.texts)
    if part:
        yield part


def _clusters(
    material: Material, rows: Rows, config: SelfEvalConfig, rank: Rank | None = None
) -> list[Cluster]:
    made = (material.cluster(row, config.replacing, config.schedule.seed, rank) for row in rows)
    return [cluster for cluster in made if cluster is not None]


def _logits_by_cluster(
    model: SelfEvalModel, clusters: Sequence[Cluster]
) -> list[tuple[Tensor, tuple[Tensor, Tensor] | None]]:
    """Logits of each cluster: of its samples, in order, and of the forms of the original and the spoilt version.

    The latter are None if there is no such version or no such head.
    """
    logits = model(model.ids([turns for cluster in clusters for turns in cluster.texts]))
    scored, start = [], 0
    for cluster in clusters:
        own = logits[start : start + len(cluster.texts)]
        start += len(cluster.texts)
        both = cluster.spoilt is not None and len(model.outputs) > 1
        form = (own[0, -1], own[-1, -1]) if both else None
        scored.append((own[: len(cluster.samples), 0], form))
    return scored


def batch_loss(
    model: SelfEvalModel, clusters: Sequence[Cluster], config: SelfEvalConfig, *, fine: bool
) -> Loss:
    """The loss of a batch, a mean over its clusters; with R-drop in the fine-grained stage."""
    scored = _logits_by_cluster(model, clusters)
    losses = [
        relevance_loss(cluster, logits, config) for cluster, (logits, _) in zip(clusters, scored, strict=True)
    ]
    pairs = [form for _, form in scored if form is not None]
    if pairs:
        better, worse = (torch.stack(side) for side in zip(*pairs, strict=True))
        losses.append(len(scored) * ranking(better, worse))
    if fine:
        again = _logits_by_cluster(model, clusters)
        losses += [
            r_drop(torch.sigmoid(one), torch.sigmoid(other))
            for (one, _), (other, _) in zip(scored, again, strict=True)
        ]
    loss = torch.stack(losses).sum() / len(scored)
    return Loss(loss, {"loss": Sum(float(loss.detach()) * len(scored), len(scored))})


def relevance_loss(cluster: Cluster, logits: Tensor, config: SelfEvalConfig) -> Tensor:
    """The loss of one cluster's replaced turns, as the config says."""
    samples = cluster.samples
    references = torch.tensor([sample.score for sample in samples], dtype=logits.dtype, device=logits.device)
    if config.loss == "bce":
        untouched = [float(sample.level == 0) for sample in samples]
        return bce(logits, torch.tensor(untouched, dtype=logits.dtype, device=logits.device))
    if config.loss == "graded_bce":
        return bce(logits, references)
    if config.loss == "ranking":
        return graded_ranking(logits, references)
    return _multi_level(cluster, torch.sigmoid(logits), references, config)


def _multi_level(cluster: Cluster, scores: Tensor, references: Tensor, config: SelfEvalConfig) -> Tensor:
    """Separation and compactness, with margins and distances as the reference scores have them."""
    levels = [sample.level for sample in cluster.samples]
    rows = [[row for row, own in enumerate(levels) if own == level] for level in sorted(set(levels))]
    means = torch.stack([references[own].mean() for own in rows])
    # If some places count much more than others, more replaced turns may do less harm.
    order = means.argsort(descending=True, stable=True)
    centroids = torch.stack([scores[own].mean() for own in rows])[order]
    released = config.profile == "released"
    loss = separation(centroids, margin=config.margin, absolute=released, references=means[order])
    if released:
        # The script has the order loss that the paper removed: a worse level must not be above a better one.
        loss = loss + ordering(centroids)
    compact = [compactness(scores[own], of_mean=released, references=references[own]) for own in rows]
    return loss + torch.stack(compact).sum()


def measure(model: SelfEvalModel, clusters: Sequence[Cluster]) -> Numbers:
    """Shares of pairs of samples in the order of their reference scores, and of originals above spoilt form."""
    tokens = model.ids([turns for cluster in clusters for turns in cluster.texts])
    logits = predict(model, tokens)
    right, pairs, formed, forms, start = 0, 0, 0, 0, 0
    for cluster in clusters:
        own = logits[start : start + len(cluster.texts)]
        start += len(cluster.texts)
        references = [sample.score for sample in cluster.samples]
        for a, better in enumerate(references):
            for b, worse in enumerate(references):
                if better > worse:
                    right, pairs = right + bool(own[a, 0] > own[b, 0]), pairs + 1
        if cluster.spoilt is not None:
            formed, forms = formed + bool(own[0, -1] > own[-1, -1]), forms + 1
    return {"order": right / max(pairs, 1), "form": formed / max(forms, 1)}
