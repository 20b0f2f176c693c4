"""Cross-check of mean ratings: what models say of the same pairs, and where that differs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from dialeval.core import DEFAULT_RESAMPLING, Resampling
from dialeval.errors import Unsuitable
from dialeval.evaluation.compare import Comparison
from dialeval.files.documents import finite
from dialeval.ratings.means.document import (
    CriterionMeans,
    CrossCheck,
    Disagreement,
    ModelDifference,
    ModelName,
)
from dialeval.ratings.means.layout import Layout
from dialeval.ratings.means.models import Fit, linear_fit, ordinal_fit, require_statsmodels, too_little
from dialeval.ratings.means.systems import criterion_layout
from dialeval.ratings.table import Ratings
from dialeval.stats.tests.multiple import adjust_families

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
    only those of items that both have. P-values are corrected over the same families. Unsuitable where no criterion has
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
    """What the model says of one pair, by Wald's test."""
    from scipy.special import ndtr, ndtri

    a, b = (layout.ratings.systems.index(name) for name in (pair.a, pair.b))
    estimate, error = fit.difference(a, b)
    reach = float(ndtri((1 + layout.confidence) / 2)) * error
    p = float(2 * ndtr(-abs(estimate) / error)) if error > 0 else math.nan
    ends = (finite(estimate - reach), finite(estimate + reach))
    return ModelDifference(pair.a, pair.b, finite(estimate), *ends, finite(p))


def _decided(pair: ModelDifference, p: float, ours: Comparison) -> ModelDifference:
    """The same with its corrected p-value, and whether it says otherwise than the means do."""
    alpha = 0.05 if ours.basis is None else ours.basis.alpha
    significant = p < alpha
    disagrees: Disagreement | None = None
    if pair.estimate is not None and ours.difference is not None and pair.estimate * ours.difference < 0:
        disagrees = "sign"
    elif pair.p is not None and ours.p_adjusted is not None and significant != ours.significant:
        disagrees = "significance"
    return replace(pair, p_adjusted=finite(p), significant=significant, disagrees=disagrees)
