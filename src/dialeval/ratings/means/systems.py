"""Mean ratings of systems, and the difference of every two, with intervals over items and raters."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dialeval.core import DEFAULT_RESAMPLING, Floats, Resampling
from dialeval.display.notes import Note
from dialeval.display.wording import count, listing
from dialeval.errors import UnknownName, Unsuitable
from dialeval.evaluation.compare import Comparison, decide_families
from dialeval.evaluation.compare.comparison import Basis, MoreItems
from dialeval.files.documents import finite
from dialeval.ratings.agreement.intervals import NOT_NAMED, Raters
from dialeval.ratings.means.document import CriterionMeans, SystemMean
from dialeval.ratings.means.layout import Layout
from dialeval.ratings.table import Ratings
from dialeval.stats.tests.paired import ROUNDING


def means_of(
    ratings: Ratings,
    *,
    resampling: Resampling = DEFAULT_RESAMPLING,
    raters: Raters = "fixed",
    lower_is_better: Collection[str] = (),
    primary: str | None = None,
) -> tuple[CriterionMeans, ...]:
    """Mean ratings of systems on each criterion, and every difference with Holm's correction over all of them.

    ``fixed`` raters: intervals and tests are about other items, rated by these raters. ``sampled``: about other raters
    like these, too. A ``primary`` criterion, declared beforehand, is a family of tests of its own. Of ``resampling``
    confidence and clusters count: errors are the jackknife's and tests Student's, so nothing is random.
    """
    for name in (*lower_is_better, *([primary] if primary is not None else [])):
        if name not in ratings.criteria:
            raise UnknownName(
                "criterion", name, ratings.criteria, todo=f"There are {listing(ratings.criteria)}."
            )
    layouts = {name: criterion_layout(ratings, name, resampling, raters) for name in ratings.criteria}
    if not any(len(layout.ratings.systems) > 1 for layout in layouts.values()):
        raise Unsuitable(_one_system(layouts))
    found = [_criterion(name, layout, name in lower_is_better) for name, layout in layouts.items()]
    pairs = [pair for criterion in found for pair in criterion.differences]
    decided = iter(decide_families(pairs, primary=primary))
    return tuple(
        replace(criterion, differences=tuple(next(decided) for _ in criterion.differences))
        for criterion in found
    )


def criterion_layout(ratings: Ratings, name: str, resampling: Resampling, raters: Raters) -> Layout:
    """The ratings of one criterion; Unsuitable where they have no mean, or raters cannot be sampled."""
    chosen = ratings.criterion_named(name)
    chosen = chosen.where(~np.isnan(chosen.value))
    if name in ratings.nominal:
        raise Unsuitable(
            f"Values of {name!r} are names of categories and have no mean. See 'dialeval annotate agreement'."
        )
    if raters == "sampled" and chosen.anonymous:
        raise Unsuitable(f"{name!r}: {NOT_NAMED}. Use '--raters fixed'.")
    if raters == "sampled" and len(chosen.raters) < 2:
        who = f"one rater, {chosen.raters[0]!r}" if chosen.raters else "no rating with a value"
        raise Unsuitable(
            f"{name!r} has {who}, but intervals for other raters need two or more. Add the ratings of others, use "
            "'--raters fixed', or name other criteria with --criterion."
        )
    return Layout.of(chosen, resampling, raters)


def _one_system(layouts: dict[str, Layout]) -> str:
    names = list(dict.fromkeys(name for layout in layouts.values() for name in layout.ratings.systems))
    given = f"one system each ({listing(names)})" if len(names) > 1 else f"one system, {listing(names)!r}"
    return (
        f"Differences need two systems rated on one criterion, but the ratings are of "
        f"{given if names else 'no system'}. Add the ratings of another system; for raters' agreement on one, see "
        "'dialeval annotate agreement'."
    )


def _criterion(name: str, layout: Layout, lower: bool) -> CriterionMeans:
    given, systems = layout.ratings, range(len(layout.ratings.systems))
    shared = layout.shared(*systems)
    common = bool(shared.any())
    means = [_mean(layout, system, shared if common else layout.shared(system)) for system in systems]
    best = sorted(systems, key=lambda s: (means[s].mean or 0.0) * (1 if lower else -1))
    pairs = [(a, b) for a, b in combinations(best, 2) if layout.shared(a, b).any()]
    return CriterionMeans(
        criterion=name,
        items=int(shared.sum()) if common else len(given.items),
        raters=len(given.raters),
        ratings=len(given),
        interval_raters=layout.raters,
        level=layout.confidence,
        clusters=len(np.unique(layout.clusters)) if layout.clustered else None,
        systems=tuple(means[system] for system in best),
        differences=tuple(_difference(name, layout, a, b, lower) for a, b in pairs),
        notes=tuple(_notes(layout, shared, best)),
    )


def _mean(layout: Layout, system: int, items: NDArray[np.bool_]) -> SystemMean:
    estimated = layout.mean(system, items)
    return SystemMean(
        system=layout.ratings.systems[system],
        mean=finite(estimated.value),
        low=finite(estimated.low),
        high=finite(estimated.high),
        items=int(items.sum()),
        ratings=int(layout.counts[items, system].sum()),
        absence=estimated.absence,
    )


def _difference(criterion: str, layout: Layout, a: int, b: int, lower: bool) -> Comparison:
    """Two systems over the items that both have, before any correction."""
    both, names = layout.shared(a, b), layout.ratings.systems
    either = layout.shared(a) | layout.shared(b)
    values_a, values_b = (layout.item_means(system, both) for system in (a, b))
    estimated = layout.difference(a, b)
    wins, losses = _tally(values_a, values_b, lower)
    return Comparison(
        measure=criterion,
        a=names[a],
        b=names[b],
        difference=finite(estimated.value),
        low=finite(estimated.low),
        high=finite(estimated.high),
        p_bootstrap=None,
        p_permutation=None,
        p_mcnemar=None,
        p_jackknife=finite(estimated.p),
        p_adjusted=None,
        significant=False,
        better=None,
        effect_size=None,
        wins=wins,
        ties=len(values_a) - wins - losses,
        losses=losses,
        n=len(values_a),
        unpaired=int(either.sum()) - len(values_a),
        more_items=None,
        largest=finite(max(abs(estimated.low), abs(estimated.high))),
        units=len(np.unique(layout.clusters[both])),
        absence=estimated.absence,
        basis=_basis(criterion, layout, (values_a, values_b), lower),
    )


def _basis(criterion: str, layout: Layout, values: tuple[Floats, Floats], lower: bool) -> Basis:
    return Basis(
        signature=criterion,
        score_a=float(values[0].mean()),
        score_b=float(values[1].mean()),
        confidence=layout.confidence,
        alpha=round(1 - layout.confidence, 12),
        higher_is_better=not lower,
        more=MoreItems(),
    )


def _tally(a: Floats, b: Floats, lower: bool) -> tuple[int, int]:
    """On how many items a does better, and worse, by more than rounding."""
    ahead = (b - a) if lower else (a - b)
    noise = ROUNDING * (np.abs(a) + np.abs(b))
    return int((ahead > noise).sum()), int((ahead < -noise).sum())


def _notes(layout: Layout, shared: NDArray[np.bool_], best: Sequence[int]) -> Iterator[Note]:
    """What the means are over, and which pairs cannot be compared."""
    given = layout.ratings
    left = len(given.items) - int(shared.sum())
    if not shared.any() and len(given.systems) > 1:
        yield Note("no_shared_item", "no item was rated for every system: each mean is over other items")
    elif left:
        text = f"means are over the items rated for every system; {count(left, 'item')} left out"
        yield Note("shared_items", text)
    apart = [
        f"{given.systems[a]} and {given.systems[b]}"
        for a, b in combinations(best, 2)
        if not layout.shared(a, b).any()
    ]
    if apart:
        yield Note("not_compared", f"not compared, because they share no item: {listing(apart)}")
    if layout.raters == "fixed" and len(given.raters) == 1:
        yield Note("one_rater", f"there is only one rater, {given.raters[0]}: all of this is their opinion")
