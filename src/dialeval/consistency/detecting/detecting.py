"""From dialogues to the document of their contradictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from dialeval.consistency.detecting.detector import Calibration
from dialeval.consistency.detecting.dialogues import Found, Scope, find_contradictions, obstacle
from dialeval.consistency.detecting.metrics import ContradictionDetector
from dialeval.consistency.document import Detected, DetectedDocument, Said, SystemRate
from dialeval.data.types import Context, Dialogue
from dialeval.engine import SILENT, Progress
from dialeval.stats import clopper_pearson

_AT_ONCE = 32


def detect(
    dialogues: Iterable[Dialogue],
    detector: ContradictionDetector,
    *,
    scope: Scope = "all",
    progress: Progress = SILENT,
) -> DetectedDocument:
    """The worst pair of each dialogue, and each system's rate of contradictions."""
    detected: list[Detected] = []
    source = iter(dialogues)
    while chunk := list(islice(source, _AT_ONCE)):
        detected += detect_each([(each.item, each.system, each.turns) for each in chunk], detector, scope)
        progress.advance(len(chunk))
    calibration = detector.calibration
    return DetectedDocument(
        threshold=calibration.threshold,
        band=(calibration.low, calibration.high),
        detector=str(detector.signature),
        turn=scope,
        dialogues=tuple(detected),
        systems=rates_of(detected),
        excluded=dict(Counter(each.reason for each in detected if each.reason)),
    )


def detect_each(
    dialogues: Sequence[tuple[str, str, Context]], detector: ContradictionDetector, scope: Scope
) -> list[Detected]:
    """The worst pair of each of these, by id, system and turns."""
    reasons = [obstacle(turns, scope) for _, _, turns in dialogues]
    usable = [turns for (_, _, turns), reason in zip(dialogues, reasons, strict=True) if reason is None]
    found = iter(find_contradictions(usable, detector, scope=scope))
    return [
        Detected(item, system, None, None, "none", None, reason=reason)
        if reason is not None
        else _detected(item, system, turns, next(found), detector.calibration)
        for (item, system, turns), reason in zip(dialogues, reasons, strict=True)
    ]


def _detected(
    item: str, system: str, turns: Context, found: Found | None, calibration: Calibration
) -> Detected:
    assert found is not None, "dialogues without pairs have an obstacle"
    quoted = found.quoted
    quotes = (
        Said(quoted.first, turns[quoted.first].speaker, quoted.pair.earlier),
        Said(quoted.second, turns[quoted.second].speaker, quoted.pair.response),
    )
    return Detected(
        item,
        system,
        round(found.probability, 6),
        (quoted.first, quoted.second),
        calibration.verdict(found.probability),
        quotes,
        quoted.pair.between,
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
