"""Training of the cross-encoder on a tiny encoder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dialeval.encoder.adapters import ADAPTER, find_adapter, load_adapter
from dialeval.errors import Unsuitable
from dialeval.selfeval.crossencoder.lessons import Lesson, true_lesson, unfit_lesson

torch = pytest.importorskip("torch")

from dialeval.selfeval.crossencoder.trainer import (  # noqa: E402
    CrossEncoderConfig,
    lesson_loss,
    train_cross_encoder,
)
from dialeval.training.finetuning import Finetuning  # noqa: E402

CONTEXT = ("the cat sat", "where is it?")
LESSONS = [
    lesson
    for _ in range(12)
    for lesson in (
        true_lesson(CONTEXT, "on the mat"),
        unfit_lesson(CONTEXT, "the cat sat", "stranger"),
        Lesson(CONTEXT, "mat mat mat", fits=None, formed=False, kind="spoilt"),
    )
]


def config(roberta: Path) -> CrossEncoderConfig:
    base = CrossEncoderConfig(finetuning=Finetuning(encoder=str(roberta), rank=4, longest=32), batch=6)
    return replace(base, schedule=replace(base.schedule, epochs=30, learning_rate=1e-2, evaluate_every=60))


def test_it_learns_what_fits_and_what_is_well_formed(roberta: Path, tmp_path: Path) -> None:
    fitted = train_cross_encoder(LESSONS, LESSONS[:3], config(roberta), tmp_path)
    assert fitted.best.held_out is not None
    assert {name: fitted.best.held_out[name] for name in ("true", "stranger", "spoilt")} == {
        "true": 1.0,
        "stranger": 1.0,
        "spoilt": 1.0,
    }
    adapter = find_adapter(tmp_path / ADAPTER)
    assert (adapter.about.kind, adapter.about.outputs) == ("cross_encoder", ("fits", "form"))
    logits = load_adapter(adapter).logits([lesson.segments for lesson in LESSONS[:3]])
    assert (logits[:2, 0] > 0).tolist() == [True, False]
    assert (logits[:, 1] > 0).tolist() == [True, True, False]


def test_a_run_may_start_from_its_own_kind(roberta: Path, tmp_path: Path) -> None:
    settings = config(roberta)
    train_cross_encoder(LESSONS, LESSONS[:3], settings, tmp_path / "one")
    short = replace(settings, schedule=replace(settings.schedule, epochs=1, learning_rate=1e-9))
    start = tmp_path / "one" / ADAPTER
    train_cross_encoder(LESSONS, LESSONS[:3], short, tmp_path / "two", start_from=start)
    texts = [lesson.segments for lesson in LESSONS[:3]]
    one, two = (
        load_adapter(find_adapter(tmp_path / each / ADAPTER)).logits(texts) for each in ("one", "two")
    )
    np.testing.assert_allclose(two, one, atol=1e-2)


def test_what_is_not_known_costs_nothing() -> None:
    nan = float("nan")
    logits = torch.tensor([[0.0, 3.0], [-2.0, 0.0]])
    losses = lesson_loss(logits, torch.tensor([[1.0, nan], [nan, 0.0]]))
    # -log(1/2) where it is known.
    assert losses.tolist() == [[pytest.approx(0.6931, abs=1e-4), 0.0], [0.0, pytest.approx(0.6931, abs=1e-4)]]


def test_lessons_are_required(roberta: Path, tmp_path: Path) -> None:
    with pytest.raises(Unsuitable, match="Give more dialogues"):
        train_cross_encoder([], LESSONS, config(roberta), tmp_path)
