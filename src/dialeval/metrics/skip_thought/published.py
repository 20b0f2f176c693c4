"""The layout in which the authors of Skip-Thought published their weights; docs/skip-thought.md describes it.

Nothing is unpickled: what their options files say is inferred from the arrays' shapes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from dialeval.encoder.model import Vectors
from dialeval.errors import BadInput
from dialeval.metrics.skip_thought.encoding import Part, SentenceEncoder
from dialeval.metrics.skip_thought.layout import DICTIONARY, PUBLISHED, published_files

UNKNOWN: Final = "UNK"
_PREFIXES: Final = {"uni": ("encoder",), "bi": ("encoder", "encoder_r")}
_TODO: Final = "Give the folder with the authors' files as they were published."


def load(folder: Path) -> SentenceEncoder:
    """The encoder in the folder: uni-skip, bi-skip or both, as it has them."""
    words = (folder / DICTIONARY).read_text(encoding="utf-8").split("\n")
    words = [word.strip() for word in (words[:-1] if words[-1] == "" else words)]
    index = {word: row for row, word in enumerate(words)}
    if UNKNOWN not in index:
        raise BadInput(str(folder / DICTIONARY), f"no word {UNKNOWN}", "a row for unknown words", _TODO)
    parts = []
    there = published_files(folder)
    for part, (table, weights) in PUBLISHED.items():
        if folder / weights in there:
            vectors = _table(folder / table, len(words))
            parts.append(Part(vectors, _gru(folder / weights, _PREFIXES[part], vectors.shape[1])))
    return SentenceEncoder(tuple(parts), index, index[UNKNOWN], lowercase=False)


def _table(path: Path, words: int) -> Vectors:
    # Mapped, not read: the published tables have 930,911 rows, of which a batch needs a few hundred.
    try:
        table: NDArray[np.float32] = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        raise BadInput(str(path), str(error), "an array of numbers", _TODO) from error
    if table.ndim != 2 or len(table) != words:
        needed = f"{words} rows, one for each word of {DICTIONARY}"
        raise BadInput(str(path), f"an array of shape {table.shape}", needed, _TODO)
    return table


def _gru(path: Path, prefixes: tuple[str, ...], inputs: int) -> nn.GRU:
    """Theano's GRU as PyTorch's: gates in the order reset, update, new; its one bias is PyTorch's first."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            ways = [
                [arrays[f"{prefix}_{name}"] for name in ("W", "U", "b", "Wx", "Ux", "bx")]
                for prefix in prefixes
            ]
    except (KeyError, ValueError) as error:
        raise BadInput(str(path), str(error).strip("'\""), "the arrays of a GRU encoder", _TODO) from error
    size = ways[0][4].shape[0]
    gru = nn.GRU(inputs, size, batch_first=True, bidirectional=len(prefixes) == 2)
    for (gates, recurrent, bias, new, recurrent_new, bias_new), suffix in zip(
        ways, ("", "_reverse"), strict=False
    ):
        shapes = [array.shape for array in (gates, recurrent, bias, new, recurrent_new, bias_new)]
        needed = [(inputs, 2 * size), (size, 2 * size), (2 * size,), (inputs, size), (size, size), (size,)]
        if shapes != needed:
            raise BadInput(str(path), f"arrays of shapes {shapes}", f"shapes {needed}", _TODO)
        with torch.no_grad():
            _fill(gru, f"weight_ih_l0{suffix}", np.concatenate([gates, new], axis=1).T)
            _fill(gru, f"weight_hh_l0{suffix}", np.concatenate([recurrent, recurrent_new], axis=1).T)
            _fill(gru, f"bias_ih_l0{suffix}", np.concatenate([bias, bias_new]))
            _fill(gru, f"bias_hh_l0{suffix}", np.zeros(3 * size))
    return gru.eval()


def _fill(gru: nn.GRU, name: str, values: NDArray[np.floating]) -> None:
    gru.get_parameter(name).copy_(torch.from_numpy(np.ascontiguousarray(values, np.float32)))
