"""The folder of a trained scorer: its adapter and its model card."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from dialeval.files.atomic import write_atomically
from dialeval.training.checkpoint import Evaluation
from dialeval.training.folder import CARD, Card
from dialeval.training.loop import Fitted

ADAPTER: Final = "adapter.safetensors"


def write_card(
    folder: Path, kind: str, about: str, data: str, settings: Mapping[str, object], fitted: Fitted
) -> None:
    """Write what a reader should know of the model, with every evaluation of the run."""
    names = list(fitted.history[-1].held_out or fitted.history[-1].train)
    card = Card(
        title=f"{kind}: trained by dialeval",
        about=about,
        data=data,
        settings=settings,
        columns=("updates", *names, "minutes"),
        measured=[_row(evaluation, names) for evaluation in fitted.history],
    )
    write_atomically(folder / CARD, str(card).encode())


def _row(evaluation: Evaluation, names: list[str]) -> list[str]:
    numbers = evaluation.held_out or evaluation.train
    values = [f"{numbers[name]:.4f}" for name in names]
    return [str(evaluation.updates), *values, f"{evaluation.seconds / 60:.1f}"]
