"""A trained model on disk: weights as safetensors, settings, words, and a card that says what it is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from safetensors.torch import save
from torch import nn

from dialeval.errors import BadInput
from dialeval.files.atomic import write_atomically
from dialeval.metrics.skip_thought.config import TrainConfig
from dialeval.metrics.skip_thought.layout import CARD, CONFIG, WEIGHTS, WORDS
from dialeval.metrics.skip_thought.vocabulary import Vocabulary
from dialeval.version import __version__

FORMAT: Final = 1


def write_model(
    folder: Path,
    models: Mapping[str, nn.Module],
    vocabulary: Vocabulary,
    config: TrainConfig,
    losses: Sequence[float],
    data: str,
    triples: int,
) -> None:
    """Write the model; its config comes last, so that where it is, all is."""
    tensors = {
        f"{part}.{name}": weight.detach()
        for part, model in models.items()
        for name, weight in model.named_parameters()
    }
    about = {
        "format": FORMAT,
        "model": "skip-thought",
        "dialeval": __version__,
        "data": {"sha256": data, "triples": triples},
        "train": asdict(config),
        "losses": list(losses),
    }
    write_atomically(folder / WEIGHTS, save(tensors))
    write_atomically(
        folder / WORDS, "".join(word + "\n" for word in vocabulary.words).encode("utf-8", "surrogatepass")
    )
    write_atomically(folder / CARD, _card(about, len(vocabulary)).encode())
    write_atomically(folder / CONFIG, (json.dumps(about, indent=2) + "\n").encode())


def read_config(folder: Path) -> TrainConfig:
    """How the folder's model was trained."""
    path = folder / CONFIG
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        if about["model"] != "skip-thought" or about["format"] != FORMAT:
            raise ValueError(f"model {about['model']!r} of format {about['format']!r}")
        return TrainConfig(**about["train"])
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(
            str(path),
            f"{type(error).__name__}: {error}",
            "the settings of a Skip-Thought model",
            "Give a folder that 'dialeval train skip-thought' wrote.",
        ) from error


def read_words(folder: Path, *, lowercase: bool) -> Vocabulary:
    """The words of the folder's model."""
    text = (folder / WORDS).read_text(encoding="utf-8", errors="surrogatepass")
    return Vocabulary(tuple(text.removesuffix("\n").split("\n")), lowercase)


def _card(about: Mapping[str, object], words: int) -> str:
    train, losses, data = about["train"], about["losses"], about["data"]
    assert isinstance(train, dict)
    assert isinstance(losses, list)
    assert isinstance(data, dict)
    settings = "\n".join(f"| {key} | {value} |" for key, value in train.items())
    epochs = "\n".join(f"| {epoch} | {loss:.4f} |" for epoch, loss in enumerate(losses, start=1))
    return f"""# Skip-Thought model ({train["kind"]}-skip)

A sentence encoder that learnt, without labels, to predict the turns before and after a turn (Kiros et al., 2015).
Trained with dialeval {about["dialeval"]}. Score with it: `dialeval score FILE -m "skip_thought(model='THIS FOLDER')"`.

Data: {data["triples"]} turns with their neighbours, sha256 `{data["sha256"]}`. Words known: {words}.
The licence of the data governs what you may do with the weights.

| setting | value |
|---|---|
{settings}

| epoch | training loss, nats per word |
|---|---|
{epochs}
"""
