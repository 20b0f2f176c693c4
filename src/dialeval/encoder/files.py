"""Files of an encoder by its name, their hash, and the settings in them; loads no library."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Final, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from dialeval.encoder.bases import BASES, EMBEDDED as EMBEDDED, base_folder
from dialeval.encoder.graphs import is_described
from dialeval.errors import ResourceUnavailable, Unsuitable, install_command
from dialeval.resources.device import scoring_device, scoring_precision
from dialeval.resources.huggingface import (
    HubFailed,
    hash_model,
    plain_name,
    read_settings,
    require_torch,
    snapshot,
)

Vectors: TypeAlias = NDArray[np.float32]

_READ: Final = ("*.safetensors", "*.json", "*.txt", "*.model", "1_Pooling/*.json")
_POOLINGS: Final[Mapping[str, Literal["mean", "cls"]]] = {"mean_tokens": "mean", "cls_token": "cls"}


@dataclass(frozen=True, slots=True)
class Weights:
    """An encoder's folder, and the hash of all that we read of it."""

    name: str
    folder: Path
    sha256: str

    @property
    def fact(self) -> str:
        """Name and hash as a signature shows them, and the precision if it is not the usual one."""
        lower = "" if scoring_precision() == "float32" else f":{scoring_precision()}"
        return f"{self.name}:{self.sha256[:12]}{lower}"

    @property
    def resources(self) -> Mapping[str, str]:
        """Name and hash as provenance lists them."""
        return {self.name: self.sha256}

    def setting(self, file: str, *keys: str) -> object:
        """The first of these keys that the JSON file has a value for; None if it has none or does not exist."""
        settings = read_settings(self.folder / file)
        return next((settings[key] for key in keys if settings.get(key) is not None), None)

    @property
    def layers(self) -> int | None:
        """Number of layers of the model; None if its config does not say."""
        layers = self.setting("config.json", "num_hidden_layers", "n_layers", "num_layers")
        return layers if isinstance(layers, int) else None

    @property
    def sentence_length(self) -> int | None:
        """Tokens that the model's makers read of a sentence; None if they do not say."""
        limit = self.setting("sentence_bert_config.json", "max_seq_length")
        return limit if isinstance(limit, int) else None

    @property
    def pooling(self) -> Literal["mean", "cls"]:
        """Way in which the model's makers turn token vectors into a sentence's; the mean if they do not say."""
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
    """Whether onnxruntime is installed, and a graph of ours describes the model, to run on the CPU."""
    if (scoring_device(), scoring_precision()) != ("cpu", "float32"):
        return False
    if _missing("onnxruntime", "tokenizers", "safetensors"):
        return False
    files = [weights.folder / name for name in ("model.safetensors", "tokenizer.json")]
    return is_described(partial(weights.setting, "config.json")) and all(file.is_file() for file in files)


def _missing(*libraries: str) -> list[str]:
    return [name for name in libraries if importlib.util.find_spec(name) is None]


def _runnable(weights: Weights) -> Weights:
    """The weights, if anything that is installed can run them."""
    if not runs_on_onnx(weights):
        require_torch("Encoders other than BERT, MPNet and DeBERTa-v2", "transformers")
    return weights


def find_encoder(model: str, *, hub: bool = False) -> Weights:
    """Files of a base such as ``minilm``, of a local folder, or of a model on the hub that was fetched or may be."""
    if model in BASES:
        base = BASES[model]
        return _runnable(Weights(base.resource, base_folder(base, hub=hub), base.sha256))
    if Path(model).is_dir():
        return _runnable(_weights(Path(model).resolve().name, Path(model)))
    there = _from_hub(model) if hub else _downloaded(model)
    if there is not None:
        return _runnable(_weights(model, there))
    raise ResourceUnavailable(
        f"There is no folder {model!r} to read an encoder from. Give the folder of a Hugging Face encoder, or "
        f"{' or '.join(map(repr, BASES))}; to get {model!r} from the Hugging Face hub, allow that with hub=True."
    )


def _weights(name: str, folder: Path) -> Weights:
    return Weights(plain_name(name), folder, hash_model(folder, _READ))


def _downloaded(model: str) -> Path | None:
    """The folder of a model of the hub that is here already; None if it is not, or the name is that of a file."""
    repository, _, revision = model.partition("@")
    try:
        return snapshot(repository, revision or None, _READ, download=False)
    except (ImportError, HubFailed):
        return None


# One look at the hub a process: a branch that moves meanwhile must not change the model between batches.
@lru_cache(maxsize=8)
def _from_hub(model: str) -> Path:
    repository, _, revision = model.partition("@")
    try:
        return snapshot(repository, revision or None, _READ)
    except ImportError:
        raise ResourceUnavailable(
            f"The hub needs huggingface_hub, not installed. Run: {install_command('neural')}"
        ) from None
    except HubFailed as error:
        raise ResourceUnavailable(
            f"{model} could not be downloaded from the hub: {error}. Check its name and the connection, "
            "or give the folder of a local copy."
        ) from error
