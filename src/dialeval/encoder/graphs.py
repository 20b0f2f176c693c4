"""Graphs of encoders for onnxruntime, from their settings and the shapes of their weights; no weights are inside.

BERT (Devlin et al., 2019), MPNet (Song et al., 2020) and DeBERTa-v2 and -v3 (He et al., 2021) are the same layers but
for positions: BERT adds vectors of places; MPNet adds a number per head for each distance of two tokens; DeBERTa
compares each token with vectors of distances, both ways. Each distance occurs once per text in our graphs, so the cost
of positions grows with the length of a text and not with the number of distances that a model knows.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.encoder.protobuf import FLOAT, INT64, Shape, block, number, real

Tensors: TypeAlias = dict[str, NDArray[np.float32]]
Settings: TypeAlias = Callable[[str], object]
"""A model's setting by its name; None if it has none."""

IR_VERSION: Final = 10
OPERATOR_SET: Final = 20
_MASKED: Final = -3.4028234663852886e38
"""The least 32-bit float, which softmax turns to 0, as transformers masks padding."""
_POSITIONS: Final = 512
"""Tokens that models read if their settings do not say."""


class _Names(NamedTuple):
    """Names of the parts of a layer that differ between models."""

    query: str = "attention.self.query"
    key: str = "attention.self.key"
    value: str = "attention.self.value"
    attended: str = "attention.output.dense"
    normalised: str = "attention.output.LayerNorm"


_NAMES: Final[Mapping[str, _Names]] = {
    "bert": _Names(),
    "mpnet": _Names(
        "attention.attn.q", "attention.attn.k", "attention.attn.v", "attention.attn.o", "attention.LayerNorm"
    ),
    "deberta-v2": _Names("attention.self.query_proj", "attention.self.key_proj", "attention.self.value_proj"),
}
PREFIXES: Final = ("bert.", "mpnet.", "deberta.")
"""Before the names of an encoder's weights in a model that was saved with a head on top."""

_REQUIRED: Final[Mapping[str, Mapping[str, object]]] = {
    "bert": {"hidden_act": "gelu", "position_embedding_type": "absolute"},
    "mpnet": {"hidden_act": "gelu", "relative_attention_num_buckets": 32},
    "deberta-v2": {
        "hidden_act": "gelu",
        "relative_attention": True,
        "share_att_key": True,
        "position_biased_input": False,
        "type_vocab_size": 0,
        "conv_kernel_size": 0,
        "embedding_size": 0,
        "attention_head_size": 0,
        "max_relative_positions": -1,
    },
}
"""Settings that the graphs describe, by the type of a model."""
_USUAL: Final[Mapping[str, object]] = {
    "hidden_act": "gelu",
    "position_embedding_type": "absolute",
    "relative_attention_num_buckets": 32,
    "relative_attention": False,
    "share_att_key": False,
    "position_biased_input": True,
    "type_vocab_size": 0,
    "conv_kernel_size": 0,
    "embedding_size": 0,
    "attention_head_size": 0,
    "max_relative_positions": -1,
}
"""Values of settings that a model does not give."""


def is_described(setting: Settings) -> bool:
    """Whether there is a graph for a model of these settings."""
    kind = setting("model_type")
    if not isinstance(kind, str) or kind not in _REQUIRED:
        return False
    given = {name: _USUAL[name] if setting(name) is None else setting(name) for name in _REQUIRED[kind]}
    if given != _REQUIRED[kind]:
        return False
    return kind != "deberta-v2" or (
        _compared(setting) == {"c2p", "p2c"} and _whole(setting, "position_buckets") > 0
    )


def _compared(setting: Settings) -> set[str]:
    """Ways in which DeBERTa compares tokens with distances."""
    given = setting("pos_att_type")
    if isinstance(given, str):
        return set(given.split("|"))
    return set(map(str, given)) if isinstance(given, list) else set()


def _whole(setting: Settings, name: str, usual: int = 0) -> int:
    given = setting(name)
    return given if isinstance(given, int) else usual


class Architecture(NamedTuple):
    """Sizes of a model beside the shapes of its weights."""

    kind: str
    layers: int
    heads: int
    epsilon: float
    """Of the layer normalisations."""
    longest: int = _POSITIONS
    """Distances of tokens are below it."""

    @classmethod
    def of(cls, setting: Settings) -> Architecture:
        """The architecture in a model's settings."""
        epsilon = setting("layer_norm_eps")
        return cls(
            kind=str(setting("model_type")),
            layers=_whole(setting, "num_hidden_layers"),
            heads=_whole(setting, "num_attention_heads"),
            epsilon=epsilon if isinstance(epsilon, float) else 1e-12,
            longest=_whole(setting, "max_position_embeddings", _POSITIONS),
        )


