"""From dialogues to the document of their contradictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from dialeval.consistency.detecting.detector import Calibration
from dialeval.consistency.detecting.dialogues import (
    EVERYTHING,
    Case,
    Found,
    Reading,
    Speakers,
    cost_of,
    find_contradictions,
    obstacle,
)
from dialeval.consistency.detecting.metrics import ContradictionDetector
from dialeval.consistency.detecting.scoring import HERE, Work
from dialeval.consistency.document import Detected, DetectedDocument, Said, SystemRate
from dialeval.data.types import Dialogue
from dialeval.stats import clopper_pearson


class Talk(NamedTuple):
    """Whose dialogue it is, and how it is read."""

    item: str
    system: str
    case: Case


def talk_of(dialogue: Dialogue, reading: Reading, speakers: Speakers) -> Talk:
    """The dialogue with the turns of the judged speakers to compare."""
    return Talk(dialogue.item, dialogue.system, Case(dialogue.turns, reading.of(dialogue, speakers)))


def detect(
    dialogues: Sequence[Dialogue],
    detector: ContradictionDetector,
    *,
    reading: Reading = EVERYTHING,
    speakers: Speakers = "system",
    work: Work = HERE,
) -> DetectedDocument:
    """The worst pair of each dialogue, and each system's rate of contradictions; progress counts passages."""
    talks = [talk_of(dialogue, reading, speakers) for dialogue in dialogues]
    costs = [cost_of(*talk.case) for talk in talks]
    detected = detect_each(talks, detector, work=work)
    calibration = detector.calibration
    narrowed = speakers == "system" and reading.scope == "all"
    return DetectedDocument(
        threshold=calibration.threshold,
        band=(calibration.low, calibration.high),
        detector=str(detector.signature),
        turn=reading.scope,
        speakers=speakers,
        all_speakers=sum(not talk.case.reading.judged for talk in talks) if narrowed else len(talks),
        reach=reading.reach,
        passages=sum(cost.passages for cost in costs),
        not_compared=sum(cost.beyond for cost in costs),
        dialogues=tuple(detected),
        systems=rates_of(detected),
        excluded=dict(Counter(each.reason for each in detected if each.reason)),
    )


def detect_each(
    talks: Sequence[Talk], detector: ContradictionDetector, *, work: Work = HERE
) -> list[Detected]:
    """The worst pair of each of these dialogues."""
    reasons = [obstacle(*talk.case) for talk in talks]
    usable = [talk.case for talk, reason in zip(talks, reasons, strict=True) if reason is None]
    found = iter(find_contradictions(usable, detector, work=work))
    return [
        _unchecked(talk, reason) if reason is not None else _detected(talk, next(found), detector.calibration)
        for talk, reason in zip(talks, reasons, strict=True)
    ]


def _unchecked(talk: Talk, reason: str) -> Detected:
    beyond = cost_of(*talk.case).beyond
    return Detected(talk.item, talk.system, None, None, "none", None, reason=reason, not_compared=beyond)


def _detected(talk: Talk, found: Found | None, calibration: Calibration) -> Detected:
    assert found is not None, "dialogues without pairs have an obstacle"
    quoted, turns = found.quoted, talk.case.turns
    probability = calibration.worst(found.probability, found.pairs, whole=talk.case.reading.whole)
    quotes = (
        Said(quoted.first + 1, turns[quoted.first].speaker, quoted.pair.earlier),
        Said(quoted.second + 1, turns[quoted.second].speaker, quoted.pair.response),
    )
    return Detected(
        talk.item,
        talk.system,
        round(probability, 6),
        (quoted.first + 1, quoted.second + 1),
        calibration.verdict(probability),
        quotes,
        quoted.pair.between,
        not_compared=cost_of(*talk.case).beyond,
    )


def rates_of(detected: Sequence[Detected]) -> tuple[SystemRate, ...]:
    """The rate of each system, in order of first sight, with an exact binomial interval."""
    rates = []
    for system in dict.fromkeys(each.system for each in detected):
        own = [each for each in detected if each.system == system]
        checked = [each for each in own if each.reason is None]
        bad = sum(each.verdict == "contradiction" for each in checked)
        bounds = clopper_pearson(bad, len(checked)) if checked else None
        rates.append(
            SystemRate(
                system,
                len(checked),
                bad,
                sum(each.verdict == "ambiguous" for each in checked),
                len(own) - len(checked),
                bad / len(checked) if checked else None,
                bounds.low if bounds else None,
                bounds.high if bounds else None,
            )
        )
    return tuple(rates)
