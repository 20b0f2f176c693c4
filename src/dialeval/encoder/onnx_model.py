"""Encoders on onnxruntime: no torch, and a tenth of its start-up time.

A session is given a graph, which names its weights and leaves their values out (`dialeval.encoder.graphs`), and the
weights themselves from verified safetensors, with the changes of an adapter merged into them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from dialeval.core import Integers
from dialeval.encoder.files import Vectors, Weights
from dialeval.encoder.graphs import PREFIXES, Architecture, encoder_graph, with_distances
from dialeval.encoder.model import UNCHANGED, Changes


@dataclass(frozen=True, slots=True, eq=False)
class OnnxModel:
    """A session of onnxruntime with the weights it was given, which it does not copy."""

    session: Any
    weights: tuple[Any, ...]
    layers: int

    def states(self, ids: Integers, mask: Integers, layer: int | None) -> Vectors:
        """The output of ``layer``, or of the last, for padded ids, shape (texts, tokens, size)."""
        output = f"layer_{self.layers if layer is None else layer}"
        return cast(Vectors, self.session.run([output], {"ids": ids, "mask": mask})[0])


def load_onnx(weights: Weights, changes: Changes = UNCHANGED) -> OnnxModel:
    """The model on the CPU in 32-bit floats."""
    import onnxruntime
    from safetensors.numpy import load_file

    tensors = load_file(weights.folder / "model.safetensors")
    # A model that was saved with a head on top holds its encoder under a prefix.
    for prefix in PREFIXES:
        tensors = {name.removeprefix(prefix): tensor for name, tensor in tensors.items()}
    tensors |= {name: change.of(tensors[name]) for name, change in changes.items()}
    setting = partial(weights.setting, "config.json")
    tensors = with_distances(tensors, setting)
    graph, names = encoder_graph({name: tensor.shape for name, tensor in tensors.items()}, setting)
    # The graph names each tensor once; each is let go when onnxruntime has its copy.
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(_taken(tensors, name)) for name in names]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # Threads that spin between batches would take the cores from everything else that runs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_external_initializers(names, values)
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    return OnnxModel(session, tuple(values), Architecture.of(setting).layers)


def _taken(tensors: dict[str, Vectors], name: str) -> Vectors:
    tensor = tensors.pop(name.removesuffix(".T")).astype(np.float32, copy=False)
    return np.ascontiguousarray(tensor.T if name.endswith(".T") else tensor)


@dataclass(frozen=True, slots=True, eq=False)
class FastTokenizer:
    """A tokenizer from ``tokenizer.json``, without transformers."""

    tokenizer: Any
    model_max_length: int
    pad_token_id: int | None
    cls_token_id: int | None
    sep_token_id: int | None

    def ids(self, texts: Sequence[str], longest: int) -> list[list[int]]:
        """Token ids of each text, special ones included, cut to ``longest``."""
        return [coded.ids for coded in self._cut(texts, longest)]

    def offsets(self, texts: Sequence[str], longest: int) -> list[list[tuple[int, int]]]:
        """Begin and end of each token in its text; empty for special ones."""
        return [coded.offsets for coded in self._cut(texts, longest)]

    def _cut(self, texts: Sequence[str], longest: int) -> list[Any]:
        self.tokenizer.enable_truncation(longest)
        return list(self.tokenizer.encode_batch(list(texts)))


def load_tokenizer(weights: Weights) -> FastTokenizer:
    """The tokenizer beside the weights, with its special tokens and its limit as its settings say."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(weights.folder / "tokenizer.json"))
    tokenizer.no_padding()
    limit = weights.setting("tokenizer_config.json", "model_max_length")

    def special(key: str, usual: str) -> int | None:
        named = weights.setting("tokenizer_config.json", key)
        text = named.get("content") if isinstance(named, dict) else named
        number: int | None = tokenizer.token_to_id(text if isinstance(text, str) else usual)
        return number

    return FastTokenizer(
        tokenizer,
        int(limit) if isinstance(limit, int | float) else 10**30,
        special("pad_token", "[PAD]"),
        special("cls_token", "[CLS]"),
        special("sep_token", "[SEP]"),
    )
