"""Mean ratings after an escalation: judged answers, of which people rated some with probabilities that are known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Final

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Floats, Integers, Resampling
from dialeval.display.notes import Note
from dialeval.display.wording import count
from dialeval.errors import Unsuitable
from dialeval.files.documents import FINITE, finite
from dialeval.judge.escalation import STRATA, Escalation, JudgedAnswer
from dialeval.meta.document import DifferenceEstimate, Estimates, SystemEstimate
from dialeval.meta.document.few_ratings import ranks_of
from dialeval.meta.estimates import numbers_of, scale_of, with_correction
from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.proportions import proportion
from dialeval.stats.resampling.stratified import Stratified, stratified_difference, stratified_mean
from dialeval.stats.tests.multiple import holm

KNOWN: Final = Note(
    "known_probabilities", "Intervals rest on the probabilities with which answers were sent to people."
)
ALL: Final = "all answers"
"""The name of answers that have no system."""


@dataclass(frozen=True, slots=True)
class EscalatedEstimates:
    """What people would have rated, and how often they agree with the verdicts that were accepted."""

    __pydantic_config__: ClassVar = FINITE

    estimates: Estimates
    agreement: Estimate
    """Share of accepted verdicts with which people agree, in the audit: Clopper and Pearson's interval."""
    agree: float
    """The share that was asked for."""
    drawn: int
    rated: int
    """Drawn answers that people rated."""
    notes: tuple[Note, ...]

    @property
    def verdict(self) -> str:
        """Return what the audit says of the threshold, in a sentence."""
        share, low, high, n, reason = self.agreement
        if share is None or low is None or high is None:
            return f"accepted verdicts were not audited: {reason}"
        held = (
            "less often than asked for"
            if high < self.agree
            else "as often as asked for"
            if low >= self.agree
            else "which leaves open whether often enough"
        )
        of = f"{share:.0%} [{low:.0%}, {high:.0%}] of {n:,} accepted verdicts"
        return f"audit: people agree with {of}, {held} ({self.agree:.0%})"


