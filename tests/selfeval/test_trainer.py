"""Training on made dialogues with a tiny encoder: it learns, resumes to the same bytes, and its file scores alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
import torch
from hypothesis import given, strategies as st
from safetensors.torch import load_file

from dialeval.data.types import Dialogue, Example, Response, Turn
from dialeval.encoder.adapters import ADAPTER
from dialeval.errors import Unsuitable
from dialeval.selfeval.corruption import Cluster, material_of
from dialeval.selfeval.labels import rated_subjects, train_on_labels
from dialeval.selfeval.metric import SelfEval
from dialeval.selfeval.replacement import Replacement
from dialeval.selfeval.trainer import (
    PROFILES,
    Profile,
    Relevance,
    SelfEvalConfig,
    SelfEvalModel,
    batch_loss,
    finetuning_of,
    relevance_loss,
    train_selfeval,
)
from dialeval.selfeval.turnwise_trainer import TurnwiseConfig, train_turnwise
from dialeval.training.finetuning import Finetuning, predict, restore_adapter
from dialeval.training.loop import Interrupted, Session
from dialeval.training.schedule import Schedule

TOPICS = ("the cat sat on the mat", "where is it?", "it is on the hat", "a rat ate the oat", "the tea is hot")


def dialogues(count: int = 24) -> list[Dialogue]:
    """Dialogues that keep to one word of their own, so that a stranger's turn shows."""
    made = []
    for number in range(count):
        word = TOPICS[number % len(TOPICS)]
        turns = tuple(Turn("AB"[place % 2], f"{word} {number % 7} {place}") for place in range(6))
        made.append(Dialogue(f"d{number}", turns, metadata={"corpus": "ab"[number % 2]}))
    return made


def tiny(roberta: Path) -> Finetuning:
    return Finetuning(encoder=str(roberta), rank=2, hidden=8, longest=40, fit="last")


SCHEDULE = Schedule(epochs=2, learning_rate=1e-3, warm_up=1, save_every=1)


@pytest.mark.parametrize("profile", list(PROFILES))
def test_every_profile_trains_and_scores_without_its_trainer(
    profile: str, roberta: Path, tmp_path: Path
) -> None:
    config = replace(PROFILES[profile], clusters=4, schedule=SCHEDULE)  # type: ignore[index]
    if PROFILES[profile].window is None:  # type: ignore[index]
        assert config.replacing.per_level is None
    material = material_of(dialogues())
    done = train_selfeval(material, material_of(dialogues(4)), config, tiny(roberta), tmp_path, digest="made")
    assert done.best.held_out is not None
    metric = SelfEval(model=str(tmp_path))
    [talk] = dialogues(1)
    value = metric.statistics([talk])[0, 0]
    assert 0 < value < 1
    effects = metric.turn_effects(talk)
    assert len(effects) == 6
    assert np.isfinite(effects).all()


def test_the_files_scores_are_the_models(roberta: Path, tmp_path: Path) -> None:
    config = replace(PROFILES["released"], schedule=SCHEDULE)
    material = material_of(dialogues())
    train_selfeval(material, material_of([]), config, tiny(roberta), tmp_path, digest="made")
    model = SelfEvalModel(tiny(roberta), config)
    restore_adapter(model, tmp_path / ADAPTER)
    turns = [turn.text for turn in dialogues(1)[0].turns]
    expected = torch.sigmoid(predict(model, model.ids([turns])))[0, 0].item()
    assert SelfEval(model=str(tmp_path)).statistics(dialogues(1))[0, 0] == pytest.approx(expected, abs=1e-5)


def test_an_interrupted_run_resumes_to_the_same_bytes(roberta: Path, tmp_path: Path) -> None:
    config = replace(PROFILES["two_heads"], clusters=4, schedule=SCHEDULE)
    material, settings = material_of(dialogues()), tiny(roberta)
    train_selfeval(material, material_of([]), config, settings, tmp_path / "whole", digest="made")

    class Stop:
        seen = 0

        def advance(self, count: int = 1) -> None:
            self.seen += count
            if self.seen == 12:
                raise Interrupted(3)

    with pytest.raises(Interrupted):
        train_selfeval(
            material,
            material_of([]),
            config,
            settings,
            tmp_path / "halves",
            digest="made",
            session=Session(progress=Stop()),  # type: ignore[arg-type]
        )
    train_selfeval(material, material_of([]), config, settings, tmp_path / "halves", digest="made")
    assert (tmp_path / "whole" / ADAPTER).read_bytes() == (tmp_path / "halves" / ADAPTER).read_bytes()


