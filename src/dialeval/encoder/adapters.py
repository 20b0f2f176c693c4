"""Adapters: a small change of an encoder and a head on top of it, in one safetensors file; loads no torch.

An adapter holds low-rank changes of weight matrices (LoRA, Hu et al., 2022), or whole weights if all were trained,
and a head: the first token's state beside the mean of all, through a tanh layer, to one or more outputs (logits). The
changes are added to the encoder's weights once, when it is loaded, so an adapted encoder is as fast as a plain one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from dialeval.core import Floats
from dialeval.encoder.bases import BASES, EMBEDDED
from dialeval.encoder.files import Vectors, Weights, find_encoder
from dialeval.encoder.model import Change, Encoder, Fit, encoder_of, load_encoder, segment_ids
from dialeval.errors import ResourceUnavailable
from dialeval.files.digests import hash_file
from dialeval.files.foreign import as_bad_input, safetensors_errors, weights_path
from dialeval.resources.device import scoring_device, scoring_precision

ADAPTER: Final = "adapter.safetensors"
"""The file of an adapter in the folder of a trained model."""
ABOUT: Final = "about"
"""The key of an adapter's description in the file's metadata."""
FORMAT: Final = 1
DOWN, UP, WHOLE, HEAD = ".lora_down", ".lora_up", ".whole", "head."
"""Names of tensors: the two factors of a change, a weight that was trained as a whole, and the head's."""
_MOST_CHANGED: Final = 2**28
"""Numbers of the largest weight that two factors may make: small factors can have a product of any size."""
_AT_ONCE: Final = 16
"""Texts of a batch. On one thread more are slower if the encoder is small: their states no longer fit its cache."""


@dataclass(frozen=True, slots=True)
class About:
    """Description of an adapter and of its inputs."""

    kind: str
    """Purpose that it was trained for, such as ``contradiction``."""
    outputs: tuple[str, ...]
    """A name for each logit."""
    encoder: str
    """The name of the encoder that it changes: ``minilm``, a folder, or a name on the hub."""
    sha256: str
    """Of that encoder's files."""
    scale: float
    """By which the product of the low-rank factors is multiplied."""
    longest: int
    """Tokens that are read of a text, special ones included."""
    fit: Fit
    """Way in which longer ones are cut."""
    facts: Mapping[str, Any]
    """Further facts from the trainer, such as a threshold, as JSON values."""

    def text(self) -> str:
        """As the file's metadata hold it."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return json.dumps({"format": FORMAT, **fields}, sort_keys=True)


@dataclass(frozen=True, slots=True)
class AdapterFile:
    """A file that holds an adapter, and the encoder that it changes."""

    path: Path
    sha256: str
    about: About
    weights: Weights

    @property
    def fact(self) -> str:
        """Name and hash as a signature shows them."""
        return f"{self.about.kind}:{self.sha256[:12]}"

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The adapter as a signature shows it, and the base unless that is the embedded encoder."""
        base = () if self.weights.name == BASES[EMBEDDED].resource else (("base", self.weights.fact),)
        return (("adapter", self.fact), *base)

    @property
    def resources(self) -> Mapping[str, str]:
        """The adapter and the encoder, each with its sha256."""
        return {self.path.name: self.sha256, **self.weights.resources}

    @property
    def rank(self) -> int | None:
        """Of its changes; None if weights were trained as a whole."""
        shapes = tensor_shapes(self.path)
        return next((shape[0] for name, shape in shapes.items() if name.endswith(DOWN)), None)


def tensor_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The shape of every tensor in a file, none of which is read."""
    from safetensors import safe_open

    with _refusing(path), safe_open(path, "np") as file:
        return {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118


@dataclass(frozen=True, slots=True, eq=False)
class Adapted:
    """An encoder with an adapter's changes and its head."""

    about: About
    encoder: Encoder
    head: Mapping[str, Vectors]

    def tokens(self, texts: Sequence[Sequence[str]]) -> list[list[int]]:
        """Token ids of texts in segments, cut as the adapter was trained."""
        return segment_ids(self.encoder, texts, longest=self.about.longest, fit=self.about.fit)

    def logits(self, texts: Sequence[Sequence[str]]) -> Floats:
        """The head's outputs for texts in segments, shape (texts, outputs); each different text is run once."""
        return self.logits_of(self.tokens(texts))

    def logits_of(self, tokens: Sequence[Sequence[int]]) -> Floats:
        """The head's outputs for texts as token ids, shape (texts, outputs)."""
        if not tokens:
            return np.zeros((0, len(self.about.outputs)))
        different = {tuple(ids): row for row, ids in enumerate(dict.fromkeys(map(tuple, tokens)))}
        states = self.encoder.states(list(different), keep=first_and_mean, at_once=_AT_ONCE)
        pooled = np.stack(states).astype(np.float64)
        hidden = np.tanh(pooled @ self._head("hidden.weight").T + self._head("hidden.bias"))
        out: Floats = hidden @ self._head("out.weight").T + self._head("out.bias")
        return out[[different[tuple(ids)] for ids in tokens]]

    def _head(self, name: str) -> Floats:
        if name not in self.head:
            raise ResourceUnavailable(
                f"The adapter for {self.about.kind} lacks {HEAD}{name}. Train it again, or give another."
            )
        return self.head[name].astype(np.float64)


