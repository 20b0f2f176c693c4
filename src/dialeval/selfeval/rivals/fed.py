"""FED (Mehri and Eskenazi, 2020): quality by quality, how likely people's remarks on it are to follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from dialeval.core import Floats, Signature
from dialeval.data.types import Dialogue
from dialeval.resources.huggingface import require_torch
from dialeval.selfeval.rivals.fed_utterances import (
    DIALOGUE_QUALITIES,
    TURN_QUALITIES,
    UTTERANCES,
    DialogueQuality,
    TurnQuality,
)
from dialeval.selfeval.rivals.follow_ups import line_logprobs
from dialeval.selfeval.rivals.lines import FACT
from dialeval.selfeval.scorer import Scorer
from dialeval.selfeval.subjects import Judged, turns_of
from dialeval.systems.huggingface.files import EMBEDDED
from dialeval.systems.huggingface.loading import Precision
from dialeval.systems.huggingface.texts import TextModel

Quality: TypeAlias = TurnQuality | DialogueQuality
Profile: TypeAlias = Literal["published", "conditional"]

_WHOLE: Final = "whole_text"
"""How a dialogue is written down, as signatures show it."""
_LONGEST: Final = 64
"""Tokens of the window that are kept free for a follow-up."""


@dataclass(frozen=True, slots=True)
class Fed(Scorer):
    """How much likelier good remarks on a quality are than bad ones, the mean over FED's qualities.

    Each of 18 qualities has its follow-up utterances; where people remark only on its absence, the good side counts
    as 0. Without ``quality``, responses are scored by the mean over the 8 qualities of turns, dialogues by that over
    the 10 of dialogues. ``conditional`` is the paper's formula per token: mean log-probabilities of the utterances
    alone, after the last 12 turns as lines of A and B, who is the side that is judged, where that is known.
    ``published`` is what the authors' code computes: mean log-probabilities of the whole text, dialogue and
    utterance, turns separated by the model's end token; there, how probable the dialogue itself is moves qualities
    that have no good remarks. The authors used DialoGPT-large.
    """

    quality: Quality | None = None
    profile: Profile = "conditional"
    model: str = EMBEDDED
    """``smollm2-135m-instruct``, the folder of a causal language model, or its name on the hub."""
    hub: bool = False
    """Whether the model may be downloaded."""
    dtype: Precision = "float32"

    def __post_init__(self) -> None:
        require_torch("fed", "transformers")
        _ = self._model.fact

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        parameters = (
            ("quality", self.quality),
            ("profile", self.profile),
            ("model", self.model),
            ("hub", self.hub),
            ("dtype", self.dtype),
        )
        context = FACT if self.profile == "conditional" else _WHOLE
        return Signature("fed", parameters, (("lm", self._model.fact), ("context", context)), version=3)

    @property
    def resources(self) -> Mapping[str, str]:
        """The language model and its sha256."""
        return self._model.resources

    def values(self, subjects: Sequence[Judged]) -> Floats:
        """The difference of each subject, the mean over the qualities that apply to it."""
        values = np.zeros(len(subjects))
        for dialogues in (False, True):
            places = [
                index for index, subject in enumerate(subjects) if isinstance(subject, Dialogue) == dialogues
            ]
            if places:
                by_quality = self.by_quality([subjects[index] for index in places])
                values[places] = np.mean([*by_quality.values()], axis=0)
        return values

    def by_quality(self, subjects: Sequence[Judged]) -> dict[Quality, Floats]:
        """The difference of each subject by quality; subjects are all examples, or all dialogues."""
        dialogues = any(isinstance(subject, Dialogue) for subject in subjects)
        level: tuple[Quality, ...] = DIALOGUE_QUALITIES if dialogues else TURN_QUALITIES
        qualities = level if self.quality is None else (self.quality,)
        said = dict.fromkeys(text for quality in qualities for side in UTTERANCES[quality] for text in side)
        means = self._logprobs(subjects, list(said))
        by_text = {text: means[:, index] for index, text in enumerate(said)}
        return {quality: _difference(by_text, quality, len(subjects)) for quality in qualities}

    def _logprobs(self, subjects: Sequence[Judged], utterances: Sequence[str]) -> Floats:
        logprobs = line_logprobs if self.profile == "conditional" else whole_logprobs
        return logprobs(subjects, utterances, self._model)

    @property
    def _model(self) -> TextModel:
        return TextModel(self.model, self.hub, self.dtype)


def _difference(by_text: Mapping[str, Floats], quality: Quality, count: int) -> Floats:
    positive, negative = (
        np.mean([by_text[text] for text in side], axis=0) if side else np.zeros(count)
        for side in UTTERANCES[quality]
    )
    return np.asarray(positive - negative)


def whole_logprobs(subjects: Sequence[Judged], utterances: Sequence[str], model: TextModel) -> Floats:
    """Mean log-probability per token of dialogue and utterance together, as FED's authors score them.

    Shape (subjects, utterances). All tokens but the first count, as in a language model's loss. The dialogue is read
    and scored once for all utterances. Where it does not fit the window, its oldest tokens are left out after the
    opening end token.
    """
    end = model.end
    texts = [f"{end} " + f" {end} ".join(turn.text for turn in turns_of(subject)) for subject in subjects]
    longest = model.room(_LONGEST)
    spoken = [
        tokens if len(tokens) <= longest else (tokens[0], *tokens[1 - longest :])
        for tokens in model.tokens([f"{text} {end}" for text in texts])
    ]
    after = model.tokens([f" {utterance}" for utterance in utterances])
    asked = [(tokens[:1], tokens[1:]) for tokens in spoken]
    asked += [(tokens, then) for tokens in spoken for then in after]
    sums = model.logprobs([first for first, _ in asked], [then for _, then in asked])
    alone, following = np.split(sums, [len(spoken)])
    lengths = np.array([[len(tokens) - 1 + len(then) for then in after] for tokens in spoken])
    return np.asarray((alone[:, None] + following.reshape(lengths.shape)) / lengths)
