"""The files of a Skip-Thought model, ours and the authors'; loads no library before it reads a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from dialeval.metrics.skip_thought.config import TrainConfig
from dialeval.metrics.skip_thought.data import Vocabulary
from dialeval.training.folder import FORMAT, Card, Layout
from dialeval.version import __version__

if TYPE_CHECKING:
    from dialeval.metrics.skip_thought.model import SkipThought


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


def write_model(
    folder: Path,
    encoders: Mapping[str, SkipThought],
    vocabulary: Vocabulary,
    config: TrainConfig,
    losses: Sequence[float],
    data: str,
    triples: int,
) -> None:
    """Write the model; its config comes last, so that where it is, all is."""
    from torch import nn

    about = {
        "format": FORMAT,
        "model": LAYOUT.kind,
        "dialeval": __version__,
        "data": {"sha256": data, "triples": triples},
        "train": asdict(config),
        "losses": list(losses),
    }
    card = Card(
        f"Skip-Thought model ({config.kind}-skip)",
        "A sentence encoder that learnt, without labels, to predict the turns before and after a turn "
        f"(Kiros et al., 2015).\nTrained with dialeval {__version__}. "
        "Score with it: `dialeval score FILE -m \"skip_thought(model='THIS FOLDER')\"`.",
        f"Data: {triples} turns with their neighbours, sha256 `{data}`. Words known: {len(vocabulary)}.",
        asdict(config),
        ("epoch", "training loss, nats per word"),
        [(str(epoch), f"{loss:.4f}") for epoch, loss in enumerate(losses, start=1)],
    )
    words = "".join(word + "\n" for word in vocabulary.words).encode("utf-8", "surrogatepass")
    LAYOUT.write(folder, about, nn.ModuleDict(encoders), words, card)


def read_model(folder: Path) -> tuple[dict[str, SkipThought], Vocabulary]:
    """The folder's encoders and the words they know."""
    from torch import nn

    from dialeval.metrics.skip_thought.model import make_encoders

    config = LAYOUT.read(folder, lambda about: TrainConfig(**about["train"]))
    text = (folder / LAYOUT.vocabulary).read_text(encoding="utf-8", errors="surrogatepass")
    vocabulary = Vocabulary(tuple(text.removesuffix("\n").split("\n")), config.lowercase)
    encoders = make_encoders(config, len(vocabulary))
    LAYOUT.load_weights(folder, nn.ModuleDict(encoders))
    return encoders, vocabulary
