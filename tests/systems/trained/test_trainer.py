from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given, strategies as st

from dialeval.errors import BadInput, DialevalError, Unsuitable
from dialeval.systems.trained import Trained
from dialeval.systems.trained.config import PAPER, Shape, TrainConfig, scaled
from dialeval.systems.trained.lessons import Lesson, Split
from dialeval.systems.trained.trainer import further, likelihood, train, unlikelihood
from dialeval.training.loop import Session
from dialeval.training.schedule import Schedule
from support.processes import environment
from support.small_generators import ARCHITECTURES, config, made_lessons, made_split, said

FILES = ("model.safetensors", "generator.json", "tokenizer.json", "README.md")


class Stop(Exception):
    """What interrupts a run in these tests."""


class StopAfter:
    def __init__(self, batches: int) -> None:
        self.left = batches

    def advance(self, n: int, /) -> None:
        if n:
            self.left -= 1
        if self.left < 0:
            raise Stop


def overfit(architecture) -> TrainConfig:
    layers = 2 if architecture == "convs2s" else 1
    small = Shape(architecture, layers=layers, embedding=64, hidden=64, heads=2, dropout=0.0)
    schedule = Schedule(epochs=70, learning_rate=0.005, warm_up=10)
    return TrainConfig(small, schedule, batch_tokens=1000, vocabulary=300)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_twenty_pairs_are_learnt_by_heart(tmp_path: Path, architecture) -> None:
    lessons = made_lessons()
    done = train(Split(lessons, []), overfit(architecture), tmp_path)
    assert done.best.train["nats"] < 0.05
    assert done.perplexity is None
    system = Trained("own", tmp_path)
    found = system.generate([lesson.context for lesson in lessons])
    assert [responses[0].text for responses in found] == [lesson.gold for lesson in lessons]
    scores = system.logprob([lesson.context for lesson in lessons], [lesson.gold for lesson in lessons])
    assert [responses[0].logprob for responses in found] == pytest.approx(scores.tolist(), abs=1e-4)
    assert scores.min() > -1


def test_the_loss_falls_and_is_what_it_was(tmp_path: Path) -> None:
    done = train(made_split(), config("gru"), tmp_path)
    nats = [each.train["nats"] for each in done.history]
    assert nats == pytest.approx(GRU_LOSSES, abs=2e-3)
    assert nats[0] > nats[1] > nats[2]
    assert (done.lessons, done.held_out) == (16, 4)
    assert done.ending == "epochs"


GRU_LOSSES = (5.41405, 4.52677, 3.72110)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("batches", [1, 7])
def test_a_run_that_was_stopped_ends_with_the_same_bytes(tmp_path: Path, architecture, batches: int) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    train(made_split(), config(architecture), whole)
    with pytest.raises(Stop):
        train(made_split(), config(architecture), broken, session=Session(progress=StopAfter(batches)))
    assert not (broken / "generator.json").exists()
    train(made_split(), config(architecture), broken)
    for name in FILES:
        assert (broken / name).read_bytes() == (whole / name).read_bytes()


def test_more_epochs_go_on_from_where_training_ended(tmp_path: Path) -> None:
    train(made_split(), config(epochs=2), tmp_path / "a")
    train(made_split(), config(epochs=3), tmp_path / "a")
    train(made_split(), config(epochs=3), tmp_path / "b")
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_time_that_is_up_ends_a_run_and_more_time_goes_on_with_it(tmp_path: Path) -> None:
    short = train(made_split(), config(), tmp_path / "a", session=Session(minutes=0))
    assert short.ending == "minutes"
    assert short.best.updates == 1
    assert 0 < short.best.epoch < 1
    assert Trained("own", tmp_path / "a").generate([said("Hi.")])[0]
    train(made_split(), config(), tmp_path / "a", session=Session(minutes=60))
    train(made_split(), config(), tmp_path / "b")
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_training_stops_when_held_out_responses_no_longer_gain(tmp_path: Path) -> None:
    data = made_split()
    # What is held out contradicts what is learnt, so it gets worse as soon as anything is learnt by heart.
    held = [Lesson(lesson.context, "zzz qqq xxx") for lesson in data.train[:4]]
    done = train(Split(data.train, held), config(epochs=60, patience=2), tmp_path)
    assert done.ending == "patience"
    losses = [each.held_out["nats"] for each in done.history if each.held_out is not None]
    assert done.best.held_out is not None
    assert done.best.held_out["nats"] == min(losses)
    assert losses.index(min(losses)) == len(losses) - 3
    texts, contexts = [one.gold for one in held], [one.context for one in held]
    system = Trained("own", tmp_path)
    mean = -system.logprob(contexts, texts).sum() / system.tokens(texts).sum()
    assert mean == pytest.approx(min(losses), abs=1e-4)


