"""The type of what a run says of a judge of pairs, and the sentences made from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

from dialeval.display.wording import count, listing
from dialeval.files.documents import FINITE
from dialeval.judge.document import Canary, canary_note
from dialeval.ratings.pairwise import PEOPLE, PairAgreement, PairwiseRater, PairwiseResults
from dialeval.stats.estimate import Estimate

_MOST: Final = 12
"""Pairs of systems that a note names."""


@dataclass(frozen=True, slots=True)
class PairsRecord:
    """A judge of pairs in a run: what it was asked and said, and what its verdicts come to."""

    __pydantic_config__: ClassVar = FINITE

    rubric: str
    """The rubric's name, which is the criterion of the verdicts."""
    signature: str
    asked: str
    returned: tuple[str, ...]
    baseline: str | None
    """The system that all others were compared with; None if every two were."""
    own: tuple[str, ...]
    """Systems of the judge's own family."""
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    canary: Canary
    """Shares of verdicts for a senseless answer beside a good one, without and with an order planted in it."""
    results: PairwiseResults | None


def pair_notes(record: PairsRecord) -> Iterator[str]:
    """Sentences on each rater's verdicts, the agreement of raters, and the canary."""
    for rater in record.results.raters if record.results else ():
        yield f"judge_pairs({record.rubric}), {rater.rater}: {'; '.join(_told(rater))}"
    for one in _noted(record.results) if record.results else ():
        kappa = "" if one.kappa.value is None else f", kappa {number(one.kappa)}"
        yield (
            f"judge_pairs({record.rubric}): {one.a} and {one.b} agree on {number(one.equal)} of "
            f"{count(one.equal.n, 'pair')}{kappa}"
        )
    spent = "" if record.cost is None else f"cost {record.cost:.4g}; "
    yield f"judge_pairs({record.rubric}): {spent}{canary_note(record.canary)}"


def _noted(results: PairwiseResults) -> Iterator[PairAgreement]:
    """Agreement of judges with each other and with most people; that of single people is in the tables."""
    voices = {rater.rater for rater in results.raters}
    yield from (one for one in results.agreements if {one.a, one.b} <= voices)


def _told(rater: PairwiseRater) -> Iterator[str]:
    for head in rater.head_to_head[:_MOST]:
        level = head.length_controlled
        controlled = "" if level.value is None else f", {number(level)} at equal lengths"
        yield f"{head.a} wins {number(head.win_rate)} against {head.b}{controlled}"
    if len(rater.head_to_head) > _MOST:
        yield f"{len(rater.head_to_head) - _MOST} further pairs of systems in the JSON"
    ranked = [
        f"{one.system} {_rank(one.best_rank, one.worst_rank)}"
        for one in rater.strengths.systems
        if one.best_rank is not None
    ]
    if len(ranked) > 2:
        yield f"ranks by Bradley-Terry {listing(ranked)}"
    if rater.rater == PEOPLE:
        return
    moved = [
        ("the answer shown first is preferred in", rater.first),
        ("verdicts that do not survive the swap", rater.flips),
        ("the longer answer is preferred in", rater.longer),
        ("slope on length", rater.slope),
        ("own family preferred more than by others by", rater.own_family),
    ]
    yield from (f"{name} {number(found)}" for name, found in moved if found.value is not None)
    if rater.unscored:
        why = [f"{times:,} because {reason}" for reason, times in rater.unscored.items()]
        yield f"without a verdict {listing(why)}"


def _rank(best: int | None, worst: int | None) -> str:
    return f"{best}" if best == worst else f"{best}–{worst}"


def number(estimate: Estimate) -> str:
    """A number with its interval, if it has one."""
    if estimate.bounds is None:
        return f"{estimate.number:.2f}"
    low, high = estimate.bounds
    return f"{estimate.number:.2f} [{low:.2f}, {high:.2f}]"
