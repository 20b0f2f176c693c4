"""Small repositories, with vectors small enough to compute by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from dialeval.data import Dialogue, Turn
from dialeval.selection.repository.repository import Repository, build_repository
from dialeval.selection.repository.utterances import Filters

LINES = (
    "Could he not focus on that?",
    "But I do have ninja focus.",
    "Do not lose your focus!",
    "The camera is on the table.",
    "Press the button of the camera.",
    "My sister plays tennis in the park.",
    "Where is the park with the tennis courts?",
    "I bought a red car last week.",
    "The car needs a new button.",
    "Tennis is more fun than golf.",
    "She will press charges, I am sure.",
    "We parked the car near the table.",
    "They lost the game last week.",
    "He lost his camera in the park.",
)
VOCABULARY = (
    "focus camera button table tennis park car week press lost game sister red new fun golf charges ninja"
)


class Count:
    """How many items progress has heard of."""

    def __init__(self) -> None:
        self.done = 0

    def advance(self, n: int, /) -> None:
        self.done += n


def save_vectors(folder: Path, table: Mapping[str, Iterable[float]]) -> str:
    """Word vectors as a matrix with its words beside it; gives their path."""
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "words.npy", np.array([list(row) for row in table.values()], np.float32))
    (folder / "words.vocab.txt").write_text("\n".join(table) + "\n", encoding="utf-8")
    return str(folder / "words.npy")


def drawn_vectors(folder: Path, dimensions: int = 8) -> str:
    rng = np.random.default_rng(3)
    return save_vectors(folder, {word: rng.normal(size=dimensions) + 1 for word in VOCABULARY.split()})


def small_repository(folder: Path, lines: Iterable[str] = LINES, **options: object) -> Repository:
    source = folder / "lines.txt"
    folder.mkdir(parents=True, exist_ok=True)
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    settings = {
        "vectors": "static",
        "words": drawn_vectors(folder / "vectors"),
        "filters": Filters(min_words=2),
    }
    return build_repository([source], folder / "repository", **(settings | options))  # type: ignore[arg-type]


def dialogue(item: str, *texts: str) -> Dialogue:
    return Dialogue(
        item, tuple(Turn("assistant" if at % 2 else "user", text) for at, text in enumerate(texts))
    )
