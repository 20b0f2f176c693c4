"""The contradiction detector: an adapter of an encoder, its calibration, and the pairs it reads; needs no torch."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.consistency.detecting.pairs import segments_of
from dialeval.consistency.pairs.types import CLASSES, Pair
from dialeval.core import Floats
from dialeval.encoder.adapters import AdapterFile, find_adapter, load_adapter
from dialeval.errors import BadInput
from dialeval.files.folders import with_home
from dialeval.version import __version__

Verdict: TypeAlias = Literal["contradiction", "ambiguous", "none"]

SHIPPED: Final = "shipped"
"""The name of the adapter that comes with dialeval."""
KIND: Final = "contradiction"
"""What an adapter's file says that it is."""
_FILE: Final = "contradiction.safetensors"


class Calibration(NamedTuple):
    """From a model's margin to a probability and a verdict.

    The margin is the log-odds of a contradiction as the model gives them; slope and offset (Platt, 1999) make its
    probabilities agree with shares of real contradictions on the validation set that the adapter's card names.
    """

    slope: float = 1.0
    offset: float = 0.0
    threshold: float = 0.5
    """The probability from which a pair is more probably a contradiction than not, at equal costs."""
    low: float = 0.5
    """From here up to ``high`` the verdict is ``ambiguous``."""
    high: float = 0.5
    worst_slope: float = 1.0
    worst_offset: float = 0.0
    worst_pairs: float = 0.0
    """These three make the highest of a turn's probabilities that of the turn: of many, one is high by chance."""
    whole_slope: float = 0.0
    """The next three do so for all turns of a dialogue; a slope of 0 where only the first three were fitted."""
    whole_offset: float = 0.0
    whole_pairs: float = 0.0

    def probability(self, margins: Floats) -> Floats:
        """The calibrated probabilities of these margins."""
        logits = np.clip(self.slope * margins + self.offset, -60.0, 60.0)
        probabilities: Floats = 1.0 / (1.0 + np.exp(-logits))
        return probabilities

    def worst(self, probability: float, pairs: int, *, whole: bool = False) -> float:
        """The probability that a turn or, if ``whole``, a dialogue holds a contradiction, of the highest of its pairs.

        Log-odds are scaled, shifted, and lowered by ``worst_pairs`` for each e-fold number of pairs. 0 stays 0: there
        was nothing that could contradict anything.
        """
        if not probability:
            return 0.0
        slope, offset, lowered = self.worst_slope, self.worst_offset, self.worst_pairs
        if whole and self.whole_slope:
            slope, offset, lowered = self.whole_slope, self.whole_offset, self.whole_pairs
        bounded = min(max(probability, 1e-12), 1 - 1e-12)
        logit = math.log(bounded / (1 - bounded))
        given = slope * logit + offset - lowered * math.log(max(pairs, 1))
        return 1.0 / (1.0 + math.exp(-min(max(given, -60.0), 60.0)))

    def verdict(self, probability: float) -> Verdict:
        """What a probability means."""
        if self.low <= probability < self.high:
            return "ambiguous"
        return "contradiction" if probability >= max(self.high, self.threshold) else "none"


def margins_of(logits: Floats) -> Floats:
    """Log-odds of the first class against all others, shape (n, classes) to (n,)."""
    others = logits[:, 1:]
    highest = others.max(axis=1, keepdims=True)
    margins: Floats = logits[:, 0] - highest[:, 0] - np.log(np.exp(others - highest).sum(axis=1))
    return margins


@dataclass(frozen=True)
class PairDetector:
    """Says how probably the second utterance of a pair contradicts the first."""

    model: str = SHIPPED
    """``shipped``, or an adapter that ``dialeval train contradiction`` wrote: its folder or file."""

    @cached_property
    def file(self) -> AdapterFile:
        """The adapter's file."""
        adapter = find_adapter(adapter_path(self.model))
        if adapter.about.kind != KIND or adapter.about.outputs != CLASSES:
            raise BadInput(
                str(adapter.path),
                f"an adapter for {adapter.about.kind!r}",
                "one that 'dialeval train contradiction' wrote",
                "Give another file.",
            )
        return adapter

    @cached_property
    def calibration(self) -> Calibration:
        """As it was measured when the adapter was trained."""
        facts = self.file.about.facts
        return Calibration(
            *(float(facts.get(name, usual)) for name, usual in Calibration()._asdict().items())
        )

    @property
    def resources(self) -> Mapping[str, str]:
        """The adapter and its encoder, each with its sha256."""
        return self.file.resources

    @property
    def key(self) -> str:
        """All that moves a pair's probability: the adapter, its calibration included, the encoder, and the version."""
        return json.dumps(["pairs", sorted(self.resources.items()), __version__])

    def margins(self, pairs: Sequence[Pair]) -> Floats:
        """Log-odds of a contradiction in each pair, before calibration; equal pairs are run once."""
        return margins_of(load_adapter(self.file).logits([segments_of(pair) for pair in pairs]))

    def probabilities(self, pairs: Sequence[Pair]) -> Floats:
        """Calibrated probability of a contradiction in each pair."""
        return self.calibration.probability(self.margins(pairs)) if pairs else np.zeros(0)


def adapter_path(model: str) -> Path:
    """Where the adapter of that name is."""
    if model == SHIPPED:
        return Path(str(files("dialeval.consistency").joinpath("adapters", _FILE)))
    path = with_home(model)
    return path / "adapter.safetensors" if path.is_dir() else path