def with_distances(tensors: Tensors, setting: Settings) -> Tensors:
    """The weights, and what follows from them alone about distances of tokens."""
    model = Architecture.of(setting)
    if model.kind == "mpnet":
        buckets = mpnet_buckets(np.arange(-model.longest, model.longest + 1), 32)
        return {
            **tensors,
            "distances": np.ascontiguousarray(tensors["encoder.relative_attention_bias.weight"][buckets].T),
        }
    if model.kind != "deberta-v2":
        return tensors
    span = _whole(setting, "position_buckets")
    places = tensors["encoder.rel_embeddings.weight"][: 2 * span].astype(np.float64)
    if "layer_norm" in str(setting("norm_rel_ebd")):
        places -= places.mean(axis=1, keepdims=True)
        places /= np.sqrt((places**2).mean(axis=1, keepdims=True) + model.epsilon)
        places = places * tensors["encoder.LayerNorm.weight"] + tensors["encoder.LayerNorm.bias"]
    known = dict(tensors)
    for layer in range(model.layers):
        for part in ("query_proj", "key_proj"):
            name = f"encoder.layer.{layer}.attention.self.{part}"
            vectors = places @ tensors[f"{name}.weight"].T.astype(np.float64) + tensors[f"{name}.bias"]
            heads = vectors.reshape(len(places), model.heads, -1).transpose(1, 2, 0)
            known[f"{name}.distances"] = np.ascontiguousarray(heads, dtype=np.float32)
    return known


def mpnet_buckets(distances: NDArray[np.int64], count: int, furthest: int = 128) -> NDArray[np.int64]:
    """The bucket of each distance from a token to another (Raffel et al., 2020): far ones share theirs."""
    half = count // 2
    exact = half // 2
    away = np.abs(distances)
    # In 32 bits, as transformers computes it: a bucket's border must not fall on the other side of a distance.
    logs = np.log(np.maximum(away, 1).astype(np.float32) / np.float32(exact)) / np.float32(
        math.log(furthest / exact)
    )
    far = np.minimum(exact + (logs * np.float32(half - exact)).astype(np.int64), half - 1)
    buckets: NDArray[np.int64] = np.where(distances > 0, half, 0) + np.where(away < exact, away, far)
    return buckets


def deberta_buckets(distances: NDArray[np.int64], buckets: int, longest: int) -> NDArray[np.int64]:
    """The row of each distance in the table of distances: exact if near, else by its logarithm."""
    middle = buckets // 2
    away = np.maximum(np.abs(distances), 1).astype(np.float32)
    scale = np.log(np.float32((longest - 1) / middle))
    logs = np.ceil(np.log(away / np.float32(middle)) / scale * np.float32(middle - 1)) + middle
    signed = np.where(np.abs(distances) <= middle, distances, logs * np.sign(distances)).astype(np.int64)
    rows: NDArray[np.int64] = np.clip(signed + buckets, 0, 2 * buckets - 1)
    return rows


def encoder_graph(shapes: Mapping[str, Shape], setting: Settings) -> tuple[bytes, list[str]]:
    """The encoder of these settings with exact GELU, for weights of these shapes.

    Return the graph from ``ids`` and ``mask`` to ``layer_0`` (the embeddings) up to the last layer's states, and the
    tensors that a session must be given; ``name.T`` is the transpose of the tensor ``name``.
    """
    model = Architecture.of(setting)
    graph = _Graph(shapes)
    states = graph.op("Identity", _embedded(graph, model), name="layer_0")
    outside = graph.op("Cast", graph.op("Unsqueeze", "mask", graph.integers(1, 2)), to=FLOAT)
    bias = graph.op("Mul", graph.op("Sub", graph.real(1.0), outside), graph.real(_MASKED))
    places = _Places.of(graph, model, _whole(setting, "position_buckets"))
    for layer in range(model.layers):
        states = _layer(graph, states, bias, f"encoder.layer.{layer}.", model, places)
        states = graph.op("Identity", states, name=f"layer_{layer + 1}")
    outputs = [f"layer_{layer}" for layer in range(model.layers + 1)]
    return graph.model(("ids", "mask"), outputs), list(graph.weights)


