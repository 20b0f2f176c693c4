"""``density``, ``quantidce`` and ``dynaeval`` as metrics of responses and of dialogues; loads no torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from dialeval.core import Floats, Signature
from dialeval.data.types import Dialogue
from dialeval.encoder.adapters import Adapted, AdapterFile, load_adapter
from dialeval.selfeval.effects import removal_effects
from dialeval.selfeval.metric import EMBEDDED, adapter_file
from dialeval.selfeval.scorer import Scorer
from dialeval.selfeval.subjects import Judged
from dialeval.selfeval.trained.pairs import minus_distances, pair_scores
from dialeval.selfeval.trained.scoring import graph_scores, mean_pair_scores

LIMITS: Final = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class TrainedRival(Scorer):
    """A scorer that was trained on the same dialogues as SelF-Eval, on vectors of turns by the same encoder."""

    kind: ClassVar[str]
    """Of its adapter, which is also its name."""
    model: str = EMBEDDED
    """``embedded``, or the folder that ``dialeval train rival`` wrote."""

    def __post_init__(self) -> None:
        self._file()

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        file = self._file()
        facts = (("adapter", file.fact), ("encoder", file.weights.fact))
        return Signature(self.kind, (("model", self.model),), facts, version=3)

    @property
    def resources(self) -> Mapping[str, str]:
        """The adapter and the encoder, each with its sha256."""
        return self._file().resources

    def _file(self) -> AdapterFile:
        return adapter_file(self.model, self.kind)

    def _load(self) -> Adapted:
        return load_adapter(self._file())


@dataclass(frozen=True, slots=True)
class Density(TrainedRival):
    """Nearness of a response to true ones in feature space, minus the Mahalanobis distance (Park et al., 2023).

    A small network learns to tell the next turn of a dialogue from turns of other dialogues, by cross-entropy and a
    supervised contrastive loss; the score says how near a response's features are to those of true next turns, never
    above 0. Of a dialogue it is the mean over the judged responses. DEnsity's training scheme on our frozen encoder,
    not the authors' model.
    """

    kind: ClassVar[str] = "density"
    limits: ClassVar[tuple[float, float]] = (-np.inf, 0.0)

    def values(self, subjects: Sequence[Judged]) -> Floats:
        """The mean score of each subject's responses."""
        return mean_pair_scores(self._load(), subjects, minus_distances)


@dataclass(frozen=True, slots=True)
class Quantidce(TrainedRival):
    """How coherent a response is with its context, by three levels of quality (after Ye et al., 2021), in [0, 1].

    A small network learns scores of true next turns, of turns of other dialogues that resemble the context, and of any
    turns of other dialogues, so that levels are apart, in order and compact. Of a dialogue it is the mean over the
    judged responses. QuantiDCE's losses on our frozen encoder and dialogues; the authors train BERT on responses of
    three levels that people wrote, and then on ratings.
    """

    kind: ClassVar[str] = "quantidce"
    limits: ClassVar[tuple[float, float]] = LIMITS

    def values(self, subjects: Sequence[Judged]) -> Floats:
        """The mean score of each subject's responses."""
        return mean_pair_scores(self._load(), subjects, pair_scores)


@dataclass(frozen=True, slots=True)
class Dynaeval(TrainedRival):
    """How well a dialogue holds together as a graph of its turns (after Zhang et al., 2021), in [0, 1].

    Each turn is compared with its neighbours, earlier and later, of the same speaker and of others; trained so that a
    dialogue scores above its versions with replaced or shuffled turns. An example is a dialogue that ends with the
    response. DynaEval's objective on our frozen encoder, with one relational layer; the authors train RoBERTa.
    """

    kind: ClassVar[str] = "dynaeval"
    limits: ClassVar[tuple[float, float]] = LIMITS

    def values(self, subjects: Sequence[Judged]) -> Floats:
        """The score of each subject."""
        return graph_scores(self._load(), subjects)

    def turn_effects(self, subject: Judged) -> list[float]:
        """How much the score would rise without each turn; NaN where fewer than two others would be left."""

        def values(dialogues: Sequence[Dialogue]) -> list[float]:
            spoken: list[float] = self.values(dialogues).tolist()
            return spoken

        return removal_effects(subject, values)
