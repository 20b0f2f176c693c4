"""The owner's live view: progress, agreement with intervals, what each rater did and what dropping one changes."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Final

from dialeval.annotation.desk import is_right
from dialeval.annotation.pace import NO_PACE, Pace, paces, timed_answers
from dialeval.annotation.project import Project
from dialeval.annotation.results import counted, disputes, judgements_of
from dialeval.annotation.store.plan import Given, Rater, iso
from dialeval.annotation.store.store import Store
from dialeval.annotation.web.shown import (
    Coefficient,
    CriterionView,
    Flag,
    OwnerPage,
    RaterState,
    RaterView,
)
from dialeval.core import Resampling
from dialeval.ratings.agreement import CriterionAgreement, agreement_of
from dialeval.ratings.table import Ratings

LEADING: Final = ("alpha_ordinal", "alpha_nominal")
"""The coefficient that stands for all if one is shown: the first that is defined."""
MOST_WITHOUT: Final = 30
"""For how many raters it is computed what dropping them would change: those who agree least."""
LOW_KAPPA: Final = 0.1
FAST: Final = 0.3
"""Below this share of the median rater's time, a rater is too fast."""
KEEP_SECONDS: Final = 3.0
"""Seconds for which a computed view is shown again while nothing was answered, or little."""


class Watch:
    """Computes the owner's view, at most once in a few seconds however many pages are open."""

    def __init__(self, project: Project, store: Store) -> None:
        self._project, self._store = project, store
        self._lock = threading.Lock()
        self._view: OwnerPage | None = None
        self._at = -math.inf

    def view(self, *, fresh: bool = False) -> OwnerPage:
        """The view, a few seconds old at most; ``fresh`` computes it now."""
        with self._lock:
            if fresh or self._view is None or time.monotonic() - self._at > KEEP_SECONDS:
                self._view = owner_view(self._project, self._store)
                self._at = time.monotonic()
            return self._view


def owner_view(project: Project, store: Store) -> OwnerPage:
    """Compute the owner's view from the store as it is."""
    raters, latest = store.raters(), store.latest_answers()
    kept = counted(project, latest, raters)
    ratings = Ratings.of(judgements_of(project, kept))
    agreements = agreement_of(ratings, resampling=Resampling(resamples=200, seed=project.settings.seed))
    counts = store.counts()
    decided = store.decisions()
    disputed = [
        dispute for dispute in disputes(project, kept) if (dispute.item, dispute.criterion) not in decided
    ]
    return OwnerPage(
        items=len(store.plan.of_role("rating")),
        overlap=project.settings.overlap,
        wanted=counts["wanted"],
        done=counts["done"],
        in_hand=counts["in_hand"],
        complete_items=counts["complete_items"],
        criteria=tuple(_criterion(agreement) for agreement in agreements),
        raters=_raters(project, store, raters, latest, ratings, agreements),
        disputed=len(disputed),
        adjudicated=len(decided),
        at=iso(store.clock()),
    )


def _criterion(agreement: CriterionAgreement) -> CriterionView:
    coefficients = tuple(Coefficient(name, estimate) for name, estimate in agreement.measures.items())
    return CriterionView(
        agreement.criterion, agreement.ratings, agreement.items, agreement.raters, coefficients
    )