def estimate_escalated(
    escalation: Escalation,
    answers: Sequence[JudgedAnswer],
    ratings: Mapping[tuple[str, str], float],
    *,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> EscalatedEstimates:
    """Each system's mean rating and each difference, from mean ratings by item and system.

    Ratings of answers that were not drawn do not count: their probability is not known. Drawn answers that nobody rated
    are taken to be like the others of their stratum, which a note says.
    """
    drawn = [answer for answer in answers if answer.drawn]
    given = [ratings.get((answer.item, answer.system)) for answer in drawn]
    if drawn and not any(value is not None for value in given):
        first = drawn[0]
        raise Unsuitable(
            f"None of the {len(drawn):,} answers that were sent to people has a rating on {escalation.criterion!r} "
            f"(first: {first.item!r} of {first.system!r}). Give the ratings that 'dialeval annotate export' wrote."
        )
    known = [_rating(answer, ratings) for answer in answers]
    systems = tuple(dict.fromkeys(answer.system for answer in answers))
    return EscalatedEstimates(
        _estimates(escalation, answers, np.array(known), systems, resampling),
        _audit(escalation, drawn, given),
        escalation.wanted.agree,
        len(drawn),
        sum(value is not None for value in given),
        tuple(_notes(drawn, given, answers, ratings)),
    )


def _rating(answer: JudgedAnswer, ratings: Mapping[tuple[str, str], float]) -> float:
    if answer.stratum == "rated":
        return math.nan if answer.rating is None else answer.rating
    return ratings.get((answer.item, answer.system), math.nan) if answer.drawn else math.nan


def _estimates(
    escalation: Escalation,
    answers: Sequence[JudgedAnswer],
    ratings: Floats,
    systems: Sequence[str],
    resampling: Resampling,
) -> Estimates:
    verdicts = np.array([math.nan if answer.value is None else answer.value for answer in answers])
    owner = np.array([systems.index(answer.system) for answer in answers])
    # Bring the verdicts to the spread of the ratings, within systems.
    grids = [
        np.where(owner == place, values, np.nan)
        for values in (ratings, verdicts)
        for place in range(len(systems))
    ]
    half = len(systems)
    verdicts = verdicts * scale_of(np.array(grids[:half]), np.array(grids[half:]))
    strata = np.array([STRATA.index(answer.stratum) for answer in answers])
    clusters = _clusters([answer.item for answer in answers], resampling)
    parts = [
        Stratified(ratings[own], verdicts[own], strata[own], clusters[own])
        for own in (owner == place for place in range(len(systems)))
    ]
    names = [name or ALL for name in systems]
    differences = [_difference(names, parts, pair, resampling) for pair in combinations(range(len(names)), 2)]
    adjusted = holm([math.nan if d.p is None else d.p for d in differences]).tolist()
    corrected = tuple(
        with_correction(difference, p, resampling.alpha)
        for difference, p in zip(differences, adjusted, strict=True)
    )
    return Estimates(
        measure=escalation.judge.partition("|")[0],
        rater=escalation.judge,
        criterion=escalation.criterion,
        level=resampling.confidence,
        note=KNOWN,
        systems=tuple(
            SystemEstimate(
                system=name,
                p_shift=None,
                warnings=(),
                **numbers_of(stratified_mean(part, confidence=resampling.confidence)),
            )
            for name, part in zip(names, parts, strict=True)
        ),
        differences=corrected,
        ranks=ranks_of(names, corrected),
    )


def _difference(
    names: Sequence[str], parts: Sequence[Stratified], pair: tuple[int, int], resampling: Resampling
) -> DifferenceEstimate:
    a, b = pair
    found = stratified_difference(parts[a], parts[b], confidence=resampling.confidence)
    shared = np.intersect1d(parts[a].clusters, parts[b].clusters).size
    return DifferenceEstimate(
        a=names[a],
        b=names[b],
        paired=bool(shared),
        p=finite(found.p),
        p_adjusted=None,
        higher=None,
        warnings=(),
        **numbers_of(found),
    )


def _clusters(items: Sequence[str], resampling: Resampling) -> Integers:
    """Dialogues where ids show them, and items otherwise: answers of two systems to one item belong together."""
    distinct = tuple(dict.fromkeys(items))
    codes = resampling.clusters(distinct)
    numbers = range(len(distinct)) if codes is None else codes.tolist()
    place = dict(zip(distinct, numbers, strict=True))
    return np.array([place[item] for item in items], dtype=np.int64)


def _audit(escalation: Escalation, drawn: Sequence[JudgedAnswer], given: Sequence[float | None]) -> Estimate:
    apart = [
        abs(answer.value - rating) <= escalation.wanted.within + 1e-9
        for answer, rating in zip(drawn, given, strict=True)
        if answer.stratum == "sure" and rating is not None and answer.value is not None
    ]
    if not apart:
        why = (
            "none was accepted"
            if escalation.acceptance.threshold is None
            else "none that was drawn has a rating"
        )
        return Estimate.undefined(why)
    return proportion(sum(apart), len(apart))


def _notes(
    drawn: Sequence[JudgedAnswer],
    given: Sequence[float | None],
    answers: Sequence[JudgedAnswer],
    ratings: Mapping[tuple[str, str], float],
) -> list[Note]:
    notes = []
    missing = sum(value is None for value in given)
    if missing:
        sent = f"{missing:,} of {count(len(drawn), 'answer')} sent to people have no rating"
        text = f"{sent}; they are taken to be like the others"
        notes.append(Note("not_rated", text))
    wanted = {(answer.item, answer.system) for answer in answers if answer.drawn or answer.stratum == "rated"}
    others = sum(key not in wanted for key in ratings)
    if others:
        text = f"{count(others, 'rating')} of answers that were not drawn are left out: their probability is not known"
        notes.append(Note("not_drawn", text))
    return notes
