from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from dialeval.errors import BadInput, DialevalError, Unsuitable
from dialeval.metrics.skip_thought.config import SCALES, TrainConfig
from dialeval.metrics.skip_thought.training import train
from dialeval.training.loop import Session
from support.made_dialogues import TINY, made_triples
from support.processes import environment


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


def test_the_loss_falls_and_is_what_it_was(tmp_path: Path) -> None:
    done = train(made_triples(), TINY, tmp_path)
    assert done.losses[0] > done.losses[1] > done.losses[2]
    assert done.losses == pytest.approx((3.01555, 2.79607, 2.62831), abs=2e-3)
    assert (done.triples, done.vocabulary) == (60, 21)


@pytest.mark.parametrize("batches", [0, 2, 5, 8, 23])
def test_a_run_that_was_stopped_ends_with_the_same_bytes(tmp_path: Path, batches: int) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    train(made_triples(), TINY, whole)
    with pytest.raises(Stop):
        train(made_triples(), TINY, broken, session=Session(progress=StopAfter(batches)))
    train(made_triples(), TINY, broken)
    for name in ("model.safetensors", "config.json", "vocabulary.txt", "README.md"):
        assert (broken / name).read_bytes() == (whole / name).read_bytes()


def test_more_epochs_go_on_from_where_training_ended(tmp_path: Path) -> None:
    train(made_triples(), replace(TINY, epochs=2), tmp_path / "a")
    more = train(made_triples(), TINY, tmp_path / "a")
    whole = train(made_triples(), TINY, tmp_path / "b")
    assert more.losses == whole.losses
    assert (tmp_path / "a" / "model.safetensors").read_bytes() == (
        tmp_path / "b" / "model.safetensors"
    ).read_bytes()


def test_a_checkpoint_of_another_run_is_not_gone_on_from(tmp_path: Path) -> None:
    train(made_triples(), replace(TINY, epochs=1), tmp_path)
    with pytest.raises(Unsuitable, match=r"seed was 0 and is 1\. Give another folder.*--no-resume"):
        train(made_triples(), replace(TINY, seed=1), tmp_path)
    with pytest.raises(Unsuitable, match="data was"):
        train(made_triples()[1:], TINY, tmp_path)
    train(made_triples(), replace(TINY, seed=1, epochs=1), tmp_path, session=Session(resume=False))


def test_a_broken_checkpoint_is_explained(tmp_path: Path) -> None:
    (tmp_path / "checkpoint.safetensors").write_bytes(b"\x00" * 20)
    with pytest.raises(BadInput, match=r"no readable checkpoint .*Train with --no-resume"):
        train(made_triples(), TINY, tmp_path)


def test_the_card_says_data_settings_and_losses(tmp_path: Path) -> None:
    done = train(made_triples(), replace(TINY, kind="uni"), tmp_path)
    card = (tmp_path / "README.md").read_text()
    assert "(uni-skip)" in card
    assert "60 turns" in card
    assert "| sentence_size | 16 |" in card
    assert f"| 3 | {done.losses[2]:.4f} |" in card


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(DialevalError, match="sentence size is 5; expected an even number"):
        TrainConfig(sentence_size=5)
    with pytest.raises(DialevalError, match="epochs is 0; expected 1 or more"):
        TrainConfig(epochs=0)


def test_the_papers_scale_is_the_papers() -> None:
    paper = SCALES["paper"]
    assert (paper.vocabulary, paper.word_size, paper.sentence_size) == (20000, 620, 2400)
    assert (paper.batch_size, paper.clip) == (128, 10.0)


@pytest.mark.slow
def test_a_run_killed_outright_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from dataclasses import replace\nfrom pathlib import Path\n"
        "from support.made_dialogues import TINY, made_triples\n"
        "from dialeval.metrics.skip_thought.training import train\n"
        "train(made_triples(), replace(TINY, epochs=12, save_every=1), Path(sys.argv[1]))\n"
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
