"""Sequence classifiers of Hugging Face as detectors: any model with a label for contradictions, such as one for NLI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from dialeval.consistency.pairs.types import Pair
from dialeval.core import Floats
from dialeval.encoder.adapters import ADAPTER
from dialeval.encoder.files import Weights, find_encoder
from dialeval.errors import ResourceUnavailable, Unsuitable
from dialeval.files.folders import with_home
from dialeval.resources.device import autocast, device_of, scoring_device, scoring_precision
from dialeval.resources.huggingface import quiet_transformers, require_torch

_CONTRADICTION: Final = frozenset({"contradiction", "contradictory", "contradicts", "contradict"})
_AT_ONCE: Final = 32


@dataclass(frozen=True, slots=True)
class Classifier:
    """A model's files, and its labels in the order of its outputs."""

    weights: Weights
    labels: tuple[str, ...]
    contradiction: int
    """Place of the label that means a contradiction."""

    @property
    def fact(self) -> str:
        """Name, hash and label as a signature shows them."""
        return f"{self.weights.fact}:{self.labels[self.contradiction]}"

    @property
    def resources(self) -> Mapping[str, str]:
        """The model and its sha256."""
        return self.weights.resources

    @property
    def mapping(self) -> str:
        """What the labels mean here, as a sentence shows it."""
        others = ", ".join(label for place, label in enumerate(self.labels) if place != self.contradiction)
        rest = f"; {others} = none" if others else ""
        return f"{self.weights.name}: {self.labels[self.contradiction]} = contradiction{rest}"

    def margins(self, pairs: Sequence[Pair]) -> Floats:
        """Log-odds of the contradiction in each pair, the earlier utterance as premise; equal pairs are run once.

        The turn between is not read: such models were trained on two texts.
        """
        rows = {pair[:2]: row for row, pair in enumerate(dict.fromkeys(pair[:2] for pair in pairs))}
        tokenizer, model = _load(self.weights, scoring_device())
        logits = _logits(tokenizer, model, list(rows))
        wanted = logits[:, self.contradiction]
        if len(self.labels) > 1:
            others = np.delete(logits, self.contradiction, axis=1)
            wanted = wanted - np.logaddexp.reduce(others, axis=1)
        margins: Floats = wanted[[rows[pair[:2]] for pair in pairs]]
        return margins


def find_classifier(model: str, *, hub: bool = False) -> Classifier | None:
    """The classifier in a folder, or of a name on the hub that was downloaded or, with ``hub``, may be.

    None if the name is that of an adapter: a file, or a folder that has one.
    """
    path = with_home(model)
    if path.is_file() or (path / ADAPTER).exists() or (path.is_dir() and not (path / "config.json").exists()):
        return None
    if not path.is_dir() and not hub and not _downloaded(model):
        return None
    require_torch("Classifiers of Hugging Face", "transformers")
    return _read(find_encoder(str(path) if path.is_dir() else model, hub=hub))


def _downloaded(model: str) -> bool:
    """Whether a model of this name was downloaded from the hub before."""
    try:
        find_encoder(model)
    except ResourceUnavailable:
        return False
    return True


def _read(weights: Weights) -> Classifier:
    names = weights.setting("config.json", "id2label")
    kinds = weights.setting("config.json", "architectures")
    todo = "Give a sequence classifier whose config.json names its labels in id2label, one of them 'contradiction'."
    if not isinstance(kinds, list) or not any(str(k).endswith("ForSequenceClassification") for k in kinds):
        raise Unsuitable(
            f"{weights.folder} holds {kinds or 'no architecture'}; expected a classifier. {todo}"
        )
    named = names if isinstance(names, dict) else {}
    labels = tuple(str(named.get(str(place))) for place in range(len(named)))
    found = [place for place, label in enumerate(labels) if label.strip().lower() in _CONTRADICTION]
    if len(found) != 1:
        raise Unsuitable(
            f"{weights.folder}, config.json: found the labels {', '.join(labels) or '(none)'}; expected exactly one "
            f"for contradictions. {todo}"
        )
    return Classifier(weights, labels, found[0])


@lru_cache(maxsize=2)
def _load(weights: Weights, device: str) -> tuple[Any, Any]:
    import torch

    local: Mapping[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    with quiet_transformers() as transformers:
        tokenizer = transformers.AutoTokenizer.from_pretrained(weights.folder, **local)
        model = transformers.AutoModelForSequenceClassification.from_pretrained(
            weights.folder, **local, use_safetensors=True, dtype=torch.float32
        )
    return tokenizer, model.eval().to(device)


def _logits(tokenizer: Any, model: Any, pairs: Sequence[tuple[str, str]]) -> Floats:
    import torch

    # RoBERTa's first position is its padding's id plus one.
    longest = min(tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", 512) - 2)
    out = np.zeros((len(pairs), model.config.num_labels))
    order = sorted(range(len(pairs)), key=lambda row: sum(map(len, pairs[row])))
    device = device_of(model)
    for start in range(0, len(order), _AT_ONCE):
        rows = order[start : start + _AT_ONCE]
        first, second = ([pairs[row][side] for row in rows] for side in (0, 1))
        inputs = tokenizer(
            first, second, truncation=True, max_length=longest, padding=True, return_tensors="pt"
        ).to(device)
        with torch.inference_mode(), autocast(device, scoring_precision()):
            out[rows] = model(**inputs).logits.float().cpu().numpy()
    return out
