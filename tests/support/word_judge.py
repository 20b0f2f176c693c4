"""A language model that counts words, and questions for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dialeval.core import Signature
from dialeval.data import Candidate, Question, Turn


@dataclass(frozen=True)
class Words:
    """Finds a text likely by its words, two nats each, and a word of the context for nothing; a token a word."""

    name: str = "words"

    @property
    def signature(self) -> Signature:
        return Signature(self.name)

    def logprob(self, contexts, responses):
        heard = [{word for turn in context for word in turn.text.split()} for context in contexts]
        costs = [
            sum(-2.0 for word in text.split() if word not in known)
            for known, text in zip(heard, responses, strict=True)
        ]
        return np.array(costs)

    def tokens(self, responses):
        return np.array([len(text.split()) for text in responses])


def asked(*false: str, truth: str = "tea please", heard: str = "tea or coffee") -> Question:
    wrong = tuple(Candidate(text, correct=False) for text in false)
    return Question("q", (Turn("user", heard),), (Candidate(truth, correct=True), *wrong))


# The truth costs 2 nats over 2 tokens: -1 a token, of which the context has spared 1.
DRAFT = asked("coffee please", "no idea", "coffee or tea or nothing", "tea then go now")
