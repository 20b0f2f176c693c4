"""Judges as detectors: a language model reads each pair of turns, and says whether they contradict each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from dialeval.consistency.pairs.types import Pair
from dialeval.core import Floats
from dialeval.data.types import Example, Response, Turn
from dialeval.judge.document import Code
from dialeval.judge.metric import Judge
from dialeval.judge.questioner import Questioner

_SURE: Final = 60.0
"""Log-odds of what is certain."""


@dataclass(frozen=True)
class PairJudge:
    """A judge by name, as a classifier of pairs; its probabilities are taken as they are."""

    name: str

    @cached_property
    def questioner(self) -> Questioner:
        """The judge with the question whether two turns contradict each other."""
        return Questioner(self.name, "contradiction")

    @property
    def judge(self) -> Judge:
        """The judge itself."""
        return self.questioner.judge

    @property
    def fact(self) -> str:
        """Model and digest as a signature shows them."""
        return self.questioner.fact

    @property
    def resources(self) -> Mapping[str, str]:
        """Models that run here, and their sha256."""
        return self.questioner.resources

    def margins(self, pairs: Sequence[Pair]) -> Floats:
        """Log-odds of a contradiction in each pair; NaN where there is no verdict."""
        found = self.questioner.probabilities(list(map(example_of, pairs)))
        with np.errstate(divide="ignore"):
            margins: Floats = np.clip(np.log(found) - np.log1p(-found), -_SURE, _SURE)
        return margins

    def lacking(self, pairs: Sequence[Pair]) -> Code | None:
        """Why the first of these pairs without a verdict has none; None if all have one."""
        answers = (self.questioner.recalled(example_of(pair)) for pair in pairs)
        return next((answer.code for answer in answers if answer.code is not None), None)

    def recalled(self, pair: Pair) -> float | None:
        """The kept probability of a contradiction; None if there is none. Nothing is asked."""
        shares = self.questioner.recalled(example_of(pair)).values
        return None if shares is None else shares[-1]

    def require(self, pairs: Sequence[Pair]) -> None:
        """RunFailed if there is no verdict on some pair."""
        self.questioner.require([self.questioner.recalled(example_of(pair)) for pair in pairs])

    def explain(self, pair: Pair) -> str:
        """The verdict on a pair in words, with the judge's reason and whole reply."""
        return self.questioner.explain(example_of(pair))


def example_of(pair: Pair) -> Example:
    """The pair as a judge reads it: the later turn as the response, after the earlier one and what is between them."""
    between = (Turn("user", pair.between),) if pair.between.strip() else ()
    return Example("", "", (Turn("assistant", pair.earlier), *between), Response(pair.response))
