"""BERT encoders as ONNX graphs, written without the ``onnx`` package.

Only the few messages of ONNX's protocol buffers (onnx.proto3, IR version 10, operator set 20) that such a graph needs
are written. The graph names its weights and leaves their values out: a session is given them from verified safetensors.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

Shape: TypeAlias = tuple[int, ...]

FLOAT: Final = 1
INT64: Final = 7
IR_VERSION: Final = 10
OPERATOR_SET: Final = 20
_MASKED: Final = -3.4028234663852886e38
"""The least 32-bit float, which softmax turns to 0, as transformers masks padding."""


class BertShape(NamedTuple):
    """What a graph depends on beside the shapes of its weights."""

    layers: int
    heads: int
    epsilon: float
    """Of the layer normalisations."""


class BertGraph(NamedTuple):
    """A graph from ``ids`` and ``mask`` to ``layer_0`` (the embeddings) up to the last layer's states."""

    model: bytes
    weights: tuple[str, ...]
    """The tensors that a session must be given; ``name.T`` is the transpose of the tensor ``name``."""


def bert_graph(shapes: Mapping[str, Shape], shape: BertShape) -> BertGraph:
    """BERT (Devlin et al., 2019) with absolute positions and exact GELU, for weights of these shapes."""
    graph = _Graph(shapes)
    states = graph.op("Identity", _embedded(graph, shape), name="layer_0")
    outside = graph.op("Cast", graph.op("Unsqueeze", "mask", graph.integers(1, 2)), to=FLOAT)
    bias = graph.op("Mul", graph.op("Sub", graph.real(1.0), outside), graph.real(_MASKED))
    for layer in range(shape.layers):
        states = _layer(graph, states, bias, f"encoder.layer.{layer}.", shape)
        states = graph.op("Identity", states, name=f"layer_{layer + 1}")
    outputs = [f"layer_{layer}" for layer in range(shape.layers + 1)]
    return BertGraph(graph.model(("ids", "mask"), outputs), tuple(graph.weights))


def _embedded(graph: _Graph, shape: BertShape) -> str:
    """Sums of the vectors of words, of the first segment and of positions, normalised."""
    zero, first = graph.integers(0), graph.integers(1)
    words = graph.op("Gather", graph.weight("embeddings.word_embeddings.weight"), "ids")
    kinds = graph.op("Slice", graph.weight("embeddings.token_type_embeddings.weight"), zero, first, zero)
    length = graph.op("Shape", "ids", start=1, end=2)
    places = graph.op("Slice", graph.weight("embeddings.position_embeddings.weight"), zero, length, zero)
    summed = graph.op("Add", graph.op("Add", words, kinds), places)
    return graph.normalised(summed, "embeddings.LayerNorm", shape.epsilon)


def _layer(graph: _Graph, states: str, bias: str, prefix: str, shape: BertShape) -> str:
    attended = graph.linear(_attention(graph, states, bias, prefix, shape), f"{prefix}attention.output.dense")
    middle = graph.normalised(
        graph.op("Add", attended, states), f"{prefix}attention.output.LayerNorm", shape.epsilon
    )
    wide = _gelu(graph, graph.linear(middle, f"{prefix}intermediate.dense"))
    narrow = graph.linear(wide, f"{prefix}output.dense")
    return graph.normalised(graph.op("Add", narrow, middle), f"{prefix}output.LayerNorm", shape.epsilon)


def _attention(graph: _Graph, states: str, bias: str, prefix: str, shape: BertShape) -> str:
    hidden = graph.shapes["embeddings.word_embeddings.weight"][1]
    size = hidden // shape.heads
    apart = graph.integers(0, 0, shape.heads, size)
    query, key, value = (
        graph.op("Reshape", graph.linear(states, f"{prefix}attention.self.{name}"), apart)
        for name in ("query", "key", "value")
    )
    query, value = (graph.op("Transpose", tensor, perm=(0, 2, 1, 3)) for tensor in (query, value))
    alike = graph.op("MatMul", query, graph.op("Transpose", key, perm=(0, 2, 3, 1)))
    scaled = graph.op("Add", graph.op("Mul", alike, graph.real(size**-0.5)), bias)
    mixed = graph.op("MatMul", graph.op("Softmax", scaled, axis=-1), value)
    return graph.op("Reshape", graph.op("Transpose", mixed, perm=(0, 2, 1, 3)), graph.integers(0, 0, hidden))


