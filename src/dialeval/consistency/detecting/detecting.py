"""From dialogues to their two most contradictory turns, and to rates of systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from dialeval.consistency.detecting.detector import Calibration
from dialeval.consistency.detecting.dialogues import (
    PERSONA,
    Case,
    Found,
    Reading,
    Speakers,
    cost_of,
    find_contradictions,
    obstacle,
)
from dialeval.consistency.detecting.metrics import ContradictionDetector
from dialeval.consistency.detecting.recorded import CheckedDialogue
from dialeval.consistency.detecting.scoring import HERE, Work
from dialeval.consistency.document import Contradiction, Detected, Said, SystemRate
from dialeval.data.types import Dialogue
from dialeval.stats import proportion
from dialeval.text.sentences import is_question, split_sentences

AT_ONCE: Final = 32
"""Dialogues whose pairs are scored together."""


class Talk(NamedTuple):
    """Whose dialogue it is, and how it is read."""

    item: str
    system: str
    case: Case


def talk_of(dialogue: Dialogue, reading: Reading, speakers: Speakers) -> Talk:
    """The dialogue with the turns of the judged speakers to compare."""
    return Talk(dialogue.item, dialogue.system, Case(dialogue.turns, reading.of(dialogue, speakers)))


def check_dialogues(
    dialogues: Sequence[Dialogue],
    system: str,
    detector: ContradictionDetector,
    *,
    reading: Reading,
    speakers: Speakers,
    work: Work = HERE,
) -> list[CheckedDialogue]:
    """Return the worst pair of each dialogue of a system; progress counts passages.

    Those of so many dialogues are scored together, so that shards score the batches of the whole.
    """
    talks = [talk_of(dialogue, reading, speakers) for dialogue in dialogues]
    groups = (talks[start : start + AT_ONCE] for start in range(0, len(talks), AT_ONCE))
    detected = (each for group in groups for each in detect_each(group, detector, work=work))
    return [
        CheckedDialogue(
            replace(dialogue, system=system),
            replace(each, system=system),
            cost_of(*talk.case).passages,
            bool(talk.case.reading.judged),
        )
        for dialogue, talk, each in zip(dialogues, talks, detected, strict=True)
    ]


def detect_each(
    talks: Sequence[Talk], detector: ContradictionDetector, *, work: Work = HERE
) -> list[Detected]:
    """The worst pair of each of these dialogues."""
    reasons = [obstacle(*talk.case) for talk in talks]
    usable = [talk.case for talk, reason in zip(talks, reasons, strict=True) if reason is None]
    found = iter(find_contradictions(usable, detector, nearest=detector.nearest, work=work))
    return [
        _unchecked(talk, reason) if reason is not None else _checked(talk, next(found), detector)
        for talk, reason in zip(talks, reasons, strict=True)
    ]


def _checked(talk: Talk, found: Found | None, detector: ContradictionDetector) -> Detected:
    """The worst pair, or the reason why a judge gave no verdict on some pair."""
    if found is not None and math.isnan(found.probability):
        return _unchecked(talk, detector.lacking([found.quoted.pair]))
    return _detected(talk, found, detector.calibration)


def _unchecked(talk: Talk, reason: str) -> Detected:
    beyond = cost_of(*talk.case).beyond
    return Detected(talk.item, talk.system, None, None, "none", None, reason=reason, not_compared=beyond)


def _detected(talk: Talk, found: Found | None, calibration: Calibration) -> Detected:
    assert found is not None, "dialogues without pairs have an obstacle"
    whole = talk.case.reading.whole
    worst = _contradiction(found, talk.case, calibration.of_turns(found.by_turn, found.pairs, whole=whole))
    others = [
        _contradiction(each, talk.case, _of_turn(each, calibration, whole=whole)) for each in found.others
    ]
    alarming = whole and (
        not calibration.whole_power or calibration.verdict(worst.probability) == "contradiction"
    )
    return Detected(
        talk.item,
        talk.system,
        worst.probability,
        worst.pair,
        calibration.verdict(worst.probability),
        worst.quotes,
        worst.between,
        not_compared=cost_of(*talk.case).beyond,
        others=tuple(
            each for each in others if alarming and calibration.verdict(each.probability) == "contradiction"
        ),
    )


def _of_turn(found: Found, calibration: Calibration, *, whole: bool) -> float:
    """The probability that a turn contradicts an earlier one; as that of the dialogue if only its highest counts."""
    if calibration.whole_power:
        return calibration.worst(found.probability, found.own)
    return calibration.worst(found.probability, found.pairs, whole=whole)


def _contradiction(found: Found, case: Case, probability: float) -> Contradiction:
    quoted, turns = found.quoted, case.turns
    role = "persona" if quoted.first == PERSONA else turns[quoted.first].speaker
    quotes = (
        Said(quoted.first + 1, role, quoted.pair.earlier),
        Said(quoted.second + 1, turns[quoted.second].speaker, quoted.pair.response),
    )
    return Contradiction((quoted.first + 1, quoted.second + 1), probability, quotes, quoted.pair.between)


def rates_of(detected: Sequence[Detected]) -> tuple[SystemRate, ...]:
    """The rate of each system, in order of first sight, with an exact binomial interval."""
    rates = []
    for system in dict.fromkeys(each.system for each in detected):
        own = [each for each in detected if each.system == system]
        checked = [each for each in own if each.reason is None]
        bad = [each for each in checked if each.verdict == "contradiction"]
        rates.append(
            SystemRate(
                system,
                len(bad),
                sum(each.verdict == "ambiguous" for each in checked),
                len(own) - len(checked),
                proportion(len(bad), len(checked)),
                sum(any(map(is_question, split_sentences(each.between))) for each in bad),
            )
        )
    return tuple(rates)
