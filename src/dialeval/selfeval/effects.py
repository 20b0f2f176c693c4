"""Effect of each turn on a dialogue's score: how much the score would rise without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from dialeval.data.types import Dialogue
from dialeval.selfeval.subjects import Judged, turns_of, unscorable

Values = Callable[[Sequence[Dialogue]], Sequence[float]]
"""The score of each dialogue; NaN where it has none."""


def removal_effects(subject: Judged, values: Values) -> list[float]:
    """The score without each turn minus that of all turns; NaN where fewer than two others would be left.

    All are NaN where the subject has no score.
    """
    turns = turns_of(subject)
    if len(turns) < 3 or unscorable(subject) is not None:
        return [float("nan")] * len(turns)
    whole = subject if isinstance(subject, Dialogue) else Dialogue(subject.item, (), subject.system)
    kept = [turns, *(turns[:place] + turns[place + 1 :] for place in range(len(turns)))]
    before, *after = values([replace(whole, turns=each) for each in kept])
    return [value - before for value in after]