def test_held_out_data_move_no_weight_before_they_stop_training(tmp_path: Path) -> None:
    lessons = made_lessons()
    a = train(Split(lessons[:16], lessons[16:]), config(), tmp_path / "a")
    b = train(Split(lessons[:16], []), config(), tmp_path / "b")
    assert [each.train for each in a.history] == [each.train for each in b.history]


def test_a_checkpoint_of_another_run_is_not_gone_on_from(tmp_path: Path) -> None:
    train(made_split(), config(epochs=1), tmp_path)
    with pytest.raises(Unsuitable, match=r"seed was 0 and is 1\. Give another folder.*--no-resume"):
        train(made_split(), config(seed=1), tmp_path)
    with pytest.raises(Unsuitable, match="train_sha256 was"):
        train(Split(made_split().train[1:], []), config(), tmp_path)
    train(made_split(), config(seed=1, epochs=1), tmp_path, session=Session(resume=False))


def test_a_broken_checkpoint_is_explained(tmp_path: Path) -> None:
    (tmp_path / "checkpoint.safetensors").write_bytes(b"\x00" * 20)
    with pytest.raises(BadInput, match=r"no readable checkpoint .*Train with --no-resume"):
        train(made_split(), config(), tmp_path)


def test_going_on_from_another_generator_keeps_its_shape_and_words(tmp_path: Path) -> None:
    first = train(made_split(), config("transformer"), tmp_path / "first")
    settings = further(tmp_path / "first")
    assert settings.schedule.learning_rate == pytest.approx(0.001)
    more = train(made_split(), settings, tmp_path / "more", start=tmp_path / "first")
    assert (more.parameters, more.vocabulary) == (first.parameters, first.vocabulary)
    assert more.history[0].train["nats"] < first.history[-1].train["nats"]
    about = json.loads((tmp_path / "more" / "generator.json").read_text())
    assert len(about["data"]["start"]) == 64
    assert (tmp_path / "more" / "tokenizer.json").read_bytes() == (
        tmp_path / "first" / "tokenizer.json"
    ).read_bytes()


def test_unlikelihood_makes_the_negative_less_likely_than_the_same_training_without(tmp_path: Path) -> None:
    golds = made_lessons()[:8]
    lessons = [Lesson(context, gold, gold.replace("please!", "never!")) for context, gold, _ in golds]
    both = [*golds, *(Lesson(context, negative or "") for context, _, negative in lessons)]
    train(Split(both, []), overfit("gru"), tmp_path / "first")
    contexts, wrong = [one.context for one in lessons], [one.negative or "" for one in lessons]
    scores = [Trained("own", tmp_path / "first").logprob(contexts, wrong).mean()]
    for alpha in (0.0, 10.0):
        settings = replace(further(tmp_path / "first"), alpha=alpha)
        settings = replace(settings, schedule=replace(settings.schedule, epochs=30))
        train(Split(lessons, []), settings, tmp_path / f"{alpha}", start=tmp_path / "first")
        scores.append(Trained("own", tmp_path / f"{alpha}").logprob(contexts, wrong).mean())
    assert scores[2] + 0.5 < scores[1] < scores[0]


def test_the_card_says_data_settings_and_losses(tmp_path: Path) -> None:
    done = train(made_split(), config("lstm"), tmp_path)
    card = (tmp_path / "README.md").read_text()
    assert "(lstm)" in card
    assert "16 responses in context" in card
    assert "| hidden | 24 |" in card
    assert f"{done.parameters:,} weights" in card
    assert f"{done.perplexity:.4f} |" in card


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(DialevalError, match="hidden is 5; expected even"):
        Shape("gru", hidden=5)
    with pytest.raises(DialevalError, match="kernel is 4; expected odd"):
        Shape("convs2s", kernel=4)
    with pytest.raises(DialevalError, match="embedding is 30; expected an even number that 4 heads divide"):
        Shape("transformer", embedding=30)
    with pytest.raises(DialevalError, match="epochs is 0; expected 1 or more"):
        Schedule(epochs=0)
    with pytest.raises(DialevalError, match="alpha is -1"):
        TrainConfig(alpha=-1)


