"""Files of an encoder by its name, their hash, and the settings in them; loads no library."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from dialeval.errors import ResourceUnavailable, Unsuitable
from dialeval.resources import fingerprint, obtain
from dialeval.resources.huggingface import (
    INSTALL,
    HubFailed,
    hash_model,
    plain_name,
    read_settings,
    require_torch,
    snapshot,
)

Vectors: TypeAlias = NDArray[np.float32]

EMBEDDED: Final = "minilm"
"""The name of the encoder that comes with dialeval."""

_RESOURCE: Final = "all-minilm-l6-v2"
_READ: Final = ("*.safetensors", "*.json", "*.txt", "*.model", "1_Pooling/*.json")
_BERT: Final = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
_POOLINGS: Final[Mapping[str, Literal["mean", "cls"]]] = {"mean_tokens": "mean", "cls_token": "cls"}


@dataclass(frozen=True, slots=True)
class Weights:
    """An encoder's folder, and the hash of all that we read of it."""

    name: str
    folder: Path
    sha256: str

    @property
    def fact(self) -> str:
        """Name and hash as a signature shows them."""
        return f"{self.name}:{self.sha256[:12]}"

    @property
    def resources(self) -> Mapping[str, str]:
        """Name and hash as provenance lists them."""
        return {self.name: self.sha256}

    def setting(self, file: str, *keys: str) -> object:
        """The first of these keys that the JSON file has a value for; None where it has none or does not exist."""
        settings = read_settings(self.folder / file)
        return next((settings[key] for key in keys if settings.get(key) is not None), None)

    @property
    def layers(self) -> int | None:
        """How many layers the model has; None where its config does not say."""
        layers = self.setting("config.json", "num_hidden_layers", "n_layers", "num_layers")
        return layers if isinstance(layers, int) else None

    @property
    def sentence_length(self) -> int | None:
        """Tokens that the model's makers read of a sentence; None where they do not say."""
        limit = self.setting("sentence_bert_config.json", "max_seq_length")
        return limit if isinstance(limit, int) else None

    @property
    def pooling(self) -> Literal["mean", "cls"]:
        """How the model's makers turn token vectors into a sentence's; the mean where they do not say."""
        settings = read_settings(self.folder / "1_Pooling" / "config.json")
        if not settings:
            return "mean"
        if isinstance(settings.get("pooling_mode"), str):
            modes = [str(settings["pooling_mode"])]
        else:
            modes = [key.removeprefix("pooling_mode_") for key, on in settings.items() if on is True]
            modes = [mode for mode in modes if mode.endswith(("tokens", "token"))]
        if len(modes) == 1 and modes[0] in (*_POOLINGS, *_POOLINGS.values()):
            return _POOLINGS.get(modes[0]) or cast(Literal["mean", "cls"], modes[0])
        raise Unsuitable(
            f"{self.name} pools its tokens by {' and '.join(modes) or 'no way we know'}; expected mean or cls. "
            "Give another sentence encoder."
        )


def runs_on_onnx(weights: Weights) -> bool:
    """Whether onnxruntime is installed and the model is a BERT, which our graph describes."""
    if _missing("onnxruntime", "tokenizers", "safetensors"):
        return False
    settings = {name: weights.setting("config.json", name) or value for name, value in _BERT.items()}
    files = [weights.folder / name for name in ("model.safetensors", "tokenizer.json")]
    return settings == _BERT and all(file.is_file() for file in files)


def _missing(*libraries: str) -> list[str]:
    return [name for name in libraries if importlib.util.find_spec(name) is None]


def _runnable(weights: Weights) -> Weights:
    """The weights, if anything that is installed can run them."""
    if not runs_on_onnx(weights):
        require_torch("Encoders other than BERT", "transformers")
    return weights


def find_encoder(model: str, *, hub: bool = False) -> Weights:
    """The files of ``minilm``, of a model in a local folder, or of a model on the hub where ``hub`` allows it."""
    if model == EMBEDDED:
        folder = obtain(_RESOURCE, allow_hub=hub)
        return _runnable(Weights(_RESOURCE, folder, fingerprint(_RESOURCE, allow_hub=hub)))
    if Path(model).is_dir():
        return _runnable(_weights(Path(model).resolve().name, Path(model)))
    if hub:
        return _runnable(_weights(model, _from_hub(model)))
    raise ResourceUnavailable(
        f"There is no folder {model!r} to read an encoder from. Give the folder of a Hugging Face encoder, or "
        f"{EMBEDDED!r}; to get {model!r} from the Hugging Face hub, allow that with hub=True."
    )


def _weights(name: str, folder: Path) -> Weights:
    return Weights(plain_name(name), folder, hash_model(folder, _READ))


# One look at the hub a process: a branch that moves meanwhile must not change the model between batches.
@lru_cache(maxsize=8)
def _from_hub(model: str) -> Path:
    repository, _, revision = model.partition("@")
    try:
        return snapshot(repository, revision or None, _READ)
    except ImportError:
        raise ResourceUnavailable(f"The hub needs huggingface_hub, not installed. Run: {INSTALL}") from None
    except HubFailed as error:
        raise ResourceUnavailable(
            f"{model} could not be downloaded from the hub: {error}. Check its name and the connection, "
            "or give the folder of a local copy."
        ) from error