def first_and_mean(states: Vectors) -> Vectors:
    """The first token's state, then the mean of all, shape (2 * size,)."""
    pooled: Vectors = np.concatenate([states[0], states.mean(axis=0)])
    return pooled


def find_adapter(path: Path, *, encoder: str | None = None, hub: bool = False) -> AdapterFile:
    """The adapter in a file, with its encoder's files; ``encoder`` names another place of the same encoder."""
    about = _read_about(path)
    weights = find_encoder(encoder or about.encoder, hub=hub)
    if weights.sha256 != about.sha256:
        raise ResourceUnavailable(
            f"{path} changes the encoder {about.encoder} with sha256 {about.sha256[:12]}..., and the one found at "
            f"{weights.folder} has {weights.sha256[:12]}.... Give the encoder that the adapter was trained on."
        )
    return AdapterFile(path, hash_file(path), about, weights)


@lru_cache(maxsize=4)
def _load(path: Path, sha256: str, weights: Weights, _device: str, _precision: str) -> Adapted:
    from safetensors.numpy import load_file

    about = _read_about(path)
    with _refusing(path):
        tensors = load_file(path)
        changes = changes_of(tensors, about.scale)
    head = {name.removeprefix(HEAD): tensor for name, tensor in tensors.items() if name.startswith(HEAD)}
    return Adapted(about, encoder_of(weights, changes=changes) if changes else load_encoder(weights), head)


def load_adapter(file: AdapterFile) -> Adapted:
    """The encoder with the adapter's changes, loaded once a process; on onnxruntime if a graph of ours describes it."""
    return _load(file.path, file.sha256, file.weights, scoring_device(), scoring_precision())


def write_head(
    path: Path,
    head: Mapping[str, Vectors],
    weights: Weights,
    encoder: str,
    kind: str,
    longest: int,
    facts: Mapping[str, Any],
) -> None:
    """Write a head on an encoder that is left as it is."""
    from safetensors.numpy import save_file

    about = About(kind, (), encoder, weights.sha256, 1.0, longest, "longest", dict(facts))
    with weights_path(path) as scratch:
        save_file({HEAD + name: tensor for name, tensor in head.items()}, scratch, {ABOUT: about.text()})


def changes_of(tensors: Mapping[str, Vectors], scale: float) -> dict[str, Change]:
    """Changes of each weight by an adapter."""
    changes = {}
    for name, tensor in tensors.items():
        if name.endswith(DOWN):
            weight = name.removesuffix(DOWN)
            up = tensors[weight + UP].astype(np.float32)
            if up.shape[0] * tensor.shape[-1] > _MOST_CHANGED:
                raise ValueError(f"{weight} of shape {(up.shape[0], tensor.shape[-1])}, which no encoder has")
            changes[weight] = Change(scale * (up @ tensor.astype(np.float32)), whole=False)
        elif name.endswith(WHOLE):
            changes[name.removesuffix(WHOLE)] = Change(tensor.astype(np.float32), whole=True)
    return changes


def _read_about(path: Path) -> About:
    from safetensors import safe_open

    if not path.is_file():
        raise ResourceUnavailable(f"There is no adapter at {path}. Give a file that 'dialeval train' wrote.")
    with _refusing(path):
        with safe_open(path, "np") as file:
            fields: dict[str, Any] = json.loads((file.metadata() or {})[ABOUT])
        if fields.pop("format") != FORMAT:
            raise ValueError("another format")
        wrong = [name for name, kinds in _FIELDS.items() if not isinstance(fields.get(name), kinds)]
        if wrong:
            raise ValueError(f"{wrong[0]} is {fields.get(wrong[0])!r}")
        return About(**{**fields, "outputs": tuple(fields["outputs"])})


_FIELDS: Final[Mapping[str, tuple[type, ...]]] = {
    **dict.fromkeys(("kind", "encoder", "sha256", "fit"), (str,)),
    "outputs": (list,),
    "scale": (int, float),
    "longest": (int,),
    "facts": (dict,),
}
"""The types of an adapter's description in JSON."""


def _refusing(path: Path) -> AbstractContextManager[None]:
    expected = "an adapter that 'dialeval train' wrote"
    return as_bad_input(safetensors_errors(), str(path), "adapter", expected, "Train it again.")
