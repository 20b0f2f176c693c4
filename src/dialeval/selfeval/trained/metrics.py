"""Metrics `density`, `quantidce` and `dynaeval` of responses and of dialogues; loads no torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from dialeval.core import Floats
from dialeval.data.speakers import folded
from dialeval.data.types import Dialogue
from dialeval.encoder.adapters import Adapted, AdapterFile, load_adapter
from dialeval.selfeval.metric import EMBEDDED, adapter_file
from dialeval.selfeval.scorer import Scorer, removal_effects
from dialeval.selfeval.subjects import Exchange, Subject, exchanges_of, spoken_turns
from dialeval.selfeval.trained.heads import (
    Head,
    edges,
    graph_score,
    minus_distances,
    pair_features,
    pair_scores,
)
from dialeval.selfeval.turnwise import REACH, text_units


def mean_pair_scores(
    adapted: Adapted, subjects: Sequence[Subject], score: Callable[[Head, Floats], Floats]
) -> Floats:
    """The mean score of each subject's judged responses."""
    exchanges = [exchanges_of(subject) for subject in subjects]
    asked = [_texts(exchange) for own in exchanges for exchange in own]
    # In one order, whatever the order of the subjects, so that rounding cannot show it.
    known = {texts: row for row, texts in enumerate(sorted(set(asked)))}
    scores = score(adapted.head, pair_features(*pair_units(adapted, list(known))))
    values = scores[[known[texts] for texts in asked]]
    ends = np.cumsum([len(own) for own in exchanges])
    return np.array([part.mean() for part in np.split(values, ends[:-1])])


def pair_units(adapted: Adapted, pairs: Sequence[Sequence[str]]) -> tuple[Floats, Floats]:
    """The vectors of responses, the last text of each pair, and of the texts before, latest first, filled up with 0."""
    units = text_units(adapted, pairs)
    responses = np.stack([units[texts[-1]] for texts in pairs])
    earlier = np.zeros((len(pairs), REACH, responses.shape[1]))
    for row, texts in enumerate(pairs):
        for place, text in enumerate(texts[-2::-1]):
            earlier[row, place] = units[text]
    return responses, earlier


def graph_scores(adapted: Adapted, subjects: Sequence[Subject]) -> Floats:
    """The score of each subject as a dialogue that ends with its last turn; blank turns are left out."""
    dialogues = [spoken_turns(subject) for subject in subjects]
    units = text_units(adapted, [[turn.text.strip() for turn in turns] for turns in dialogues])
    values = []
    for turns in dialogues:
        vectors = np.stack([units[turn.text.strip()] for turn in turns])
        values.append(graph_score(adapted.head, vectors, edges([folded(turn.speaker) for turn in turns])))
    return np.array(values)


def _texts(exchange: Exchange) -> tuple[str, ...]:
    """The last turns before a response that say something, and the response."""
    said = [turn.text.strip() for turn in exchange.context if turn.text.strip()]
    return (*said[-REACH:], exchange.response.strip())


LIMITS: Final = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class TrainedRival(Scorer):
    """A scorer that was trained on the same dialogues as SelF-Eval, on vectors of turns by the same encoder."""

    model: str = EMBEDDED
    """``embedded``, or the folder that ``dialeval train rival`` wrote."""

    def __post_init__(self) -> None:
        self._file()

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The adapter and the encoder, each with its hash."""
        file = self._file()
        return (("adapter", file.fact), ("encoder", file.weights.fact))

    @property
    def resources(self) -> Mapping[str, str]:
        """The adapter and the encoder, each with its sha256."""
        return self._file().resources

    def _file(self) -> AdapterFile:
        return adapter_file(self.model, self.name)

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

    name: ClassVar[str] = "density"
    limits: ClassVar[tuple[float, float]] = (-np.inf, 0.0)

    def values(self, subjects: Sequence[Subject]) -> Floats:
        """The mean score of each subject's responses."""
        return mean_pair_scores(self._load(), subjects, minus_distances)


@dataclass(frozen=True, slots=True)
class Quantidce(TrainedRival):
    """Coherence of a response with its context, by three levels of quality (after Ye et al., 2021), in [0, 1].

    A small network learns scores of true next turns, of turns of other dialogues that resemble the context, and of any
    turns of other dialogues, so that levels are apart, in order and compact. Of a dialogue it is the mean over the
    judged responses. QuantiDCE's losses on our frozen encoder and dialogues; the authors train BERT on responses of
    three levels that people wrote, and then on ratings.
    """

    name: ClassVar[str] = "quantidce"
    limits: ClassVar[tuple[float, float]] = LIMITS

    def values(self, subjects: Sequence[Subject]) -> Floats:
        """The mean score of each subject's responses."""
        return mean_pair_scores(self._load(), subjects, pair_scores)


@dataclass(frozen=True, slots=True)
class Dynaeval(TrainedRival):
    """Coherence of a dialogue as a graph of its turns (after Zhang et al., 2021), in [0, 1].

    Each turn is compared with its neighbours, earlier and later, of the same speaker and of others; trained so that a
    dialogue scores above its versions with replaced or shuffled turns. An example is a dialogue that ends with the
    response. DynaEval's objective on our frozen encoder, with one relational layer; the authors train RoBERTa.
    """

    name: ClassVar[str] = "dynaeval"
    limits: ClassVar[tuple[float, float]] = LIMITS

    def values(self, subjects: Sequence[Subject]) -> Floats:
        """The score of each subject."""
        return graph_scores(self._load(), subjects)

    def turn_effects(self, subject: Subject) -> list[float]:
        """Rise of the score without each turn; NaN if fewer than two others would be left."""

        def values(dialogues: Sequence[Dialogue]) -> list[float]:
            spoken: list[float] = self.values(dialogues).tolist()
            return spoken

        return removal_effects(subject, values)
