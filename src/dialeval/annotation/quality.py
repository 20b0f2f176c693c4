"""The owner's live view: progress, agreement with intervals, what each rater did and what dropping one changes."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Final

from dialeval.annotation.desk import is_right
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
from dialeval.files.documents import finite
from dialeval.ratings.agreement.coefficients import CriterionAgreement, agreement_of
from dialeval.ratings.table import Ratings

LEADING: Final = ("alpha_ordinal", "alpha_nominal")
"""The coefficient that stands for all where one is shown: the first that is defined."""
MOST_WITHOUT: Final = 30
"""For how many raters it is computed what dropping them would change: those who agree least."""
LOW_KAPPA: Final = 0.1
FAST: Final = 0.3
"""Below this share of the median rater's time, a rater is too fast."""
KEEP_SECONDS: Final = 3.0
"""How long a computed view is shown again while nothing was answered, or little."""


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
    """What the owner sees, computed from the store as it is."""
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
    coefficients = tuple(
        Coefficient(
            name,
            finite(measured.value),
            measured.interval.low if measured.interval else None,
            measured.interval.high if measured.interval else None,
            measured.estimate.reason,
        )
        for name, measured in agreement.measures.items()
    )
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
    kappas = _kappas(agreements)
    times = {name: _median_seconds(answers) for name, answers in by_rater.items()}
    skipped = store.skipped()
    lowest = sorted(
        (rater.name for rater in raters if rater.name in ratings.raters),
        key=lambda name: kappas.get(name, 2.0),
    )
    without = {name: _without(ratings, agreements, name) for name in lowest[:MOST_WITHOUT]}
    known = sorted(seconds for seconds in times.values() if seconds is not None)
    usual = median(known) if known else None
    views = []
    for rater in raters:
        answers = by_rater.get(rater.name, [])
        checks = [given for given in answers if project.sources[given.item].role == "check"]
        passed = sum(is_right(project, given.item, given.answers) for given in checks)
        rated = [given for given in answers if project.sources[given.item].role == "rating"]
        kappa = kappas.get(rater.name)
        seconds = times.get(rater.name)
        notes = [
            note
            for agreement in agreements
            for one in agreement.per_rater
            if one.rater == rater.name
            for note in one.flags
        ]
        silent = sum(
            one.could_not_say
            for agreement in agreements
            for one in agreement.per_rater
            if one.rater == rater.name
        )
        flags: list[Flag] = []
        if seconds is not None and usual and len(rated) >= 5 and seconds < FAST * usual:
            flags.append("too_fast")
        if passed < len(checks):
            flags.append("failed_checks")
        if kappa is not None and kappa < LOW_KAPPA:
            flags.append("low_agreement")
        if any(note.code == "one_answer" for note in notes):
            flags.append("one_answer")
        if skipped.get(rater.name, 0) > max(3, 0.2 * len(rated)):
            flags.append("many_skips")
        if silent > max(3, 0.3 * len(rated)):
            flags.append("cannot_say")
        views.append(
            RaterView(
                rater=rater.name,
                state=_state(store, rater, len(rated)),
                dropped=rater.dropped,
                answered=len(rated),
                skipped=skipped.get(rater.name, 0),
                median_seconds=seconds,
                kappa=kappa,
                checks_passed=passed,
                checks_seen=len(checks),
                flags=tuple(flags),
                without=without.get(rater.name, ()),
            )
        )
    return tuple(views)


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
    """The coefficient that stands for all: None where none is defined."""
    values = (finite(agreement.measures[name].value) for name in LEADING if name in agreement.measures)
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