def _embedded(graph: _Graph, model: Architecture) -> str:
    """Sums of the vectors of words and, in models that have them, of the first segment and of places, normalised."""
    zero, first = graph.integers(0), graph.integers(1)
    words = graph.op("Gather", graph.weight("embeddings.word_embeddings.weight"), "ids")
    if model.kind == "bert":
        kinds = graph.op("Slice", graph.weight("embeddings.token_type_embeddings.weight"), zero, first, zero)
        length = graph.op("Shape", "ids", start=1, end=2)
        places = graph.op("Slice", graph.weight("embeddings.position_embeddings.weight"), zero, length, zero)
        words = graph.op("Add", graph.op("Add", words, kinds), places)
    elif model.kind == "mpnet":
        # Its first place is the id of padding plus one.
        begin, length = graph.integers(2), graph.op("Shape", "ids", start=1, end=2)
        end = graph.op("Add", length, begin)
        places = graph.op("Slice", graph.weight("embeddings.position_embeddings.weight"), begin, end, zero)
        words = graph.op("Add", words, places)
    return graph.normalised(words, "embeddings.LayerNorm", model.epsilon)


def _layer(graph: _Graph, states: str, bias: str, prefix: str, model: Architecture, places: _Places) -> str:
    names = _NAMES[model.kind]
    attended = graph.linear(
        _attention(graph, states, bias, prefix, model, places), f"{prefix}{names.attended}"
    )
    middle = graph.normalised(graph.op("Add", attended, states), f"{prefix}{names.normalised}", model.epsilon)
    wide = _gelu(graph, graph.linear(middle, f"{prefix}intermediate.dense"))
    narrow = graph.linear(wide, f"{prefix}output.dense")
    return graph.normalised(graph.op("Add", narrow, middle), f"{prefix}output.LayerNorm", model.epsilon)


def _attention(
    graph: _Graph, states: str, bias: str, prefix: str, model: Architecture, places: _Places
) -> str:
    names = _NAMES[model.kind]
    hidden = graph.shapes["embeddings.word_embeddings.weight"][1]
    size = hidden // model.heads
    apart = graph.integers(0, 0, model.heads, size)
    query, key, value = (
        graph.op("Reshape", graph.linear(states, f"{prefix}{name}"), apart) for name in names[:3]
    )
    query, value = (graph.op("Transpose", tensor, perm=(0, 2, 1, 3)) for tensor in (query, value))
    alike = graph.op("MatMul", query, graph.op("Transpose", key, perm=(0, 2, 3, 1)))
    if model.kind == "deberta-v2":
        keys = graph.op("Transpose", key, perm=(0, 2, 1, 3))
        alike = graph.op("Add", alike, places.compared(query, f"{prefix}{names.key}", backwards=True))
        other = places.compared(keys, f"{prefix}{names.query}", backwards=False)
        alike = graph.op("Add", alike, graph.op("Transpose", other, perm=(0, 1, 3, 2)))
        size *= 3
    scaled = graph.op("Mul", alike, graph.real(size**-0.5))
    if places.bias is not None:
        scaled = graph.op("Add", scaled, places.bias)
    mixed = graph.op("MatMul", graph.op("Softmax", graph.op("Add", scaled, bias), axis=-1), value)
    return graph.op("Reshape", graph.op("Transpose", mixed, perm=(0, 2, 1, 3)), graph.integers(0, 0, hidden))


def _gelu(graph: _Graph, tensor: str) -> str:
    bent = graph.op("Erf", graph.op("Mul", tensor, graph.real(2**-0.5)))
    halved = graph.op("Mul", tensor, graph.real(0.5))
    return graph.op("Mul", halved, graph.op("Add", bent, graph.real(1.0)))


@dataclass(frozen=True, slots=True)
class _Places:
    """What a graph knows of distances of tokens, for texts of length ``n``."""

    graph: _Graph
    length: str = ""
    forwards: str = ""
    """The rows of the distances -(n - 1), ..., n in the table of distances."""
    backwards: str = ""
    """The rows of the distances n - 1, ..., -n."""
    bias: str | None = None
    """What is added to the likeness of two tokens, shape (heads, n, n)."""

    @classmethod
    def of(cls, graph: _Graph, model: Architecture, buckets: int) -> _Places:
        if model.kind == "bert":
            return cls(graph)
        length = graph.op("Shape", "ids", start=1, end=2)
        middle = graph.integers(model.longest + 1)
        bounds = graph.op("Sub", middle, length), graph.op("Add", middle, length)
        if model.kind == "mpnet":
            near = graph.op("Slice", graph.weight("distances"), *bounds, graph.integers(1))
            rows = graph.op("Unsqueeze", near, graph.integers(1))
            shape = graph.op("Concat", graph.integers(model.heads), length, graph.integers(1), axis=0)
            return cls(graph, bias=_shifted(graph, graph.op("Expand", rows, shape), length, (0,)))
        known = np.arange(-model.longest, model.longest + 1)
        rows = deberta_buckets(known, buckets, model.longest).tolist()
        both = [
            graph.op("Slice", graph.integers(*each), *bounds, graph.integers(0))
            for each in (rows, rows[::-1])
        ]
        return cls(graph, length, *both)

    def compared(self, tensor: str, table: str, *, backwards: bool) -> str:
        """The product of each token, in rows, with the vector of its distance from or to each other one, in columns."""
        rows = self.backwards if backwards else self.forwards
        near = self.graph.op("Gather", self.graph.weight(f"{table}.distances"), rows, axis=2)
        return _shifted(self.graph, self.graph.op("MatMul", tensor, near), self.length, (0, 0))


