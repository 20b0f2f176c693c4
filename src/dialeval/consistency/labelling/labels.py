"""Labels of answers to probes: three raters each, by the rules of the thesis (Sato, 2024, section 4.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from dialeval.annotation.answers import Unusable, usable
from dialeval.annotation.forms import Form, Option
from dialeval.consistency.collecting.answers import ProbeAnswer
from dialeval.consistency.detecting.detector import PairDetector, Verdict
from dialeval.consistency.document import Label, LabelledAnswer
from dialeval.consistency.pairs.types import Pair
from dialeval.data.types import Candidate, Judgement, Question
from dialeval.ratings.agreement.qualifying import Qualification, gold_answers, qualify
from dialeval.ratings.table import Ratings
from dialeval.ratings.votes.rules import Unsettled, Votes
from dialeval.stats.agreement.kappa import fleiss_kappa
from dialeval.stats.estimate import Estimate

FORM: Final = Form(
    "contradiction",
    "Read the conversation. Does the line below it contradict something that the same speaker said before?",
    (
        Option(1, "contradictory", "yes, it contradicts what the speaker said"),
        Option(0, "consistent", "no, both can be true"),
    ),
    raters=3,
)
QUALIFICATION: Final = Qualification(accuracy=20 / 21, answers=21)
"""Fewer than two wrong of 21 known answers."""
GOLD: Final = "gold"
"""The rater whose answers to the qualification test are the known ones."""


@dataclass(frozen=True, slots=True)
class TwoOrNone:
    """1 where two or more votes are for a contradiction, 0 where all of at least three are against it."""

    def label(self, votes: Votes) -> float | Unsettled:
        """That value, or how the votes are spread."""
        against, needed = sum(vote == 1 for vote in votes), 2
        if against >= needed:
            return 1.0
        if len(votes) >= FORM.raters and against == 0:
            return 0.0
        return Unsettled(f"{against} of {len(votes)} votes for a contradiction")


@dataclass(frozen=True, slots=True)
class Labels:
    """Labelled answers, raters' agreement, and the answers that could not be used."""

    answers: tuple[LabelledAnswer, ...]
    kappa: Estimate
    unusable: tuple[Unusable, ...]
    dropped: tuple[str, ...] = ()
    """Raters who did not pass the qualification test."""

    @property
    def counts(self) -> Counter[Label]:
        """How many answers have each label."""
        return Counter(answer.label for answer in self.answers)


def questions_of(answers: Iterable[ProbeAnswer]) -> list[Question]:
    """A question per probe, whose candidates are the systems' answers; the same text is asked about once a system."""
    by_probe: dict[str, list[ProbeAnswer]] = {}
    for answer in answers:
        by_probe.setdefault(answer.item, []).append(answer)
    return [
        Question(
            item,
            own[0].example.context,
            tuple(Candidate(answer.example.response.text, correct=False) for answer in own),
        )
        for item, own in by_probe.items()
    ]


def qualified(
    judgements: Sequence[Judgement], test: Sequence[Judgement]
) -> tuple[list[Judgement], list[str]]:
    """The judgements of raters who pass the qualification test, and the names of the others."""
    table = Ratings.of(test)
    found = qualify(table, FORM.criterion, gold_answers(table, FORM.criterion, GOLD), QUALIFICATION)
    passed = set(found.passed)
    failed = sorted({judgement.rater for judgement in judgements} - passed)
    return [judgement for judgement in judgements if judgement.rater in passed], failed


def settle(
    answers: Sequence[ProbeAnswer],
    judgements: Iterable[Judgement],
    *,
    unusable_before: Iterable[Unusable] = (),
    dropped: Sequence[str] = (),
) -> Labels:
    """The label of each answer that raters judged; those nobody judged are left out."""
    questions = questions_of(answers)
    read = usable(questions, judgements, form=FORM, unusable=unusable_before)
    votes = read.by_candidate()
    rule, labelled, rows = TwoOrNone(), [], []
    for answer, place in _places(answers):
        given = votes.get((answer.item, place))
        if not given:
            continue
        values = tuple(map(float, given.values()))
        rows.append(values)
        labelled.append(_labelled(answer, values, rule.label(values)))
    return Labels(tuple(labelled), _kappa(rows), read.unusable, tuple(dropped))


def label_by_detector(answers: Sequence[ProbeAnswer], detector: PairDetector) -> Labels:
    """Labels by the detector's verdicts on each answer and the turn that its probe asks about.

    They follow the detector's errors: two sets of answers can be compared by them, rates cannot be reported.
    """
    said: dict[Verdict, Label] = {
        "contradiction": "contradiction",
        "ambiguous": "ambiguous",
        "none": "consistent",
    }
    pairs = [
        Pair(
            answer.example.context[answer.referent].text,
            answer.example.response.text,
            answer.example.context[-1].text,
        )
        for answer in answers
    ]
    verdicts = map(detector.calibration.verdict, detector.probabilities(pairs).tolist())
    labelled = tuple(
        replace(_labelled(answer, (), Unsettled("")), label=said[verdict], by="detector")
        for answer, verdict in zip(answers, verdicts, strict=True)
    )
    return Labels(labelled, _kappa([]), ())


def _places(answers: Sequence[ProbeAnswer]) -> list[tuple[ProbeAnswer, str]]:
    """Each answer, and what it is called among the candidates of its probe."""
    numbers: Counter[str] = Counter()
    placed = []
    for answer in answers:
        numbers[answer.item] += 1
        placed.append((answer, f"false_{numbers[answer.item]}"))
    return placed


def _labelled(answer: ProbeAnswer, votes: Votes, label: float | Unsettled) -> LabelledAnswer:
    context = answer.example.context
    said: Label = "ambiguous"
    if not isinstance(label, Unsettled):
        said = "contradiction" if label else "consistent"
    return LabelledAnswer(
        id=answer.item,
        system=answer.system,
        earlier=context[answer.referent].text,
        between=context[-1].text,
        response=answer.example.response.text,
        label=said,
        votes=int(sum(votes)),
        raters=len(votes),
        draw=answer.draw,
        kind=answer.kind,
    )


def _kappa(rows: Sequence[Votes]) -> Estimate:
    return fleiss_kappa(np.array([[row.count(0.0), row.count(1.0)] for row in rows]).reshape(-1, 2))
