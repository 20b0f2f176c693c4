"""The type of what a run says of repeated verdicts and of panels, and the sentences made from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dialeval.display.wording import count
from dialeval.files.documents import FINITE
from dialeval.stats.estimate import Estimate


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Two judges of a panel, by the means of their repeats."""

    __pydantic_config__: ClassVar = FINITE

    a: str
    b: str
    equal: Estimate
    """Share of answers to which both give the same."""
    kappa: Estimate
    """Cohen's kappa with squared distances."""
    difference: Estimate
    """Mean of a's verdict minus b's."""


@dataclass(frozen=True, slots=True)
class PanelRecord:
    """Verdicts on the same answers, by a judge again and by several judges.

    What one more verdict is worth is a number of items of each system, beyond those there are: with so many more, means
    would be known as well as with one more verdict on each item.
    """

    __pydantic_config__: ClassVar = FINITE

    judges: tuple[str, ...]
    repeats: int
    n: int
    """Answers with all verdicts."""
    equal_within: Estimate
    """Share of pairs of repeats by one judge that are equal."""
    equal_between: Estimate
    """Share of pairs of verdicts by two judges that are equal."""
    spread: Estimate
    """Mean distance between the highest and the lowest verdict on an answer."""
    pairs: tuple[JudgeAgreement, ...]
    second_repeat: Estimate
    """Items that a second repeat is worth, beside a single one."""
    further_repeat: Estimate
    """Items that one more repeat is worth, beside those there are."""
    second_judge: Estimate
    further_judge: Estimate


def panel_notes(record: PanelRecord) -> Iterator[str]:
    """Sentences on agreement, spread, and what one more verdict is worth."""
    if record.equal_within.value is not None:
        yield f"a judge's repeats on an item are equal in {_shown(record.equal_within)} of pairs"
    if record.equal_between.value is not None:
        yield f"two judges' verdicts are equal in {_shown(record.equal_between)} of pairs"
    for pair in record.pairs:
        if pair.kappa.value is not None:
            yield (
                f"{pair.a} and {pair.b}: weighted kappa {_shown(pair.kappa)}, the first gives "
                f"{_shown(pair.difference, sign=True)} more"
            )
    if record.spread.value is not None:
        yield f"verdicts on an item are {_shown(record.spread)} apart from lowest to highest"
    if record.second_repeat.value is not None:
        yield f"a second repeat is worth {_items(record.second_repeat)}"
        if record.repeats > 1 and record.further_repeat.value is not None:
            yield f"one more than {record.repeats} is worth {_items(record.further_repeat)}"
    if record.second_judge.value is not None:
        yield f"a second judge is worth {_items(record.second_judge)}"


def _items(worth: Estimate) -> str:
    ends = "" if worth.bounds is None else f" [{worth.bounds[0]:.0f}, {worth.bounds[1]:.0f}]"
    return f"{count(round(worth.number), 'more item')}{ends} of each system"


def _shown(estimate: Estimate, *, sign: bool = False) -> str:
    form = "+.2f" if sign else ".2f"
    if estimate.bounds is None:
        return f"{estimate.number:{form}}"
    low, high = estimate.bounds
    return f"{estimate.number:{form}} [{low:{form}}, {high:{form}}]"