def test_turns_near_in_meaning_are_harder(roberta: Path, tmp_path: Path) -> None:
    from dialeval.encoder.files import find_encoder
    from dialeval.selfeval.trainer import encoder_rank

    material = material_of(dialogues())
    rank = encoder_rank(material, find_encoder(str(roberta)))
    text, others = material.dialogues[0][0], [material.dialogues[0][0], *material.dialogues[1]]
    likeness = rank(text, others)
    assert likeness[0] == -1
    assert all(-1 <= value <= 1.0001 for value in likeness)

    def strangers(rank: Any) -> list[float]:
        clusters = [material.cluster(row, Replacement(), 0, rank) for row in range(24)]
        known = encoder_rank(material, find_encoder(str(roberta)))
        return [
            known(old, [new])[0]
            for cluster in clusters
            if cluster is not None
            for sample in cluster.samples
            for old, new in zip(cluster.samples[0].turns, sample.turns, strict=True)
            if old != new
        ]

    assert np.mean(strangers(rank)) > np.mean(strangers(None))
    config = replace(
        PROFILES["paper"], replacing=Replacement(hardness="topic"), clusters=4, schedule=SCHEDULE
    )
    done = train_selfeval(material, material_of([]), config, tiny(roberta), tmp_path, digest="made")
    assert done.best.updates > 0


def test_ablations_have_other_losses(roberta: Path) -> None:
    clusters = [
        cluster
        for row in range(4)
        if (cluster := material_of(dialogues()).cluster(row, Replacement(per_level=2), 0)) is not None
    ]
    config = SelfEvalConfig(schedule=SCHEDULE)
    model = SelfEvalModel(tiny(roberta), config).eval()

    def loss(config: SelfEvalConfig, *, fine: bool = False) -> float:
        return batch_loss(model, clusters, config, fine=fine).loss.item()

    names: tuple[Relevance, ...] = ("mlr", "bce", "graded_bce", "ranking")
    assert len({loss(replace(config, loss=name)) for name in names}) == 4
    # Without dropout two draws agree, so R-drop adds nothing.
    assert loss(config, fine=True) == pytest.approx(loss(config), abs=1e-6)
    model.train()
    assert loss(config, fine=True) > 0


@given(
    seed=st.integers(0, 1000),
    late=st.sampled_from([1.0, 2.0, 0.4]),
    curve=st.sampled_from([1.0, 3.0, 0.5]),
    profile=st.sampled_from(list(PROFILES)),
    loss=st.sampled_from(["mlr", "graded_bce", "ranking"]),
)
def test_every_graded_loss_follows_the_weights_of_places_and_the_bent_scale(
    seed: int, late: float, curve: float, profile: Profile, loss: Relevance
) -> None:
    """Scores at the reference scores are best, and a scale that differs gives another loss of the same scores."""
    base = replace(PROFILES[profile], loss=loss)
    rules = replace(base.replacing, late=late, curve=curve, per_level=3, last_turn=0.0)
    material = material_of(dialogues())
    plain = material.cluster(0, replace(rules, late=1.0, curve=1.0), seed)
    moved = material.cluster(0, rules, seed)
    assert plain is not None
    assert moved is not None
    assert [each.turns for each in plain.samples] == [each.turns for each in moved.samples]
    references = torch.tensor([each.score for each in moved.samples]).clamp(1e-4, 1 - 1e-4)
    logits = torch.logit(references)
    values = [relevance_loss(cluster, logits, base).item() for cluster in (plain, moved)]
    if loss == "mlr" and base.margin is None:
        assert values[1] == pytest.approx(0.0, abs=1e-2)
    same = [a.score == pytest.approx(b.score) for a, b in zip(plain.samples, moved.samples, strict=True)]
    # One wide step between two levels and none elsewhere: margins that only move between levels show there.
    levels = torch.tensor([each.level for each in moved.samples])
    steps = [torch.where(levels <= last, 4.0, -4.0) for last in range(int(levels.max()))]
    draws = [logits, torch.linspace(1, -1, len(logits)), *steps]
    differ = [
        abs(float(relevance_loss(plain, each, base)) - float(relevance_loss(moved, each, base))) > 1e-6
        for each in draws
    ]
    assert any(differ) is not all(same)


def test_binary_cross_entropy_tells_originals_from_all_others() -> None:
    config = replace(PROFILES["paper"], loss="bce")
    cluster = material_of(dialogues()).cluster(0, Replacement(per_level=2), 0)
    assert cluster is not None
    logits = torch.linspace(1, -1, len(cluster.samples))
    goals = torch.tensor([float(sample.level == 0) for sample in cluster.samples])
    expected = torch.nn.functional.binary_cross_entropy_with_logits(logits, goals)
    assert relevance_loss(cluster, logits, config).item() == pytest.approx(expected.item())


