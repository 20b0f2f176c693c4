"""Judges as readers of answers: a language model says whether an answer to a question means yes, no or neither."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from dialeval.core import Signature
from dialeval.data.types import Example, Response, Turn
from dialeval.judge.document import REASONS
from dialeval.judge.questioner import Questioner, Shares
from dialeval.nbest.answers.classifier import Reading
from dialeval.nbest.answers.evaluation import Readable, Thresholds, decide
from dialeval.nbest.answers.labels import LABELS

_THRESHOLDS: Final = Thresholds(0.5)
"""An answer is ambiguous if it is so more probably than not."""
_BY_SCORE: Final = [2, 0, 1]
"""Places of the labels yes, no and ambiguous among the scores no, neither and yes."""


@dataclass(frozen=True)
class AnswerJudge:
    """A judge by name; what is ambiguous with a probability of .5 or more is so, else the likelier side counts."""

    name: str

    @cached_property
    def questioner(self) -> Questioner:
        """The judge with the question what an answer means."""
        return Questioner(self.name, "polar_answer")

    @property
    def signature(self) -> Signature:
        """The judge, all that moves its answers, and the threshold."""
        settings = (("reader", self.name), ("threshold", _THRESHOLDS.ambiguous))
        return Signature("yesno", settings, (("judge", self.questioner.fact),))

    @property
    def resources(self) -> Mapping[str, str]:
        """Models that run here, and their sha256."""
        return self.questioner.resources

    def read(self, questions: Sequence[str], answers: Sequence[str]) -> list[Reading]:
        """Return what each answer to its question means; an answer without a word is ambiguous.

        Of an answer on which the judge gives no verdict, the reading has the reason.
        """
        blank = Shares((0.0, 1.0, 0.0))
        pairs = list(zip(questions, answers, strict=True))
        found = iter(self.questioner.ask([example_of(*pair) for pair in pairs if pair[1].strip()]))
        return [_reading(next(found) if answer.strip() else blank) for _, answer in pairs]


def _reading(shares: Shares) -> Reading:
    if shares.values is None:
        return Reading("ambiguous", float("nan"), REASONS[shares.code or "failed"])
    row = np.array([shares.values])[:, _BY_SCORE]
    code = int(decide(Readable(row, np.ones(1)), _THRESHOLDS)[0])
    return Reading(LABELS[code], float(row[0, code]))


def example_of(question: str, answer: str) -> Example:
    """The exchange as a judge reads it."""
    return Example("", "", (Turn("user", question),), Response(answer))
