"""Follow-ups: what a language model expects the other side to say next, pleased or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from dialeval.core import Floats, Signature
from dialeval.resources.huggingface import require_torch
from dialeval.selfeval.rivals.lines import FACT, beginnings, lines_judged
from dialeval.selfeval.scorer import Scorer
from dialeval.selfeval.subjects import Judged
from dialeval.systems.huggingface.files import EMBEDDED
from dialeval.systems.huggingface.loading import Precision
from dialeval.systems.huggingface.texts import TextModel

POSITIVE: Final = (
    "That's really interesting!",
    "I like talking to you.",
    "You have a good point.",
    "That makes sense!",
    "Wow, tell me more!",
)
NEGATIVE: Final = (
    "That's not even related to what I said.",
    "You're really boring.",
    "What are you trying to say?",
    "I don't understand at all!",
    "You're really confusing.",
    "Don't change the topic!",
)


@dataclass(frozen=True, slots=True)
class FollowUps(Scorer):
    """How much sooner a language model expects praise than blame next, in log-probability per token.

    After the last 12 turns as lines of A and B, of which the last 300 tokens are kept, A is made to say five pleased
    and six displeased things, after Mehri and Eskenazi (2020): the mean of their mean log-probabilities per token,
    pleased minus displeased. B is the side that is judged, also where A had the last word, or the last speaker where
    nobody knows which side that is.
    """

    model: str = EMBEDDED
    """``smollm2-135m-instruct``, the folder of a causal language model, or its name on the hub."""
    hub: bool = False
    """Whether the model may be downloaded."""
    dtype: Precision = "float32"

    def __post_init__(self) -> None:
        require_torch("follow_ups", "transformers")
        _ = self._model.fact

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        parameters = (("model", self.model), ("hub", self.hub), ("dtype", self.dtype))
        return Signature("follow_ups", parameters, (("lm", self._model.fact), ("context", FACT)), version=3)

    @property
    def resources(self) -> Mapping[str, str]:
        """The language model and its sha256."""
        return self._model.resources

    def values(self, subjects: Sequence[Judged]) -> Floats:
        """The difference of each subject."""
        means = line_logprobs(subjects, (*POSITIVE, *NEGATIVE), self._model)
        pleased, displeased = np.split(means, [len(POSITIVE)], axis=1)
        return np.asarray(pleased.mean(axis=1) - displeased.mean(axis=1))

    @property
    def _model(self) -> TextModel:
        return TextModel(self.model, self.hub, self.dtype)


def line_logprobs(subjects: Sequence[Judged], utterances: Sequence[str], model: TextModel) -> Floats:
    """Mean log-probability per token of each utterance as A's line after each subject, (subjects, utterances).

    B is the side that is judged. What comes before is read once for all utterances.
    """
    before = beginnings([lines_judged(subject) for subject in subjects], "A", model)
    after = model.tokens([f" {utterance}" for utterance in utterances])
    asked = [(first, then) for first in before for then in after]
    sums = model.logprobs([first for first, _ in asked], [then for _, then in asked])
    return np.asarray(sums.reshape(len(subjects), len(after)) / [len(tokens) for tokens in after])
