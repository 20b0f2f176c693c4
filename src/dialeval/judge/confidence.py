"""Confidence of a judge in a verdict: the probability of its choice, or how many of its verdicts agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dialeval.judge.prompts import Mode
from dialeval.judge.verdicts import Verdict


def confidence_of(verdicts: Sequence[Verdict], mode: Mode) -> float | None:
    """Probability of the most probable score, or of yes or no, averaged over the verdicts on one subject.

    Of several verdicts without probabilities it is the share of the most frequent one. A single one in JSON shows no
    confidence: None, as without a value.
    """
    values = [verdict.value for verdict in verdicts]
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    if mode == "yes_no":
        yes = sum(known) / len(known)
        return max(yes, 1 - yes)
    if all(verdict.probabilities for verdict in verdicts):
        total: dict[int, float] = {}
        for score, chance in (pair for verdict in verdicts for pair in verdict.probabilities):
            total[score] = total.get(score, 0.0) + chance
        return max(total.values()) / len(verdicts)
    return max(Counter(known).values()) / len(known) if len(known) > 1 else None
