"""The files of a Skip-Thought model, ours and the authors'; loads no library."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from dialeval.training.folder import Layout

LAYOUT: Final = Layout(
    kind="skip-thought",
    marker="config.json",
    vocabulary="vocabulary.txt",
    noun="Skip-Thought model",
    command="dialeval train skip-thought",
)

DICTIONARY: Final = "dictionary.txt"
PUBLISHED: Final[Mapping[Literal["uni", "bi"], tuple[str, str]]] = {
    "uni": ("utable.npy", "uni_skip.npz"),
    "bi": ("btable.npy", "bi_skip.npz"),
}
"""Of each of the authors' encoders, the vectors of its words and its weights."""


def own_files(folder: Path) -> list[Path]:
    """The files of a model of ours; empty where the folder lacks any."""
    return _whole(folder, LAYOUT.names)


def published_files(folder: Path) -> list[Path]:
    """The authors' files, of one encoder or both; empty where the folder lacks any."""
    encoders = [path for pair in PUBLISHED.values() for path in _whole(folder, pair)]
    return [*_whole(folder, (DICTIONARY,)), *encoders] if encoders and _whole(folder, (DICTIONARY,)) else []


def _whole(folder: Path, names: tuple[str, ...]) -> list[Path]:
    paths = [folder / name for name in names]
    return paths if all(path.is_file() for path in paths) else []
