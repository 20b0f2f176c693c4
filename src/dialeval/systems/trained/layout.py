"""The files of a trained generator; loads no library."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from dialeval.systems.trained.config import TrainConfig
from dialeval.training.folder import Layout

LAYOUT: Final = Layout(
    kind="generator",
    marker="generator.json",
    vocabulary="tokenizer.json",
    noun="trained generator",
    command="dialeval train generator",
)


def read_config(folder: Path) -> TrainConfig:
    """How the folder's generator was trained."""
    return LAYOUT.read(folder, lambda about: TrainConfig.of_json(about["train"]))
