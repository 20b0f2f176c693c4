"""Cosine of a response and its context, by an encoder's sentence vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from dialeval.core import Floats
from dialeval.encoder.files import EMBEDDED, Weights, find_encoder
from dialeval.encoder.model import unit_vectors
from dialeval.errors import DialevalError
from dialeval.selfeval.scorer import Scorer
from dialeval.selfeval.subjects import Exchange, Subject, exchanges_of

Joining: TypeAlias = Literal["joined", "max"]


@dataclass(frozen=True, slots=True)
class ContextCosine(Scorer):
    """Likeness in meaning of the response and the turn that it answers, the cosine of sentence vectors.

    With ``turns`` above 1, the last ``turns`` turns are ``joined`` into one text, or the ``max`` of the cosines to the
    last turn and to that text is taken. Of a dialogue it is the mean over its responses. In [-1, 1]; says whether a
    response keeps to the subject, and nothing of whether it is well put: repeating the last turn scores 1.
    """

    name: ClassVar[str] = "context_cosine"
    limits: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    turns: int = 1
    """Number of last turns that the response is compared with."""
    join: Joining = "joined"
    model: str = EMBEDDED
    """``minilm``, the folder of a Hugging Face encoder, or its name on the hub."""

    def __post_init__(self) -> None:
        if self.turns < 1:
            raise DialevalError(f"turns: found {self.turns}, expected a whole number of at least 1.")
        _ = self._weights.pooling

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The encoder and its hash, and its pooling."""
        return (("encoder", self._weights.fact), ("pooling", self._weights.pooling))

    @property
    def resources(self) -> Mapping[str, str]:
        """The encoder and its sha256."""
        return self._weights.resources

    def unscorable(self, subject: Subject) -> str | None:
        """Reason why nothing can be compared here, or None."""
        # Slots make a new class, so the short form of super() is not at hand.
        reason = Scorer.unscorable(self, subject)
        if reason is None and not any(map(self._texts, exchanges_of(subject))):
            return "no context"
        return reason

    def values(self, subjects: Sequence[Subject]) -> Floats:
        """The mean cosine of each subject's responses."""
        pairs = [
            [
                (exchange.response.strip(), texts)
                for exchange in exchanges_of(subject)
                if (texts := self._texts(exchange))
            ]
            for subject in subjects
        ]
        units = unit_vectors(
            {text for each in pairs for said, near in each for text in (said, *near)}, self.model
        )

        def nearest(said: str, texts: Sequence[str]) -> float:
            return max(float(np.clip(units[said] @ units[text], -1, 1)) for text in texts)

        return np.array([np.mean([nearest(*pair) for pair in each]) for each in pairs])

    def _texts(self, exchange: Exchange) -> list[str]:
        """Texts that the response is compared with; blank turns, as of calls of tools, are passed over."""
        spoken = [text for turn in exchange.context if (text := turn.text.strip())]
        joined = " ".join(spoken[-self.turns :])
        nearest = spoken[-1] if self.join == "max" and spoken else joined
        return [text for text in dict.fromkeys((nearest, joined)) if text]

    @property
    def _weights(self) -> Weights:
        return find_encoder(self.model)
