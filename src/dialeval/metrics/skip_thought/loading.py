"""Skip-Thought encoders loaded from folders of ours or of the authors."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from dialeval.metrics.embedding.sources import Source
from dialeval.metrics.skip_thought import published
from dialeval.metrics.skip_thought.encoding import Part, SentenceEncoder
from dialeval.metrics.skip_thought.expansion import expand
from dialeval.metrics.skip_thought.folder import read_model
from dialeval.metrics.skip_thought.layout import own_files
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
    encoders, vocabulary = read_model(folder)
    parts = [
        Part(
            np.asarray(encoder.words.weight.detach().numpy(), np.float32),
            encoder.encoder.eval().requires_grad_(False),
        )
        for encoder in encoders.values()
    ]
    return SentenceEncoder(tuple(parts), vocabulary.index, UNKNOWN, vocabulary.lowercase)
