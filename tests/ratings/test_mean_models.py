"""Models of ratings: closed forms of balanced designs, what they cannot model, and where they disagree."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from scipy import stats

from dialeval import Judgement
from dialeval.display.notes import codes
from dialeval.errors import ResourceUnavailable, Unsuitable
from dialeval.ratings import Ratings
from dialeval.ratings.mean_models import MOST_CATEGORIES, cross_checked
from dialeval.ratings.means import means_of

ITEMS, RATERS = 12, 4


def balanced(gaps, *, item_sd=1.0, taste=0.0, noise=0.6, seed=0, whole=True) -> Ratings:
    rng = np.random.default_rng(seed)
    items, strictness = item_sd * rng.normal(size=ITEMS), 0.4 * rng.normal(size=RATERS)
    tastes = taste * rng.normal(size=(RATERS, len(gaps)))
    return Ratings.of(
        Judgement(f"q{i}", f"s{s}", f"r{r}", "c", float(np.round(value) if whole else value))
        for i in range(ITEMS)
        for r in range(RATERS)
        for s, gap in enumerate(gaps)
        for value in [3 + items[i] + strictness[r] + gap + tastes[r, s] + noise * rng.normal()]
    )


def checked(ratings, **options):
    found = means_of(ratings, **options)
    (one,) = cross_checked(ratings, found)
    return one, *one.models


@pytest.mark.parametrize("raters", ["fixed", "sampled"])
def test_fixed_effects_of_a_balanced_design_are_differences_of_means(raters):
    one, linear, _ = checked(balanced((0.6, 0.2, 0.0), taste=0.4, whole=False), raters=raters)
    for pair, ours in zip(linear.differences, one.differences, strict=True):
        assert (pair.a, pair.b) == (ours.a, ours.b)
        assert pair.estimate.value == pytest.approx(ours.difference.value, abs=1e-6)


def test_their_errors_follow_from_the_variance_components():
    """Var(difference) = 2 residual² / (items * raters), plus 2 taste² / raters where tastes are in the model."""
    given = balanced((0.6, 0.0), taste=0.8, whole=False)
    for raters, parts in (("fixed", ("item", "rater")), ("sampled", ("item", "rater", "taste"))):
        _, linear, _ = checked(given, raters=raters)
        assert tuple(linear.components) == (*parts, "residual")
        sd = linear.components
        variance = 2 * sd["residual"] ** 2 / (ITEMS * RATERS) + 2 * sd.get("taste", 0.0) ** 2 / RATERS
        (pair,) = linear.differences
        assert pair.estimate.high - pair.estimate.value == pytest.approx(
            1.959964 * math.sqrt(variance), rel=1e-4
        )
        assert pair.p == pytest.approx(
            2 * stats.norm.sf(abs(pair.estimate.value) / math.sqrt(variance)), rel=1e-3
        )


def test_the_ordinal_model_of_two_categories_is_a_difference_of_probits():
    rng = np.random.default_rng(3)
    given = Ratings.of(
        Judgement(f"q{i}", system, f"r{r}", "c", float(rng.random() < share))
        for i in range(20)
        for r in range(3)
        for system, share in (("a", 0.7), ("b", 0.4))
    )
    one, _, ordinal = checked(given)
    shares = {row.system: row.mean.value for row in one.systems}
    (pair,) = ordinal.differences
    probits = {name: stats.norm.ppf(share) for name, share in shares.items()}
    assert pair.estimate.value == pytest.approx(probits[pair.a] - probits[pair.b], abs=1e-4)
    assert ordinal.components == {}


def test_p_values_of_models_are_corrected_over_the_same_family():
    _, linear, ordinal = checked(balanced((0.6, 0.3, 0.0)))
    for check in (linear, ordinal):
        raw = sorted(pair.p for pair in check.differences)
        assert min(pair.p_adjusted for pair in check.differences) == pytest.approx(min(1, 3 * raw[0]))


def test_a_difference_that_items_hide_from_the_ordinal_model_is_said_to_disagree():
    """Items differ far more than systems: paired means see the difference, a model of independent ratings does not."""
    one, linear, ordinal = checked(balanced((0.5, 0.0), item_sd=2.5, noise=0.3))
    assert one.differences[0].significant
    assert (linear.differences[0].significant, linear.differences[0].disagrees) == (True, None)
    assert (ordinal.differences[0].significant, ordinal.differences[0].disagrees) == (False, "significance")


def test_stricter_raters_of_one_system_turn_the_sign():
    """new is 0.5 better, but two of its three raters are 2 stricter and rated nothing else of these items."""
    rng = np.random.default_rng(0)
    seen = {"new": ("mild", "strict1", "strict2"), "old": ("mild", "kind1", "kind2")}
    given = Ratings.of(
        Judgement(f"q{i}", system, rater, "c", value)
        for i in range(30)
        for system, better in (("new", 0.5), ("old", 0.0))
        for rater in (seen[system] if i < 25 else sorted({*seen["new"], *seen["old"]}))
        for value in [5 + better - 2 * rater.startswith("strict") + 0.3 * rng.normal()]
    )
    one, linear, _ = checked(given)
    assert one.differences[0].a == "old"
    assert one.differences[0].difference.value > 0.3
    assert linear.differences[0].estimate.value == pytest.approx(-0.5, abs=0.1)
    assert linear.differences[0].disagrees == "sign"


def test_measurements_and_separated_systems_have_no_ordinal_model():
    _, linear, ordinal = checked(balanced((0.5, 0.0), whole=False))
    assert linear.reason is None
    assert f"{ITEMS * RATERS * 2} different values" in ordinal.reason
    assert ITEMS * RATERS * 2 > MOST_CATEGORIES
    highest = Ratings.of(
        Judgement(f"q{i}", system, f"r{r}", "c", 5.0 if system == "a" else float(1 + (i + r) % 5))
        for i in range(6)
        for r in range(2)
        for system in ("a", "b")
    )
    assert checked(highest)[2].reason.startswith("every rating of a is at one end")


def test_a_variance_of_zero_is_noted():
    """Ratings without any effect of items or raters."""
    rng = np.random.default_rng(2)
    given = Ratings.of(
        Judgement(f"q{i}", system, f"r{r}", "c", float(i % 2 == r % 2) + rng.normal() / 9)
        for i in range(6)
        for r in range(4)
        for system in ("a", "b")
    )
    _, linear, _ = checked(given)
    assert set(codes(linear.notes)) <= {"boundary", "not_converged"}
    assert linear.notes


def test_one_rater_cannot_be_modelled():
    given = balanced((0.5, 0.0)).by(raters=["r0"])
    with pytest.raises(Unsuitable, match="cannot model 'c': a model needs two raters or more"):
        cross_checked(given, means_of(given))


def test_without_statsmodels_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels", None)
    given = balanced((0.5, 0.0))
    with pytest.raises(
        ResourceUnavailable, match=r"statsmodels, not installed. Run: pip install '.\[mixed\]'"
    ):
        cross_checked(given, means_of(given))
