"""Small systems whose likelihoods one can work out by hand, and questions for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from dialeval.core import Floats, Integers, Signature
from dialeval.data import Candidate, Context, Question, Turn
from dialeval.errors import Unsuitable


@dataclass(frozen=True)
class Table:
    """Knows the log-probability of each text by heart, and keeps count of what it was asked."""

    name: str
    known: Mapping[str, float]
    asked: list[tuple[Context, str]] = field(default_factory=list, compare=False)

    @property
    def signature(self) -> Signature:
        return Signature("table", (("name", self.name),))

    def logprob(self, contexts: Sequence[Context], responses: Sequence[str]) -> Floats:
        strange = [text for text in responses if text not in self.known]
        if strange:
            raise Unsuitable(f"{self.name} does not know {strange[0]!r}")
        self.asked.extend(zip(contexts, responses, strict=True))
        return np.array([self.known[text] for text in responses], dtype=float)

    def tokens(self, responses: Sequence[str]) -> Integers:
        return np.array([len(text.split()) for text in responses], dtype=np.int64)


@dataclass(frozen=True)
class Noisy:
    """Knows the right answers, which are the words of the context, as well as ``skill`` lets it."""

    name: str
    skill: float

    @property
    def signature(self) -> Signature:
        return Signature("noisy", (("skill", self.skill),))

    def logprob(self, contexts: Sequence[Context], responses: Sequence[str]) -> Floats:
        pairs = zip(contexts, responses, strict=True)
        return np.array([self._logprob(context[-1].text, text) for context, text in pairs])

    def tokens(self, responses: Sequence[str]) -> Integers:
        return np.array([len(text.split()) for text in responses], dtype=np.int64)

    def _logprob(self, asked: str, text: str) -> float:
        rng = np.random.default_rng([ord(char) for char in f"{self.name}{asked}{text}"])
        return self.skill * (asked.split()[-1] in text.split()) + float(rng.normal())


def question(
    item: str, *right: str, false: Sequence[str] = (), errors: Sequence[str | None] = (), said: str = "well?"
) -> Question:
    """A question with these correct candidates before these false ones."""
    labels = list(errors) or [None] * len(false)
    candidates = [Candidate(text, True) for text in right]
    candidates += [Candidate(text, False, error) for text, error in zip(false, labels, strict=True)]
    return Question(item, (Turn("user", said),), tuple(candidates))


def town_questions(n: int, *, false: int = 3) -> list[Question]:
    """``n`` questions on towns, whose right answer names the town that was asked about."""
    return [
        question(
            f"q{at}",
            f"the way to town{at}",
            false=[f"the way to town{(at + step) % n}" for step in range(1, false + 1)],
            said=f"which way to town{at}",
        )
        for at in range(n)
    ]
