"""Skip-Thought encoders from disk: our own folders, or the authors'."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.torch import load_file

from dialeval.errors import BadInput
from dialeval.metrics.embedding.sources import Source
from dialeval.metrics.skip_thought import folder as own, published
from dialeval.metrics.skip_thought.encoding import Part, SentenceEncoder
from dialeval.metrics.skip_thought.expansion import expand
from dialeval.metrics.skip_thought.layout import CONFIG, WEIGHTS, own_files
from dialeval.metrics.skip_thought.model import SkipThought
from dialeval.metrics.skip_thought.vocabulary import UNKNOWN


@lru_cache(maxsize=2)
def load_sentence_encoder(folder: Path, sha256: str, vectors: str | None) -> SentenceEncoder:
    """The encoder in the folder, with words from ``vectors`` where they are named; loaded once a process.

    ``sha256`` is that of the files: another hash is another encoder, though the folder be the same.
    """
    encoder = _load_own(folder) if own_files(folder) else published.load(folder)
    if vectors is None:
        return encoder
    source = Source(vectors).load()
    words = list(encoder.index)
    rows = [encoder.index[word] for word in words]
    parts = (replace(part, expand=expand(source, words, part.table[rows])) for part in encoder.parts)
    return replace(encoder, parts=tuple(parts))


def _load_own(folder: Path) -> SentenceEncoder:
    config = own.read_config(folder)
    vocabulary = own.read_words(folder, lowercase=config.lowercase)
    parts = []
    try:
        tensors = load_file(folder / WEIGHTS)
        for part in config.parts:
            model = SkipThought(part, len(vocabulary), config)
            weights = {
                name.removeprefix(f"{part}."): each
                for name, each in tensors.items()
                if name.startswith(f"{part}.")
            }
            model.load_state_dict(weights)
            table = np.asarray(model.words.weight.detach().numpy(), np.float32)
            parts.append(Part(table, model.encoder.eval().requires_grad_(False)))
    except (SafetensorError, RuntimeError, OSError) as error:
        reason = str(error).strip().splitlines()[0]
        raise BadInput(
            str(folder / WEIGHTS),
            reason,
            f"the weights that {CONFIG} describes",
            "Train the model again.",
        ) from error
    return SentenceEncoder(tuple(parts), vocabulary.index, UNKNOWN, config.lowercase)
