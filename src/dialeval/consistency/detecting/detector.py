"""The contradiction detector: an adapter of an encoder, its calibration, and the pairs it reads; needs no torch."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.consistency.detecting.by_judge import PairJudge
from dialeval.consistency.detecting.classifier import Classifier, find_classifier
from dialeval.consistency.detecting.neighbours import NEAREST
from dialeval.consistency.detecting.pairs import segments_of
from dialeval.consistency.pairs.types import CLASSES, Pair
from dialeval.core import Floats
from dialeval.encoder.adapters import AdapterFile, find_adapter, load_adapter
from dialeval.encoder.bases import BASES, EMBEDDED, best_installed
from dialeval.encoder.files import Weights
from dialeval.errors import BadInput, RunFailed
from dialeval.files.folders import with_home
from dialeval.judge.naming import names_judge
from dialeval.resources.device import scoring_precision
from dialeval.version import __version__

Verdict: TypeAlias = Literal["contradiction", "ambiguous", "none"]

SHIPPED: Final = "shipped"
"""The name of the adapter that comes with dialeval, of the best base that is installed."""
SHIPPED_OF: Final[Mapping[str, str]] = {
    "shipped-deberta": "contradiction-deberta.safetensors",
    "shipped-minilm": "contradiction.safetensors",
}
"""The adapter of each base by a name of its own, the best first."""
KIND: Final = "contradiction"
"""What an adapter's file says that it is."""


class Calibration(NamedTuple):
    """From a model's margin to a probability and a verdict.

    The margin is the log-odds of a contradiction as the model gives them; slope and offset (Platt, 1999) make its
    probabilities agree with shares of real contradictions on the validation set that the adapter's card names.
    """

    slope: float = 1.0
    offset: float = 0.0
    threshold: float = 0.5
    """The probability from which a pair is more probably a contradiction than not, at equal costs."""
    band: tuple[float, float] = (0.5, 0.5)
    """From the first up to the second, the verdict is ``ambiguous``."""
    worst_slope: float = 1.0
    worst_offset: float = 0.0
    worst_pairs: float = 0.0
    """These three make the highest of a turn's probabilities that of the turn: of many, one is high by chance."""
    whole_slope: float = 0.0
    """The next three do so for all turns of a dialogue; a slope of 0 where only the first three were fitted."""
    whole_offset: float = 0.0
    whole_pairs: float = 0.0
    whole_power: float = 0.0
    """That of `joined` odds of all turns, to which those three were fitted; 0 if to the highest odds."""

    def probability(self, margins: Floats) -> Floats:
        """The calibrated probabilities of these margins."""
        logits = np.clip(self.slope * margins + self.offset, -60.0, 60.0)
        probabilities: Floats = 1.0 / (1.0 + np.exp(-logits))
        return probabilities

    def worst(self, probability: float, pairs: int, *, whole: bool = False) -> float:
        """The probability that a turn or, if ``whole``, a dialogue holds a contradiction, of the highest of its pairs.

        Log-odds are scaled, shifted, and lowered by ``worst_pairs`` for each e-fold number of pairs. 0 stays 0: there
        was nothing that could contradict anything. Rounded as it is written, so that it keeps its verdict in files.
        """
        if not probability:
            return 0.0
        slope, offset, lowered = self.worst_slope, self.worst_offset, self.worst_pairs
        if whole and self.whole_slope:
            slope, offset, lowered = self.whole_slope, self.whole_offset, self.whole_pairs
        bounded = min(max(probability, 1e-12), 1 - 1e-12)
        logit = math.log(bounded / (1 - bounded))
        given = slope * logit + offset - lowered * math.log(max(pairs, 1))
        return round(1.0 / (1.0 + math.exp(-min(max(given, -60.0), 60.0))), 6)

    def of_turns(self, highest: Sequence[float], pairs: int, *, whole: bool) -> float:
        """Return the same of the highest probability of each turn that was compared."""
        counted = joined(highest, self.whole_power) if whole and self.whole_power else max(highest)
        return self.worst(counted, pairs, whole=whole)

    def verdict(self, probability: float) -> Verdict:
        """What a probability means."""
        low, high = self.band
        if low <= probability < high:
            return "ambiguous"
        return "contradiction" if probability >= max(high, self.threshold) else "none"

    @property
    def facts(self) -> dict[str, float]:
        """The numbers by the names that files of adapters give them."""
        slope, offset, threshold, (low, high), *others = self
        first = {"slope": slope, "offset": offset, "threshold": threshold, "low": low, "high": high}
        return first | dict(zip(self._fields[4:], others, strict=True))

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Calibration:
        """Return the calibration that a file of an adapter holds."""
        numbers = {name: float(facts.get(name, usual)) for name, usual in cls().facts.items()}
        band = numbers.pop("low"), numbers.pop("high")
        return cls(**numbers, band=band)


POWER: Final = 1.5
"""Of 1, 1.5, 2, 3 and none, the one with which most contradictions are found at 5 % false alarms in validation."""


