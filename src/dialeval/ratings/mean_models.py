"""Cross-check of mean ratings by models of statsmodels: a linear mixed model, and an ordinal one.

Linear: value ~ system, with crossed random effects of item and rater (of dialogue too, if ids show these), by
restricted maximum likelihood. If raters are sampled from many, the taste of each rater for each system is a random
effect as well. Ordinal: a probit model of the categories with an effect of each system, and no random effects.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Floats, Integers, Resampling
from dialeval.display.notes import Note
from dialeval.errors import ResourceUnavailable, Unsuitable, install_advice
from dialeval.evaluation.compare import Comparison
from dialeval.files.documents import finite
from dialeval.ratings.means import (
    CriterionMeans,
    CrossCheck,
    Disagreement,
    Layout,
    ModelDifference,
    ModelName,
    criterion_layout,
)
from dialeval.ratings.table import Ratings
from dialeval.stats.estimate import Estimate
from dialeval.stats.tests.multiple import adjust_families

MOST_WORK: Final = 10**9
"""Ratings times the square of items, raters and tastes: beyond this the linear model takes many minutes."""
MOST_CATEGORIES: Final = 20
"""Of more different values no ordinal model is fitted: they are measurements."""

OPTIMISERS: Final = ("bfgs", "lbfgs", "cg", "powell")
"""Of the linear model, tried in turn until one converges."""
NEGLIGIBLE: Final = 1e-3
"""A standard deviation of so small a share of the largest one counts as 0."""


class Fit(NamedTuple):
    """Effects of systems in a model, or the reason why there are none."""

    effects: Floats
    """One per system; the first is 0 if only differences are defined."""
    covariance: Floats
    """Shape (systems, systems)."""
    components: Mapping[str, float]
    """Standard deviations of random effects and residual."""
    notes: tuple[Note, ...] = ()
    reason: str | None = None

    def difference(self, a: int, b: int) -> tuple[float, float]:
        """The effect of a minus that of b, and its standard error."""
        contrast = np.zeros(len(self.effects))
        contrast[a], contrast[b] = 1.0, -1.0
        variance = float(contrast @ self.covariance @ contrast)
        return float(contrast @ self.effects), math.sqrt(variance) if variance > 0 else math.nan


def require_statsmodels() -> None:
    """Refuse models if the package they rest on is missing."""
    try:
        import statsmodels  # noqa: F401
    except ImportError:
        raise ResourceUnavailable(
            "'--model mixed' needs the package statsmodels, not installed. Run: "
            f"{install_advice('mixed')}, or leave the option out."
        ) from None


def linear_fit(layout: Layout) -> Fit:
    """The linear mixed model of one criterion."""
    given = layout.ratings
    if reason := too_little(layout):
        return _none(reason)
    effects = dict(_random_effects(layout))
    levels = sum(len(np.unique(codes)) for codes in effects.values())
    if len(given) * levels**2 > MOST_WORK:
        return _none(f"{len(given):,} ratings with {levels:,} random effects take the linear model too long")
    from statsmodels.regression.mixed_linear_model import MixedLM, VCSpec

    designs = [[_dummies(codes)] for codes in effects.values()]
    labels = [[[str(column) for column in range(design[0].shape[1])]] for design in designs]
    # One group holds all ratings, so that the effects of items and raters are crossed in it.
    model = MixedLM(
        given.value,
        np.eye(len(given.systems))[given.system],
        groups=np.zeros(len(given), dtype=np.int64),
        exog_vc=VCSpec(list(effects), labels, designs),
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what they say is in `converged` and in the components
            fit = model.fit(reml=True, method=list(OPTIMISERS))
            systems = len(given.systems)
            covariance = np.asarray(fit.cov_params(), dtype=np.float64)[:systems, :systems]
    except (np.linalg.LinAlgError, ValueError) as error:
        return _none(f"the linear model could not be fitted ({type(error).__name__})")
    deviations = np.sqrt(np.maximum(0.0, [*np.asarray(fit.vcomp, dtype=np.float64), float(fit.scale)]))
    components = dict(zip([*effects, "residual"], deviations.tolist(), strict=True))
    notes = _doubts(converged=bool(fit.converged), components=components)
    return Fit(np.asarray(fit.fe_params, dtype=np.float64), covariance, components, notes)


def ordinal_fit(layout: Layout) -> Fit:
    """The ordinal probit model of one criterion."""
    given = layout.ratings
    values, category = np.unique(given.value, return_inverse=True)
    if reason := too_little(layout):
        return _none(reason)
    if len(values) > MOST_CATEGORIES:
        return _none(f"{len(values):,} different values are measurements, not categories of a scale")
    if separated := list(_separated(given.systems, given.system, category)):
        return _none(f"every rating of {separated[0]} is at one end of the scale: its effect is infinite")
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    model = OrderedModel(category, np.eye(len(given.systems))[given.system][:, 1:], distr="probit")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what they say is in `converged` and in the components
            fit = model.fit(method="bfgs", maxiter=500, disp=0)
            inner = np.asarray(fit.cov_params(), dtype=np.float64)
    except (np.linalg.LinAlgError, ValueError) as error:
        return _none(f"the ordinal model could not be fitted ({type(error).__name__})")
    further = len(given.systems) - 1
    effects, covariance = np.zeros(further + 1), np.zeros((further + 1, further + 1))
    effects[1:] = np.asarray(fit.params, dtype=np.float64)[:further]
    covariance[1:, 1:] = inner[:further, :further]
    notes = _doubts(converged=bool(fit.mle_retvals["converged"]), components={})
    return Fit(effects, covariance, {}, notes)


def too_little(layout: Layout) -> str | None:
    """Why these ratings cannot be modelled; None if they can."""
    given = layout.ratings
    for names, noun in ((given.systems, "system"), (given.items, "item"), (given.raters, "rater")):
        if len(names) < 2:
            return f"a model needs two {noun}s or more"
    if given.anonymous:
        return "raters are not named, so a rater cannot be followed from item to item"
    return None if np.ptp(given.value) > 0 else "all ratings are the same"


def _random_effects(layout: Layout) -> Iterator[tuple[str, Integers]]:
    """Names of the random effects, and which of its levels each rating has."""
    given = layout.ratings
    if layout.clustered:
        yield "dialogue", layout.clusters[given.item]
    yield "item", given.item
    yield "rater", given.rater
    if layout.raters == "sampled":
        yield "taste", given.rater * len(given.systems) + given.system


def _dummies(codes: Integers) -> Floats:
    """A column for each level that occurs, shape (ratings, levels)."""
    levels, places = np.unique(codes, return_inverse=True)
    return np.eye(len(levels))[places]


def _separated(systems: Sequence[str], system: Integers, category: Integers) -> Iterator[str]:
    """The systems all of whose ratings are the lowest of all, or the highest."""
    ends = (int(category.min()), int(category.max()))
    for code, name in enumerate(systems):
        theirs = np.unique(category[system == code])
        if len(theirs) == 1 and int(theirs[0]) in ends:
            yield name


def _doubts(*, converged: bool, components: Mapping[str, float]) -> tuple[Note, ...]:
    """Notes on an optimiser that stopped early, and on variances at the end of their range."""
    if not converged:
        return (Note("not_converged", "the optimiser did not converge: take these numbers with care"),)
    largest = max(components.values(), default=0.0)
    gone = [name for name, deviation in components.items() if deviation < NEGLIGIBLE * largest]
    return (Note("boundary", f"estimated not to vary at all: {', '.join(gone)}"),) if gone else ()


def _none(reason: str) -> Fit:
    return Fit(np.empty(0), np.empty((0, 0)), {}, (), reason)


FITS: Final[Mapping[ModelName, Callable[[Layout], Fit]]] = {"linear": linear_fit, "ordinal": ordinal_fit}


def cross_checked(
    ratings: Ratings,
    means: Sequence[CriterionMeans],
    *,
    resampling: Resampling = DEFAULT_RESAMPLING,
    primary: str | None = None,
) -> tuple[CriterionMeans, ...]:
    """The means with what a linear mixed model and an ordinal model say of the same pairs.

    ``resampling`` and ``primary`` as in `means_of`. Models take all ratings of a criterion, the means of two systems
    only those of items that both have. P-values are corrected over the same families. Unsuitable if no criterion has
    two systems, items and raters that are named.
    """
    require_statsmodels()
    layouts = {
        one.criterion: criterion_layout(ratings, one.criterion, resampling, one.interval_raters)
        for one in means
    }
    reasons = {name: too_little(layout) for name, layout in layouts.items()}
    if all(reasons.values()):
        first = next(iter(reasons))
        raise Unsuitable(f"'--model mixed' cannot model {first!r}: {reasons[first]}. Leave the option out.")
    checks = {name: _checks(means, layouts, name, fit, primary) for name, fit in FITS.items()}
    return tuple(replace(one, models=tuple(checks[name][one.criterion] for name in FITS)) for one in means)


def _checks(
    means: Sequence[CriterionMeans],
    layouts: Mapping[str, Layout],
    model: ModelName,
    fit: Callable[[Layout], Fit],
    primary: str | None,
) -> dict[str, CrossCheck]:
    """One model of every criterion."""
    fits = {one.criterion: fit(layouts[one.criterion]) for one in means}
    raw = {
        one.criterion: [
            _difference(pair, fits[one.criterion], layouts[one.criterion]) for pair in one.differences
        ]
        for one in means
        if fits[one.criterion].reason is None
    }
    p_values = {
        name: [math.nan if pair.p is None else pair.p for pair in pairs] for name, pairs in raw.items()
    }
    adjusted = adjust_families(p_values, primary=primary if primary in raw else None)
    return {
        one.criterion: CrossCheck(
            model=model,
            differences=tuple(
                _decided(pair, p, ours)
                for pair, p, ours in zip(
                    raw[one.criterion],
                    adjusted[one.criterion].p_values.tolist(),
                    one.differences,
                    strict=True,
                )
            )
            if one.criterion in raw
            else (),
            components=fits[one.criterion].components,
            reason=fits[one.criterion].reason,
            notes=fits[one.criterion].notes,
        )
        for one in means
    }


def _difference(pair: Comparison, fit: Fit, layout: Layout) -> ModelDifference:
    """Difference of one pair by the model, with Wald's test."""
    from scipy.special import ndtr, ndtri

    a, b = (layout.ratings.systems.index(name) for name in (pair.a, pair.b))
    estimate, error = fit.difference(a, b)
    reach = float(ndtri((1 + layout.confidence) / 2)) * error
    p = float(2 * ndtr(-abs(estimate) / error)) if error > 0 else math.nan
    found = Estimate.of(estimate, estimate - reach, estimate + reach, pair.n)
    return ModelDifference(pair.a, pair.b, found, finite(p))


def _decided(pair: ModelDifference, p: float, ours: Comparison) -> ModelDifference:
    """Return the difference with its corrected p-value, and whether it contradicts the means."""
    alpha = 0.05 if ours.basis is None else ours.basis.alpha
    significant = p < alpha
    disagrees: Disagreement | None = None
    if pair.estimate.number * ours.difference.number < 0:
        disagrees = "sign"
    elif pair.p is not None and ours.p_adjusted is not None and significant != ours.significant:
        disagrees = "significance"
    return replace(pair, p_adjusted=finite(p), significant=significant, disagrees=disagrees)
