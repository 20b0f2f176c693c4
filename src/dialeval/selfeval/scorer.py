"""Shared part of the scorers without references: rows of values, and nothing for what cannot be judged."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from dialeval.core import Floats, Signature
from dialeval.metrics.rows import MeanOfValues
from dialeval.selfeval import subjects as judging
from dialeval.selfeval.subjects import Judged


class Scorer(MeanOfValues, ABC):
    """A metric of responses in their context and of whole dialogues; a subclass has ``signature`` and ``values``."""

    __slots__ = ()
    higher_is_better: ClassVar[bool] = True
    whole_dialogues: ClassVar[bool] = True

    def unscorable(self, subject: Judged) -> str | None:
        """Why nothing can be judged here, or None."""
        return judging.unscorable(subject)

    def statistics(self, subjects: Sequence[Judged]) -> Floats:
        """Rows of the subject's value and 1; of two zeros where nothing can be judged."""
        rows = np.zeros((len(subjects), 2))
        scorable = [index for index, subject in enumerate(subjects) if self.unscorable(subject) is None]
        if scorable:
            rows[scorable, 0] = self.values([subjects[index] for index in scorable])
            rows[scorable, 1] = 1
        return rows

    @property
    @abstractmethod
    def signature(self) -> Signature:
        """All that could move the number."""

    @abstractmethod
    def values(self, subjects: Sequence[Judged]) -> Floats:
        """The value of each subject, none of them unscorable, shape (subjects,)."""