def _shifted(graph: _Graph, tensor: str, length: str, outer: Shape) -> str:
    """From rows of 2 n columns to (n, n): column ``j`` of row ``i`` was column ``j - i + n - 1``.

    Rows of one column less, from the ``n``-th number on, do that without looking anything up.
    """
    axis, one, two = graph.integers(len(outer)), graph.integers(1), graph.integers(2)
    flat = graph.op("Reshape", tensor, graph.integers(*outer, -1))
    begin = graph.op("Sub", length, one)
    width = graph.op("Sub", graph.op("Mul", length, two), one)
    end = graph.op("Add", begin, graph.op("Mul", length, width))
    kept = graph.op("Slice", flat, begin, end, axis)
    shape = graph.op("Concat", graph.integers(*outer), length, width, axis=0)
    square = graph.op("Reshape", kept, shape)
    return graph.op("Slice", square, graph.integers(0), length, graph.integers(len(outer) + 1))


class _Graph:
    """A graph under construction: every method adds to it and returns the name of what it added."""

    def __init__(self, shapes: Mapping[str, Shape]) -> None:
        self.shapes = shapes
        self.weights: list[str] = []
        self._nodes: list[bytes] = []
        self._tensors: list[bytes] = []

    def op(self, kind: str, *inputs: str, name: str | None = None, **attributes: int | float | Shape) -> str:
        output = name or f"node_{len(self._nodes)}"
        node = b"".join(block(1, each) for each in inputs) + block(2, output) + block(4, kind)
        self._nodes.append(block(1, node + b"".join(_attribute(*pair) for pair in attributes.items())))
        return output

    def linear(self, tensor: str, prefix: str) -> str:
        product = self.op("MatMul", tensor, self.weight(f"{prefix}.weight.T"))
        return self.op("Add", product, self.weight(f"{prefix}.bias"))

    def normalised(self, tensor: str, prefix: str, epsilon: float) -> str:
        scale, bias = self.weight(f"{prefix}.weight"), self.weight(f"{prefix}.bias")
        return self.op("LayerNormalization", tensor, scale, bias, axis=-1, epsilon=epsilon)

    def weight(self, name: str) -> str:
        shape = self.shapes[name.removesuffix(".T")]
        elsewhere = block(13, block(1, "location") + block(2, "safetensors")) + number(14, 1)
        self._tensor(name, shape[::-1] if name.endswith(".T") else shape, FLOAT, elsewhere)
        self.weights.append(name)
        return name

    def integers(self, *values: int) -> str:
        data = block(9, struct.pack(f"<{len(values)}q", *values))
        return self._tensor(f"constant_{len(self._tensors)}", (len(values),), INT64, data)

    def real(self, value: float) -> str:
        data = block(9, struct.pack("<f", value))
        return self._tensor(f"constant_{len(self._tensors)}", (), FLOAT, data)

    def model(self, inputs: Sequence[str], outputs: Sequence[str]) -> bytes:
        ends = [_value(11, name, INT64, ("batch", "length")) for name in inputs]
        ends += [_value(12, name, FLOAT, ("batch", "length", "hidden")) for name in outputs]
        graph = b"".join([*self._nodes, block(2, "encoder"), *self._tensors, *ends])
        operators = block(8, block(1, "") + number(2, OPERATOR_SET))
        return number(1, IR_VERSION) + block(2, "dialeval") + block(7, graph) + operators

    def _tensor(self, name: str, shape: Shape, kind: int, data: bytes) -> str:
        dimensions = b"".join(number(1, size) for size in shape)
        self._tensors.append(block(5, dimensions + number(2, kind) + block(8, name) + data))
        return name


def _attribute(name: str, value: int | float | Shape) -> bytes:
    if isinstance(value, float):
        held, kind = real(2, value), 1
    elif isinstance(value, int):
        held, kind = number(3, value), 2
    else:
        held, kind = b"".join(number(8, each) for each in value), 7
    return block(5, block(1, name) + held + number(20, kind))


def _value(field: int, name: str, kind: int, dimensions: Sequence[str]) -> bytes:
    shape = b"".join(block(1, block(2, each)) for each in dimensions)
    return block(field, block(1, name) + block(2, block(1, number(1, kind) + block(2, shape))))