def joined(probabilities: Sequence[float], power: float = POWER) -> float:
    """The probability whose odds are (sum of odds^power)^(1/power): several high ones count more than one.

    With power 1 odds are added, with a large one the highest alone counts.

    >>> round(joined([0.9, 0.9, 0.0], 1), 4), round(joined([0.9, 0.9, 0.0], 50), 4)
    (0.9474, 0.9012)
    """
    bounded = [min(each, 1 - 1e-12) for each in probabilities]
    odds: float = math.fsum((each / (1 - each)) ** power for each in bounded) ** (1 / power)
    return odds / (1 + odds)


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
    """``shipped``, the shipped adapter of one base (``shipped-minilm``), an adapter that ``dialeval train
    contradiction`` wrote (its folder or file), a sequence classifier of Hugging Face with a label for
    contradictions (its folder, or a name on the hub), or a judge (``judge:NAME``)."""

    @cached_property
    def judge(self) -> PairJudge | None:
        """The judge that reads the pairs; None if the model is no judge."""
        return PairJudge(self.model) if names_judge(self.model) else None

    @cached_property
    def classifier(self) -> Classifier | PairJudge | None:
        """The classifier of Hugging Face, or the judge; None if the model is an adapter."""
        if self.judge is not None:
            return self.judge
        return None if is_shipped(self.model) else find_classifier(self.model)

    @cached_property
    def file(self) -> AdapterFile:
        """The adapter's file; BadInput if the model is a classifier of Hugging Face."""
        if self.classifier is not None:
            expected = "an adapter that 'dialeval train contradiction' wrote"
            found = "a classifier of Hugging Face" if self.judge is None else "a judge"
            raise BadInput(self.model, found, expected, "Give an adapter.")
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
        """As it was measured when the adapter was trained; a classifier's probabilities are taken as they are."""
        return Calibration() if self.classifier is not None else Calibration.of(self.file.about.facts)

    @property
    def nearest(self) -> int | None:
        """Number of passages of a turn that are read, as when it was calibrated; None for all."""
        if self.judge is not None:
            return NEAREST
        read = None if self.classifier is not None else self.file.about.facts.get("nearest")
        return None if read is None else int(read)

    @property
    def fact(self) -> str:
        """Name and hash of the adapter or classifier as a signature shows them."""
        return self.file.fact if self.classifier is None else self.classifier.fact

    @property
    def resources(self) -> Mapping[str, str]:
        """The adapter and its encoder, or the classifier, each with its sha256."""
        return self.file.resources if self.classifier is None else self.classifier.resources

    @property
    def key(self) -> str:
        """All that moves a pair's probability: the adapter, its calibration included, the encoder, and the version."""
        lower = [] if scoring_precision() == "float32" else [scoring_precision()]
        return json.dumps(["pairs", sorted(self.resources.items()), __version__, *lower])

    def margins(self, pairs: Sequence[Pair]) -> Floats:
        """Log-odds of a contradiction in each pair, before calibration; equal pairs are run once.

        RunFailed if a judge gives no verdict on some pair.
        """
        found = self._margins(pairs)
        if self.judge is not None:
            self.judge.require(pairs)
        return found

    def probabilities(self, pairs: Sequence[Pair]) -> Floats:
        """Calibrated probability of a contradiction in each pair; NaN if a judge gives no verdict on it."""
        return self.calibration.probability(self._margins(pairs)) if pairs else np.zeros(0)

    def _margins(self, pairs: Sequence[Pair]) -> Floats:
        if self.classifier is not None:
            return self.classifier.margins(pairs)
        return margins_of(load_adapter(self.file).logits([segments_of(pair) for pair in pairs]))


def without_gaps(probabilities: Floats) -> Floats:
    """The probabilities; RunFailed if there are NaN among them, as a judge gives where it has no verdict."""
    lacking = int(np.isnan(probabilities).sum())
    if lacking:
        raise RunFailed(
            f"The judge gave no verdict on {lacking:,} of {len(probabilities):,} pairs of turns, and all of them are "
            "needed here. The same command asks again for those that failed."
        )
    return probabilities


def adapter_path(model: str) -> Path:
    """Where the adapter of that name is."""
    if is_shipped(model):
        file = SHIPPED_OF[best_installed(SHIPPED_OF) if model == SHIPPED else model]
        return Path(str(files("dialeval.consistency").joinpath("adapters", file)))
    path = with_home(model)
    return path / "adapter.safetensors" if path.is_dir() else path


def is_shipped(model: str) -> bool:
    """Return whether the name is that of an adapter that comes with dialeval."""
    return model == SHIPPED or model in SHIPPED_OF


def nearest_of(weights: Weights) -> int | None:
    """Number of passages of a turn that a detector on this base reads; None, for all, if the base is the quick one."""
    return None if weights.name == BASES[EMBEDDED].resource else NEAREST
