"""Measures of consistency over responses and dialogues: the share that contradicts itself, or does not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from dialeval.consistency.detecting.by_judge import PairJudge, example_of
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
    pairs_read,
)
from dialeval.consistency.detecting.recorded import CheckedDialogue
from dialeval.consistency.pairs.types import Pair
from dialeval.core import Floats, Signature
from dialeval.data.speakers import with_response
from dialeval.data.types import Context, Dialogue, Example
from dialeval.errors import DialevalError
from dialeval.judge.document import REASONS
from dialeval.judge.naming import names_judge
from dialeval.judge.questioner import Asked, number_of, reason_of
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
        worst = self.calibration.worst  # of NaN, where a judge gave no verdict, NaN
        return np.array([0.0 if each is None else worst(each.probability, each.pairs) for each in found])

    def lacking(self, pairs: Sequence[Pair]) -> str:
        """Why a judge gave no verdict on one of these pairs."""
        code = self.judge and self.judge.lacking(pairs)
        return REASONS[code or "failed"]


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
        detector = ContradictionDetector(self.model)
        calibration = detector.calibration
        cases = [Case(turns_of(subject), self._reading(subject)) for subject in subjects]
        found = find_contradictions(cases, detector, nearest=detector.nearest)
        verdicts = [
            each
            and calibration.verdict(calibration.of_turns(each.by_turn, each.pairs, whole=case.reading.whole))
            for case, each in zip(cases, found, strict=True)
        ]
        free = 1.0 - self.contradictory
        rows = rows_of_values([self.contradictory if v == "contradiction" else free for v in verdicts])
        if detector.judge is None:
            return rows
        lacking = [each is not None and math.isnan(each.probability) for each in found]
        rows[lacking, 0] = np.nan
        codes = [
            number_of(detector.judge.lacking([each.quoted.pair]) or "failed") if lost and each else 0
            for each, lost in zip(found, lacking, strict=True)
        ]
        return np.column_stack([rows, codes])

    def undefined(self, row: Floats) -> str:
        """Why a judge gave no verdict."""
        return reason_of(row[2])

    @property
    def asks(self) -> bool:
        """Whether the detector is a judge."""
        return names_judge(self.model)

    def judged(self, subjects: Sequence[object]) -> Sequence[Asked]:
        """The judge, and the pairs of turns that it reads; nothing of other detectors."""
        cases = [
            Case(turns_of(each), self._reading(each))
            for each in subjects
            if isinstance(each, Example | Dialogue) and self.unscorable(each) is None
        ]
        return pairs_judged(PairDetector(self.model), cases)

    def explain(self, subject: Judged) -> str:
        """What a judge says of the passages that it finds most contradictory; empty of other detectors."""
        detector = PairDetector(self.model)
        if detector.judge is None:
            return ""
        return explain_worst(detector, Case(turns_of(subject), self._reading(subject)))

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

    @property
    def asks(self) -> bool:
        """Whether the detector is a judge."""
        return names_judge(self.model)

    def judged(self, subjects: Sequence[object]) -> Sequence[Asked]:
        """The judge, and the pairs of turns that it reads; nothing of other detectors."""
        return self.judged_in([each.dialogue for each in subjects if isinstance(each, CheckedDialogue)])

    def judged_in(self, dialogues: Sequence[Dialogue]) -> list[Asked]:
        """The same of dialogues that nobody has checked yet."""
        return pairs_judged(PairDetector(self.model), [self._case_of(each) for each in dialogues])

    def explain(self, checked: CheckedDialogue) -> str:
        """What a judge says of the two turns that are quoted; empty of other detectors."""
        detector = PairDetector(self.model)
        return "" if detector.judge is None else explain_worst(detector, self._case_of(checked.dialogue))

    def _case_of(self, dialogue: Dialogue) -> Case:
        return Case(dialogue.turns, self.reading.of(dialogue, self.speakers))

    def statistics(self, dialogues: Sequence[CheckedDialogue]) -> Floats:
        """Rows of 1 for a dialogue with a contradiction or 0, and 1."""
        return rows_of_values([float(each.detected.verdict == "contradiction") for each in dialogues])


def pairs_judged(detector: PairDetector, cases: Sequence[Case]) -> list[Asked]:
    """The judge, and the pairs that it reads in these dialogues; nothing if the detector is none."""
    if detector.judge is None:
        return []
    usable = [case for case in cases if obstacle(*case) is None]
    return [Asked(detector.judge.judge, list(map(example_of, pairs_read(usable, detector.nearest))))]


def explain_worst(detector: PairDetector, case: Case) -> str:
    """What a judge says of the passages that it finds most contradictory, from its kept replies."""
    if detector.judge is None or obstacle(*case) is not None:
        return ""
    (found,) = find_contradictions([case], _Recalled(detector.judge), nearest=detector.nearest)
    return "" if found is None else detector.judge.explain(found.quoted.pair)


@dataclass(frozen=True)
class _Recalled:
    """A judge's kept verdicts, as a scorer."""

    judge: PairJudge

    def probabilities(self, pairs: Sequence[Pair]) -> Floats:
        known = (self.judge.recalled(pair) for pair in pairs)
        return np.array([math.nan if each is None else each for each in known])


def _facts(detector: PairDetector) -> tuple[tuple[str, str], ...]:
    facts = detector.calibration
    kind = "classifier" if detector.judge is None else "judge"
    return (
        *(((kind, detector.fact),) if detector.classifier else detector.file.facts),
        *((("nearest", str(detector.nearest)),) if detector.nearest else ()),
        ("threshold", f"{facts.threshold:.4f}"),
        ("band", f"{facts.band[0]:.4f}-{facts.band[1]:.4f}"),
    )
