"""Training of the rivals on made dialogues: each learns, resumes to the same bytes, and scores without torch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
import torch

from dialeval.catalogue import build
from dialeval.data.types import Dialogue, Example, Judgement, Response, Turn, alternating
from dialeval.encoder.adapters import ADAPTER
from dialeval.encoder.files import find_encoder
from dialeval.selfeval.corruption import material_of
from dialeval.selfeval.labels import rated_subjects, train_on_labels
from dialeval.selfeval.trained.trainer import (
    RIVALS,
    Rival,
    RivalConfig,
    levels_loss,
    next_turns,
    replaced_rows,
    shuffled_rows,
    train_encoded,
    train_rival,
)
from dialeval.selfeval.turnwise_trainer import EncodedDialogues
from dialeval.training.loop import Interrupted, Session
from dialeval.training.schedule import Schedule

SCHEDULE = Schedule(epochs=3, learning_rate=3e-3, warm_up=1, save_every=1)
TOPICS = ("the cat sat on the mat", "where is it?", "it is on the hat", "a rat ate the oat", "the tea is hot")


def dialogues(count: int = 24) -> list[Dialogue]:
    """Dialogues that keep to one sentence of their own, so that a stranger's turn shows."""
    return [
        Dialogue(
            f"d{number}",
            tuple(Turn("AB"[place % 2], f"{TOPICS[number % 5]} {place}") for place in range(4 + number % 3)),
        )
        for number in range(count)
    ]


def encoded(count: int = 200, size: int = 16) -> EncodedDialogues:
    """Dialogues whose turns lie near a direction of their own."""
    draw = np.random.default_rng(0)
    centres = np.repeat(draw.normal(size=(count, size)), 6, axis=0)
    rows = centres + 0.5 * draw.normal(size=centres.shape)
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    places = tuple(tuple(range(6 * number, 6 * number + 6)) for number in range(count))
    everything = np.concatenate([units, np.zeros((1, size))]).astype(np.float32)
    return EncodedDialogues(torch.from_numpy(everything), places, (tuple(range(6 * count)),), (0,) * count)


@pytest.mark.parametrize("kind", RIVALS)
def test_each_learns_which_turns_belong_together(kind: Rival, tmp_path: Path) -> None:
    config = RivalConfig(kind, size=16, schedule=replace(SCHEDULE, epochs=20))
    data = encoded()
    done = train_encoded(data, data, config, find_encoder("minilm"), tmp_path, digest="made")
    assert done.best.held_out is not None
    measured = done.best.held_out["replaced" if kind == "dynaeval" else "order"]
    assert measured > 0.8


@pytest.mark.parametrize("kind", RIVALS)
def test_each_trains_on_texts_and_scores_without_its_trainer(
    kind: Rival, roberta: Path, tmp_path: Path
) -> None:
    config = RivalConfig(kind, encoder=str(roberta), size=8, batch_size=8, schedule=SCHEDULE)
    train_rival(material_of(dialogues()), material_of(dialogues(4)), config, tmp_path, digest="made")
    metric = build(f"{kind}(model={str(tmp_path)!r})")
    talk = dialogues(1)[0]
    answer = Example("1", "s", alternating(["where is it?"]), Response("it is on the hat"))
    values = metric.aggregate(metric.statistics([talk, answer]))  # type: ignore[list-item]
    assert np.isfinite(values).all()
    assert (values < 0).all() if kind == "density" else ((values > 0) & (values < 1)).all()
    assert metric.signature.call == f"{kind}(model={str(tmp_path)!r})"


@pytest.mark.parametrize("kind", RIVALS)
def test_an_interrupted_run_resumes_to_the_same_bytes(kind: Rival, tmp_path: Path) -> None:
    config, data, weights = RivalConfig(kind, size=8, schedule=SCHEDULE), encoded(), find_encoder("minilm")
    train_encoded(data, data, config, weights, tmp_path / "whole", digest="made")

    class Stop:
        seen = 0

        def advance(self, count: int = 1) -> None:
            self.seen += count
            if self.seen > 300:
                raise Interrupted(3)

    stopped = Session(progress=Stop())  # type: ignore[arg-type]
    with pytest.raises(Interrupted):
        train_encoded(data, data, config, weights, tmp_path / "halves", digest="made", session=stopped)
    train_encoded(data, data, config, weights, tmp_path / "halves", digest="made")
    assert (tmp_path / "whole" / ADAPTER).read_bytes() == (tmp_path / "halves" / ADAPTER).read_bytes()


def test_false_turns_are_of_other_dialogues_and_the_nearest_come_first() -> None:
    data = encoded()
    earlier, drawn = next_turns(data, range(50), 4, np.random.default_rng(0), tries=16)
    for place, candidates in enumerate(drawn.tolist()):
        assert candidates[0] in data.rows[place][1:]
        assert not set(candidates[1:]) & set(data.rows[place])
        last = data.units[earlier[place, 0]]
        near = (data.units[candidates[1:]] @ last).tolist()
        assert near[0] >= near[1] >= max(near[2:])


def test_spoilt_dialogues_differ_in_the_turns_of_one_speaker() -> None:
    data, draw = encoded(), np.random.default_rng(0)
    for place in range(30):
        rows = list(data.rows[place])
        replaced, shuffled = replaced_rows(data, place, draw), shuffled_rows(data, place, draw)
        for spoilt in (replaced, shuffled):
            assert len({spot % 2 for spot in range(6) if spoilt[spot] != rows[spot]}) == 1
        assert sorted(shuffled) == sorted(rows)
        assert not {spoilt for spoilt in replaced if spoilt not in rows} & set(rows)


def test_the_loss_of_three_levels_by_hand() -> None:
    # Centroids .9, .5, .4: the last two are .1 apart where .3 is asked for, the others far enough; levels are compact.
    assert levels_loss(torch.tensor([0.9, 0.5, 0.5, 0.4, 0.4]), 2).item() == pytest.approx(
        0.2 + 0.1, abs=1e-6
    )
    # The other way round the order costs .5 + .4 + .1 as well ... and separation is by size alone.
    wrong = levels_loss(torch.tensor([0.4, 0.5, 0.5, 0.9, 0.9]), 2).item()
    assert wrong == pytest.approx(0.2 + 0.1 + (0.1 + 0.4 + 0.5), abs=1e-6)
    # Scores .2 from their centroid exceed the bound of .1 by .1, each.
    spread = levels_loss(torch.tensor([1.0, 0.7, 0.3, 0.0, 0.0]), 2).item()
    assert spread == pytest.approx(0.2, abs=1e-6)


def test_ratings_move_quantidce_a_little(roberta: Path, tmp_path: Path) -> None:
    config = RivalConfig("quantidce", encoder=str(roberta), size=8, batch_size=8, schedule=SCHEDULE)
    material = material_of(dialogues())
    train_rival(material, material_of([]), config, tmp_path / "start", digest="made")
    talks = [replace(dialogue, system="s") for dialogue in dialogues(30)]
    ratings = [Judgement(talk.item, "s", "ann", "overall", float(n % 2)) for n, talk in enumerate(talks)]
    done = train_on_labels(
        rated_subjects(talks, ratings), str(tmp_path / "start"), tmp_path / "tuned", kind="quantidce"
    )
    assert done.best.held_out is not None
    before, after = (
        build(f"quantidce(model={str(tmp_path / name)!r})").statistics(talks)[:, 0]  # type: ignore[arg-type]
        for name in ("start", "tuned")
    )
    assert 0 < np.abs(before - after).max() < 0.5
