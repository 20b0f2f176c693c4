"""The direction of rude turns, as it is fitted and kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dialeval.encoder.files import EMBEDDED
from dialeval.encoder.model import unit_vectors
from dialeval.selfeval.quality.manners import Manners, shipped_manners, write_manners

RUDE = (
    "Nobody here can stand you.",
    "You are the dumbest customer I have ever had.",
    "I'm sick of your whining.",
)
MILD = (
    "I have a cold, I feel sick.",
    "My brother was rude to me.",
    "You are the best customer I have ever had.",
)


@pytest.mark.parametrize(("texts", "rude"), [(RUDE, True), (MILD, False)])
def test_rude_turns_are_told_from_ones_with_the_same_words(texts: tuple[str, ...], rude: bool) -> None:
    units = unit_vectors(texts, EMBEDDED)
    assert shipped_manners().rude(np.stack([units[text] for text in texts])).tolist() == [rude] * 3


def test_the_threshold_itself_is_rude() -> None:
    manners = Manners(np.array([1.0, 0.0]), 0.5)
    assert manners.rude(np.array([[0.5, 0.8], [0.4999, 0.9]])).tolist() == [True, False]


def test_a_written_direction_is_read_again(tmp_path: Path) -> None:
    from safetensors.numpy import load_file

    write_manners(tmp_path / "rude.safetensors", Manners(np.array([0.25, -1.0]), 0.5))
    tensors = load_file(tmp_path / "rude.safetensors")
    assert (tensors["direction"].tolist(), tensors["threshold"].tolist()) == ([0.25, -1.0], [0.5])