def test_the_paper_profile_is_the_papers() -> None:
    """Section 4.3 and 3.3; what the paper leaves open is in docs/selfeval.md."""
    config, tuned = PROFILES["paper"], finetuning_of("paper")
    schedule = config.schedule
    assert (tuned.longest, tuned.dropout, tuned.rank, tuned.word_vectors) == (512, 0.5, None, True)
    assert (config.clusters, config.loss, config.drop, config.window) == (15, "mlr", True, None)
    assert (config.replacing.rounds, config.replacing.most_rounds, config.replacing.per_level) == (None,) * 3
    rates = [schedule.rate(0, epoch) for epoch in range(schedule.epochs)]
    assert rates == [0.005] * (schedule.epochs // 2) + [0.002] * (schedule.epochs // 2)
    assert [config.fine(epoch) for epoch in range(schedule.epochs)] == [rate == 0.002 for rate in rates]


def test_dialogues_with_too_many_versions_are_refused(roberta: Path, tmp_path: Path) -> None:
    turns = tuple(Turn("AB"[place % 2], f"turn {place}") for place in range(40))
    material = material_of([*dialogues(), Dialogue("long", turns)])
    with pytest.raises(Unsuitable, match=r"1,048,576 versions.*--per-level 5.*--rounds 4"):
        train_selfeval(material, material_of([]), PROFILES["paper"], tiny(roberta), tmp_path, digest="made")


def test_training_begins_with_the_weights_of_another_scorer(roberta: Path, tmp_path: Path) -> None:
    config = replace(PROFILES["light"], clusters=4, schedule=replace(SCHEDULE, epochs=1))
    material = material_of(dialogues())
    train_selfeval(material, material_of([]), config, tiny(roberta), tmp_path / "first", digest="made")
    still = replace(config, schedule=replace(SCHEDULE, epochs=1, learning_rate=1e-12))
    train_selfeval(
        material,
        material_of([]),
        still,
        tiny(roberta),
        tmp_path / "second",
        digest="made",
        start_from=tmp_path / "first" / ADAPTER,
    )
    first, second = (load_file(tmp_path / name / ADAPTER) for name in ("first", "second"))
    assert all(torch.allclose(first[name], second[name], atol=1e-3) for name in first)


def test_all_weights_are_trained_and_score_without_the_trainer(roberta: Path, tmp_path: Path) -> None:
    config = replace(PROFILES["light"], clusters=4, schedule=SCHEDULE)
    whole = replace(tiny(roberta), rank=None, word_vectors=True)
    train_selfeval(material_of(dialogues()), material_of([]), config, whole, tmp_path, digest="made")
    model = SelfEvalModel(whole, config)
    restore_adapter(model, tmp_path / ADAPTER)
    assert any("word_embeddings" in name for name in model.trained())
    turns = [turn.text for turn in dialogues(1)[0].turns]
    expected = torch.sigmoid(predict(model, model.ids([turns])))[0, 0].item()
    assert SelfEval(model=str(tmp_path)).statistics(dialogues(1))[0, 0] == pytest.approx(expected, abs=1e-3)


def test_clusters_are_a_function_of_the_seed_and_differ_by_epoch() -> None:
    material = material_of(dialogues())
    first: Cluster | None = material.cluster(3, Replacement(), 1)
    assert first == material.cluster(3, Replacement(), 1)
    assert first != material.cluster(3 + len(material.dialogues), Replacement(), 1)
    assert first is not None
    assert first.samples[0].score == 1.0


def test_strangers_come_from_the_same_corpus() -> None:
    material = material_of(dialogues())
    for row in range(8):
        cluster = material.cluster(row, Replacement(levels=(0, 3)), 0)
        assert cluster is not None
        own = {
            turn for place in material.groups[material.group_of[row]] for turn in material.dialogues[place]
        }
        assert all(set(sample.turns) <= own for sample in cluster.samples)


def test_the_turnwise_network_learns_what_comes_next(roberta: Path, tmp_path: Path) -> None:
    config = TurnwiseConfig(
        encoder=str(roberta),
        size=8,
        strangers=4,
        batch_size=8,
        schedule=replace(SCHEDULE, epochs=15, patience=15),
    )
    material = material_of(dialogues(60))
    done = train_turnwise(material, material_of(dialogues(20)), config, tmp_path, digest="made")
    losses = [evaluation.train["loss"] for evaluation in done.history]
    assert losses[-1] < losses[0]
    metric = SelfEval(model=str(tmp_path))
    context = tuple(Turn("user", text) for text in ("where is it?",))
    example = Example("1", "s", context, Response("it is on the mat"))
    assert 0 < metric.statistics([example])[0, 0] < 1
    assert len(metric.turn_effects(dialogues(1)[0])) == 6


def test_ratings_move_scores_towards_them(roberta: Path, tmp_path: Path) -> None:
    config = replace(PROFILES["two_heads"], clusters=4, schedule=SCHEDULE)
    train_selfeval(
        material_of(dialogues()), material_of([]), config, tiny(roberta), tmp_path / "start", digest="made"
    )
    from dialeval.data.types import Judgement

    talks = [replace(talk, system="s") for talk in dialogues(30)]
    ratings = [
        Judgement(talk.item, "s", "ana", "overall", 1.0 + 4 * (number % 5 == 0))
        for number, talk in enumerate(talks)
    ]
    rated = rated_subjects(talks, ratings)
    assert {rating for _, rating in rated} == {0.0, 1.0}
    before = SelfEval(model=str(tmp_path / "start")).statistics(talks)[:, 0]
    done = train_on_labels(rated, str(tmp_path / "start"), tmp_path / "tuned")
    after = SelfEval(model=str(tmp_path / "tuned")).statistics(talks)[:, 0]
    goals = np.array([rating for _, rating in rated])
    assert ((after - goals) ** 2).mean() < ((before - goals) ** 2).mean()
    assert done.history
