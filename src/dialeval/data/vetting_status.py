"""How far the candidates of questions are vetted: in numbers, and in the sentence that every report shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from dialeval.data.types import Question, Status


class Vetting(NamedTuple):
    """How many questions are vetted, unvetted, and of unknown status; printed as a sentence."""

    vetted: int
    unvetted: int
    unknown: int

    @classmethod
    def of(cls, statuses: Iterable[Status | None]) -> Vetting:
        """The counts of these statuses."""
        counts = Counter(statuses)
        return cls(counts["vetted"], counts["unvetted"], counts[None])

    @property
    def complete(self) -> bool:
        """Whether raters have looked at every candidate."""
        return self.vetted > 0 and not self.unvetted and not self.unknown

    def __str__(self) -> str:
        if self.complete:
            return "vetted: raters have looked at every candidate"
        if self.unvetted and not self.vetted and not self.unknown:
            return "unvetted: nobody has looked at the candidates, so some false ones may be acceptable"
        if self.unknown and not self.vetted and not self.unvetted:
            return "vetting unknown: nothing says whether raters have looked at the candidates"
        unknown = f", {self.unknown:,} of unknown status" if self.unknown else ""
        return f"{self.vetted:,} questions vetted by raters, {self.unvetted:,} unvetted{unknown}"


def vetting_of(questions: Iterable[Question]) -> Vetting:
    """How far the questions are vetted."""
    return Vetting.of(question.status for question in questions)


def status_line(questions: Iterable[Question]) -> str:
    """The sentence for these questions."""
    return str(vetting_of(questions))
