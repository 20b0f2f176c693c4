"""Breakdowns: the score of each part of a system's subjects, by the runner that scores them all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from dialeval.core import Estimate, Part
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.files.documents import FINITE


@dataclass(frozen=True, slots=True)
class PartScore:
    """Score of a part of one system's subjects under one measure."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    system: str
    part: Mapping[str, int | str]
    """What sets the part apart: ``{"stimuli": "ENTQ", "n": 5}``."""
    estimate: Estimate
    unscored: Mapping[str, int]
    """Number of subjects without a value, by reason."""


def break_down(measure: str, system: str, parts: Iterable[Part], plan: Plan) -> Iterator[PartScore]:
    """Yield the score of each part."""
    for part in parts:
        result = evaluate(part.metric, part.subjects, plan)
        yield PartScore(
            measure=measure,
            system=system,
            part=dict(part.keys),
            estimate=result.estimate,
            unscored=dict(sorted(Counter(result.reasons.values()).items())),
        )
