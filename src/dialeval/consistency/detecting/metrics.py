"""Measures of consistency over responses and dialogues: the share that contradicts itself, or does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from dialeval.consistency.detecting.detector import SHIPPED, PairDetector
from dialeval.consistency.detecting.dialogues import (
    LAST_TURN,
    REACH,
    Case,
    Reading,
    Scope,
    Speakers,
    find_contradictions,
    obstacle,
)
from dialeval.consistency.detecting.recorded import CheckedDialogue
from dialeval.core import Floats, Signature
from dialeval.data.speakers import with_response
from dialeval.data.types import Context, Dialogue, Example
from dialeval.errors import DialevalError
from dialeval.metrics.rows import MeanOfValues, rows_of_values

Judged: TypeAlias = Example | Dialogue


def turns_of(subject: Judged) -> Context:
    """All turns; of an example its context, then the response as the other speaker's turn."""
    if isinstance(subject, Dialogue):
        return subject.turns
    return with_response(subject.context, subject.response.text)


@dataclass(frozen=True)
class ContradictionDetector(PairDetector):
    """A detector as `dialeval.core.Detector` has it: of responses in their contexts."""

    @property
    def signature(self) -> Signature:
        """All that could move its verdicts."""
        return Signature("contradiction", (("model", self.model),), _facts(self), version=3)

    @property
    def threshold(self) -> float:
        """The probability from which on it is a contradiction, for those who need a yes or no."""
        return self.calibration.threshold

    def contradiction(self, contexts: Sequence[Context], responses: Sequence[str]) -> Floats:
        """Probability that each response contradicts an earlier turn of its speaker, or itself; 0 with nothing said."""
        dialogues = [with_response(*each) for each in zip(contexts, responses, strict=True)]
        cases = [Case(turns, LAST_TURN) for turns in dialogues]
        found = find_contradictions(cases, self, nearest=self.nearest)
        worst = self.calibration.worst
        return np.array([0.0 if each is None else worst(each.probability, each.pairs) for each in found])


@dataclass(frozen=True, slots=True)
class ContradictionRate(MeanOfValues[Judged]):
    """Share of responses, or of dialogues, in which the detector finds a contradiction with what the speaker said.

    A response is compared with every earlier turn of its speaker and with itself; of a dialogue, every turn of the
    system is, up to ``reach`` turns back, or every turn where nobody knows who the system is. Only probabilities above
    the ambiguous band count. In [0, 1]; lower is better. What has no two sentences to compare is unscored.
    """

    version: ClassVar[int] = 4
    higher_is_better: ClassVar[bool | None] = False
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    yes_no: ClassVar[bool] = True
    whole_dialogues: ClassVar[bool] = True
    family: ClassVar[str] = "contradiction"
    name: ClassVar[str] = "contradiction_rate"
    contradictory: ClassVar[float] = 1.0
    """The value of a contradictory subject; all others have 1 minus this."""
    model: str = SHIPPED
    """``shipped``, an adapter that ``dialeval train contradiction`` wrote, or a sequence classifier of Hugging Face."""
    reach: int = REACH
    """How many turns back a turn of a dialogue is compared, 0 for all; a response always with all."""

    def __post_init__(self) -> None:
        if self.reach < 0:
            expected = "a whole number of turns, or 0 for all"
            raise DialevalError(
                f"The parameter 'reach' of {self.name}: found {self.reach!r}, expected {expected}."
            )

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The adapter and its hash, and from which probability on it sees a contradiction."""
        return _facts(PairDetector(self.model))

    @property
    def resources(self) -> Mapping[str, str]:
        """The adapter and its encoder, each with its sha256."""
        return PairDetector(self.model).resources

    def unscorable(self, subject: Judged) -> str | None:
        """Why nothing can be compared, or None."""
        if isinstance(subject, Example) and not subject.response.text.strip():
            return "blank response"
        return obstacle(turns_of(subject), self._reading(subject))

    def statistics(self, subjects: Sequence[Judged]) -> Floats:
        """Rows of 1 or 0, and 1."""
        detector = PairDetector(self.model)
        calibration = detector.calibration
        cases = [Case(turns_of(subject), self._reading(subject)) for subject in subjects]
        found = find_contradictions(cases, detector, nearest=detector.nearest)
        verdicts = [
            each
            and calibration.verdict(calibration.of_turns(each.by_turn, each.pairs, whole=case.reading.whole))
            for case, each in zip(cases, found, strict=True)
        ]
        free = 1.0 - self.contradictory
        return rows_of_values([self.contradictory if v == "contradiction" else free for v in verdicts])

    def _reading(self, subject: Judged) -> Reading:
        """Of an example only the response is judged; of a dialogue every turn of the system."""
        if isinstance(subject, Example):
            return LAST_TURN
        return Reading("all", self.reach or None).of(subject, "system")


@dataclass(frozen=True, slots=True)
class ContradictionFree(ContradictionRate):
    """Share of responses, or dialogues, in which the detector finds no contradiction; ambiguous ones count as free.

    One minus ``contradiction_rate``, for gates and leaderboards on which higher is better.
    """

    higher_is_better: ClassVar[bool | None] = True
    name: ClassVar[str] = "contradiction_free"
    contradictory: ClassVar[float] = 0.0


@dataclass(frozen=True, slots=True)
class Contradictions(MeanOfValues[CheckedDialogue]):
    """Share of a system's dialogues in which two turns contradict each other; ambiguous ones do not count.

    Only of dialogues in which there is something to compare. In [0, 1]; lower is better.
    """

    name: ClassVar[str] = "contradictions"
    higher_is_better: ClassVar[bool | None] = False
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    yes_no: ClassVar[bool] = True
    family: ClassVar[str] = "contradiction"
    model: str = SHIPPED
    turn: Scope = "all"
    speakers: Speakers = "system"
    reach: int = REACH
    """How many turns back a turn is compared, 0 for all."""

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The adapter and its hash, and from which probability on it sees a contradiction."""
        return _facts(PairDetector(self.model))

    @property
    def resources(self) -> Mapping[str, str]:
        """The adapter and its encoder, each with its sha256."""
        return PairDetector(self.model).resources

    @property
    def reading(self) -> Reading:
        """Which turns are compared."""
        return Reading(self.turn, self.reach or None)

    def unscorable(self, checked: CheckedDialogue) -> str | None:
        """Why there is nothing to compare, or None."""
        return checked.detected.reason

    def statistics(self, dialogues: Sequence[CheckedDialogue]) -> Floats:
        """Rows of 1 for a dialogue with a contradiction or 0, and 1."""
        return rows_of_values([float(each.detected.verdict == "contradiction") for each in dialogues])


def _facts(detector: PairDetector) -> tuple[tuple[str, str], ...]:
    facts = detector.calibration
    return (
        *((("classifier", detector.fact),) if detector.classifier else detector.file.facts),
        *((("nearest", str(detector.nearest)),) if detector.nearest else ()),
        ("threshold", f"{facts.threshold:.4f}"),
        ("band", f"{facts.band[0]:.4f}-{facts.band[1]:.4f}"),
    )