def test_the_papers_scale_is_the_papers() -> None:
    # Sato et al. (2020), table 5.
    paper = scaled(PAPER["gru"], "paper")
    assert (paper.vocabulary, paper.batch_tokens, paper.schedule.learning_rate) == (
        16000,
        6000,
        1e-4,
    )
    assert (paper.label_smoothing, paper.schedule.warm_up) == (0, 0)
    assert (paper.shape.embedding, paper.shape.hidden) == (512, 512)
    tiny = scaled(PAPER["convs2s"], "tiny").shape
    assert (tiny.layers, tiny.embedding, tiny.hidden) == (4, 64, 64)


class Impatient:
    """Somebody who stops training after so many updates."""

    def __init__(self, updates: int) -> None:
        self.left = updates

    def advance(self, n: int, /) -> None:
        self.left -= n > 0
        if self.left < 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize(("seconds", "kept"), [(0, True), (3600, False)])
def test_a_checkpoint_is_written_when_its_time_has_come_though_updates_are_few(
    tmp_path: Path, seconds: float, kept: bool
) -> None:
    slow = config("gru", save_every=10**6, save_seconds=seconds)
    with pytest.raises(KeyboardInterrupt):
        train(made_split(), slow, tmp_path / "stopped", session=Session(progress=Impatient(2)))
    assert (tmp_path / "stopped" / "checkpoint.safetensors").exists() is kept
    train(made_split(), slow, tmp_path / "stopped")
    train(made_split(), config("gru"), tmp_path / "whole")
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("stopped", "whole")]
    assert weights[0] == weights[1]


@pytest.mark.slow
def test_a_run_killed_outright_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from support.small_generators import config, made_split\n"
        "from dialeval.systems.trained.trainer import train\n"
        "train(made_split(), config('gru', epochs=40, save_every=1), Path(sys.argv[1]))\n"
    )
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    subprocess.run([sys.executable, "-c", script, str(whole)], env=environment(), check=True)
    process = subprocess.Popen([sys.executable, "-c", script, str(killed)], env=environment())
    deadline = time.monotonic() + 120
    while not (killed / "checkpoint.safetensors").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (killed / "model.safetensors").exists()
    subprocess.run([sys.executable, "-c", script, str(killed)], env=environment(), check=True)
    assert (killed / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()


def test_likelihood_by_hand():
    logits = torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]).log()
    found = likelihood(logits, torch.tensor([0, 2]))
    assert float(found.nats) == pytest.approx(-math.log(0.5) - math.log(0.8))
    assert found.loss is found.nats


def test_smoothed_labels_are_those_of_torch():
    torch.manual_seed(0)
    logits, tokens = torch.randn(7, 11), torch.randint(0, 11, (7,))
    found = likelihood(logits, tokens, 0.1)
    theirs = torch.nn.functional.cross_entropy(logits, tokens, label_smoothing=0.1, reduction="sum")
    plain = torch.nn.functional.cross_entropy(logits, tokens, reduction="sum")
    assert float(found.loss) == pytest.approx(float(theirs), rel=1e-6)
    assert float(found.nats) == pytest.approx(float(plain), rel=1e-6)


def test_unlikelihood_by_hand():
    logits = torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]).log()
    found = unlikelihood(logits, torch.tensor([1, 2]))
    assert float(found) == pytest.approx(-math.log(1 - 0.25) - math.log(1 - 0.8), rel=1e-6)


def test_its_gradient_is_what_small_changes_say():
    torch.manual_seed(1)
    logits = torch.randn(4, 6, dtype=torch.float64, requires_grad=True)
    tokens = torch.tensor([0, 5, 2, 2])
    assert torch.autograd.gradcheck(lambda x: unlikelihood(x, tokens), (logits,))
    assert torch.autograd.gradcheck(lambda x: likelihood(x, tokens, 0.1).loss, (logits,))


@given(st.floats(-80, 80))
def test_it_is_finite_and_right_where_the_token_is_all_but_certain(height: float):
    # With two tokens 1 - p is the other's probability, whose logarithm is known exactly.
    logits = torch.tensor([[height, 0.0]], requires_grad=True)
    value = unlikelihood(logits, torch.tensor([0]))
    torch.autograd.backward(value)
    certain = math.log1p(math.exp(-abs(height))) + max(height, 0.0)
    assert float(value.detach()) == pytest.approx(certain, rel=1e-5, abs=1e-6)
    assert logits.grad is not None
    assert float(logits.grad[0, 0]) == pytest.approx(1 / (1 + math.exp(-height)), abs=1e-6)