def _raters(
    project: Project,
    store: Store,
    raters: Sequence[Rater],
    latest: Iterable[Given],
    ratings: Ratings,
    agreements: Sequence[CriterionAgreement],
) -> tuple[RaterView, ...]:
    by_rater: dict[str, list[Given]] = {}
    for given in latest:
        by_rater.setdefault(given.rater, []).append(given)
    kappas, skipped = _kappas(agreements), store.skipped()
    times = {name: _median_seconds(answers) for name, answers in by_rater.items()}
    speeds = rater_paces(project, store)
    known = [seconds for seconds in times.values() if seconds is not None]
    usual = median(known) if known else None
    lowest = sorted(ratings.raters, key=lambda name: kappas.get(name, 2.0))[:MOST_WITHOUT]
    without = {name: _without(ratings, agreements, name) for name in lowest}
    first_checks: dict[str, list[Given]] = {}
    for given in store.revisions():  # who corrects a check did not read it before
        if given.revision == 1 and project.sources[given.item].role == "check":
            first_checks.setdefault(given.rater, []).append(given)
    views = []
    for rater in raters:
        answers = by_rater.get(rater.name, [])
        checks = first_checks.get(rater.name, [])
        rated = sum(project.sources[given.item].role == "rating" for given in answers)
        view = RaterView(
            rater=rater.name,
            state=_state(store, rater, rated),
            dropped=rater.dropped,
            answered=rated,
            skipped=skipped.get(rater.name, 0),
            median_seconds=times.get(rater.name),
            kappa=kappas.get(rater.name),
            checks_passed=sum(is_right(project, given.item, given.answers) for given in checks),
            checks_seen=len(checks),
            flags=(),
            without=without.get(rater.name, ()),
            pace=speeds.get(rater.name, NO_PACE),
        )
        views.append(replace(view, flags=tuple(_flags(view, usual, agreements))))
    return tuple(views)


def _flags(view: RaterView, usual: float | None, agreements: Iterable[CriterionAgreement]) -> Iterator[Flag]:
    """Flags of what is odd about a rater; ``usual`` is the median rater's time."""
    own = [rater for agreement in agreements for rater in agreement.per_rater if rater.rater == view.rater]
    if (
        view.median_seconds is not None
        and usual
        and view.answered >= 5
        and view.median_seconds < FAST * usual
    ):
        yield "too_fast"
    if view.pace.flagged:
        yield "faster_than_reading"
    if view.checks_passed < view.checks_seen:
        yield "failed_checks"
    if view.kappa is not None and view.kappa < LOW_KAPPA:
        yield "low_agreement"
    if any(note.code == "one_answer" for rater in own for note in rater.flags):
        yield "one_answer"
    if view.skipped > max(3, 0.2 * view.answered):
        yield "many_skips"
    if sum(rater.could_not_say for rater in own) > max(3, 0.3 * view.answered):
        yield "cannot_say"


def rater_paces(project: Project, store: Store) -> dict[str, Pace]:
    """Pace of each rater who has answered in a known time."""
    return paces(timed_answers(project, store.revisions(), store.shown_at()).values())


def _state(store: Store, rater: Rater, rated: int) -> RaterState:
    block = store.plan.block
    total = min(block, len(store.plan.of_role("rating"))) if block else len(store.plan.of_role("rating"))
    if rater.state == "active" and rated >= total:
        return "finished"
    return rater.state


def _median_seconds(answers: Iterable[Given]) -> float | None:
    seconds = [given.seconds for given in answers if given.seconds is not None]
    return float(median(seconds)) if seconds else None


def _kappas(agreements: Iterable[CriterionAgreement]) -> Mapping[str, float]:
    """Each rater's mean kappa, averaged over criteria."""
    found: dict[str, list[float]] = {}
    for agreement in agreements:
        for rater in agreement.per_rater:
            if not math.isnan(rater.mean_kappa):
                found.setdefault(rater.rater, []).append(rater.mean_kappa)
    return {name: sum(values) / len(values) for name, values in found.items()}


def leading(agreement: CriterionAgreement) -> float | None:
    """The coefficient that stands for all: None if none is defined."""
    values = (agreement.measures[name].value for name in LEADING if name in agreement.measures)
    return next((value for value in values if value is not None), None)


def _without(
    ratings: Ratings, agreements: Sequence[CriterionAgreement], rater: str
) -> tuple[tuple[str, float | None, float | None], ...]:
    others = ratings.by(raters=[name for name in ratings.raters if name != rater])
    after = {one.criterion: one for one in agreement_of(others, resampling=Resampling(resamples=0))}
    return tuple(
        (one.criterion, leading(one), leading(after[one.criterion]) if one.criterion in after else None)
        for one in agreements
    )