def _gelu(graph: _Graph, tensor: str) -> str:
    bent = graph.op("Erf", graph.op("Mul", tensor, graph.real(2**-0.5)))
    halved = graph.op("Mul", tensor, graph.real(0.5))
    return graph.op("Mul", halved, graph.op("Add", bent, graph.real(1.0)))


class _Graph:
    """A graph under construction: every method adds to it and returns the name of what it added."""

    def __init__(self, shapes: Mapping[str, Shape]) -> None:
        self.shapes = shapes
        self.weights: list[str] = []
        self._nodes: list[bytes] = []
        self._tensors: list[bytes] = []

    def op(self, kind: str, *inputs: str, name: str | None = None, **attributes: int | float | Shape) -> str:
        output = name or f"node_{len(self._nodes)}"
        node = b"".join(_block(1, each) for each in inputs) + _block(2, output) + _block(4, kind)
        self._nodes.append(_block(1, node + b"".join(_attribute(*pair) for pair in attributes.items())))
        return output

    def linear(self, tensor: str, prefix: str) -> str:
        product = self.op("MatMul", tensor, self.weight(f"{prefix}.weight.T"))
        return self.op("Add", product, self.weight(f"{prefix}.bias"))

    def normalised(self, tensor: str, prefix: str, epsilon: float) -> str:
        scale, bias = self.weight(f"{prefix}.weight"), self.weight(f"{prefix}.bias")
        return self.op("LayerNormalization", tensor, scale, bias, axis=-1, epsilon=epsilon)

    def weight(self, name: str) -> str:
        shape = self.shapes[name.removesuffix(".T")]
        elsewhere = _block(13, _block(1, "location") + _block(2, "safetensors")) + _number(14, 1)
        self._tensor(name, shape[::-1] if name.endswith(".T") else shape, FLOAT, elsewhere)
        self.weights.append(name)
        return name

    def integers(self, *values: int) -> str:
        data = _block(9, struct.pack(f"<{len(values)}q", *values))
        return self._tensor(f"constant_{len(self._tensors)}", (len(values),), INT64, data)

    def real(self, value: float) -> str:
        data = _block(9, struct.pack("<f", value))
        return self._tensor(f"constant_{len(self._tensors)}", (), FLOAT, data)

    def model(self, inputs: Sequence[str], outputs: Sequence[str]) -> bytes:
        ends = [_value(11, name, INT64, ("batch", "length")) for name in inputs]
        ends += [_value(12, name, FLOAT, ("batch", "length", "hidden")) for name in outputs]
        graph = b"".join([*self._nodes, _block(2, "bert"), *self._tensors, *ends])
        operators = _block(8, _block(1, "") + _number(2, OPERATOR_SET))
        return _number(1, IR_VERSION) + _block(2, "dialeval") + _block(7, graph) + operators

    def _tensor(self, name: str, shape: Shape, kind: int, data: bytes) -> str:
        dimensions = b"".join(_number(1, size) for size in shape)
        self._tensors.append(_block(5, dimensions + _number(2, kind) + _block(8, name) + data))
        return name


def _attribute(name: str, value: int | float | Shape) -> bytes:
    if isinstance(value, float):
        held, kind = _varint(2 << 3 | 5) + struct.pack("<f", value), 1
    elif isinstance(value, int):
        held, kind = _number(3, value), 2
    else:
        held, kind = b"".join(_number(8, each) for each in value), 7
    return _block(5, _block(1, name) + held + _number(20, kind))


def _value(field: int, name: str, kind: int, dimensions: Sequence[str]) -> bytes:
    shape = b"".join(_block(1, _block(2, each)) for each in dimensions)
    return _block(field, _block(1, name) + _block(2, _block(1, _number(1, kind) + _block(2, shape))))


def _block(field: int, data: bytes | str) -> bytes:
    content = data.encode() if isinstance(data, str) else data
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; negative numbers as 64-bit two's complement."""
    rest = value & 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)
    return bytes(out)
