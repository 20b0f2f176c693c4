"""Facts by a judge: whether a response keeps each sentence of a reference, or of given knowledge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Literal

import numpy as np

from dialeval.core import Floats
from dialeval.data.types import Example, Response, Turn
from dialeval.judge.questioner import Asked, Questioner, Shares, number_of, reason_of
from dialeval.judge.slots import require_judge
from dialeval.metrics.rows import MeanOfValues
from dialeval.text.sentences import is_question, split_sentences

_OUTCOMES: Final = ("contradicted", "missing", "kept")
"""Of the scores of the question, lowest first."""


@dataclass(frozen=True, slots=True)
class JudgedFacts(MeanOfValues[Example]):
    """Share of the sentences of the reference that the response keeps, by a judge.

    In [0, 1]; higher is better. A sentence counts with the probability that it is kept; questions are left out. Of
    several references the one with the highest share counts. The corpus score is the mean over items.
    """

    name: ClassVar[str] = "judged_facts"
    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    family: ClassVar[str] = "facts"
    by: str
    """The judge, as ``judge:NAME``."""
    against: Literal["references", "knowledge"] = "references"

    def __post_init__(self) -> None:
        require_judge(self.name, self.by)

    @property
    def asks(self) -> bool:
        """Always: the judge's replies are kept as they come."""
        return True

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The judge, and the digest of its question."""
        return (("judge", self._questioner.fact), ("references", "best"))

    @property
    def resources(self) -> Mapping[str, str]:
        """Models that run here, and their sha256."""
        return self._questioner.resources

    @property
    def _questioner(self) -> Questioner:
        return Questioner(self.by, "fact_kept")

    def unscorable(self, example: Example) -> str | None:
        """That there is nothing to compare with; Unsuitable if the judge would judge itself."""
        self._questioner.judge.refuse_itself(example.system)
        return self._obstacle(example)

    def _obstacle(self, example: Example) -> str | None:
        if not example.response.text.strip():
            return "blank response"
        given = example.references if self.against == "references" else example.knowledge
        if not given:
            return f"no {self.against}"
        return None if self._texts(example) else "no sentence that states anything"

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of the share, 1, and 0; of NaN, 1 and a code's number if the judge gives no answer."""
        rows = np.ones((len(examples), 3))
        asked = [[_about(e, one) for one in text] for e in examples for text in self._texts(e)]
        found = iter(self._questioner.ask([one for text in asked for one in text]))
        for row, example in zip(rows, examples, strict=True):
            given = [[next(found) for _ in text] for text in self._texts(example)]
            lost = next((one.code for text in given for one in text if one.code is not None), None)
            row[0] = np.nan if lost else max(map(_share, given))
            row[2] = number_of(lost) if lost else 0
        return rows

    def undefined(self, row: Floats) -> str:
        """Why the judge gave no answer."""
        return reason_of(row[2])

    def judged(self, subjects: Sequence[object]) -> Sequence[Asked]:
        """The judge, and the sentences that it is asked about."""
        usable = [each for each in subjects if isinstance(each, Example) and self._obstacle(each) is None]
        asked = [_about(each, one) for each in usable for text in self._texts(each) for one in text]
        return [Asked(self._questioner.judge, asked)]

    def explain(self, example: Example) -> str:
        """Return what the judge says of each sentence, a line each."""
        return "\n".join(
            f"{self._outcome(_about(example, one))}: {one} ({self._questioner.explain(_about(example, one))})"
            for text in self._texts(example)
            for one in text
        )

    def _outcome(self, asked: Example) -> str:
        values = self._questioner.recalled(asked).values
        return "no verdict" if values is None else _OUTCOMES[int(np.argmax(values))]

    def _texts(self, example: Example) -> list[tuple[str, ...]]:
        """The sentences of each text that a response may keep; of knowledge, all as one text."""
        knowledge = ("\n".join(example.knowledge),) if example.knowledge else ()
        texts = example.references if self.against == "references" else knowledge
        parted = [tuple(one for one in split_sentences(text) if not is_question(one)) for text in texts]
        return [sentences for sentences in parted if sentences]


def _share(answers: Sequence[Shares]) -> float:
    """Mean probability of being kept."""
    return float(np.mean([one.values[-1] for one in answers if one.values is not None]))


def _about(example: Example, sentence: str) -> Example:
    return replace(
        example,
        context=(Turn("user", sentence),),
        response=Response(example.response.text),
        references=(),
        knowledge=(),
    )
