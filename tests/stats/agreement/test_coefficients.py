"""Every measure of agreement: intervals over resampled units, and the published values on real ratings."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from dialeval.stats.agreement.coefficients import AGREEMENTS, AgreementName
from dialeval.stats.agreement.limits import agreement_limits
from dialeval.stats.resampling.bootstrap import Floats, draws

_ = math.nan
NAMES = tuple(AGREEMENTS)


def some_ratings(units: int, raters: int = 4, seed: int = 0, missing: float = 0.0) -> Floats:
    rng = np.random.default_rng(seed)
    ratings = 1.0 + rng.integers(4, size=(units, 1)) + rng.integers(3, size=(units, raters))
    return np.where(rng.random(ratings.shape) < missing, np.nan, ratings)


def enters(name: AgreementName, ratings: Floats) -> Floats:
    """The units that can enter the statistic."""
    rated = (~np.isnan(ratings)).sum(axis=1)
    return ratings[rated >= (ratings.shape[1] if name.startswith("icc") else 2)]


@pytest.mark.parametrize("name", NAMES)
def test_each_resample_is_the_statistic_of_the_units_drawn(name: AgreementName) -> None:
    ratings = some_ratings(25, seed=2, missing=0.2)
    statistic, units = AGREEMENTS[name], enters(name, ratings)
    weights = np.concatenate(list(draws(len(units), resamples=25, seed=6)))
    drawn = [statistic.estimate(np.repeat(units, row.astype(int), axis=0)).value for row in weights]
    found = statistic.resample(ratings, resamples=25, seed=6)
    if name == "free_kappa":  # chance counts the categories of all units, also those that a resample missed
        assert np.unique(units[~np.isnan(units)]).tolist() == [1, 2, 3, 4, 5, 6]
        drawn = [1 - (1 - agreed) * 6 / 5 for agreed in _percent(units, weights)]
    assert found == pytest.approx(drawn, abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
def test_the_interval_holds_the_estimate_and_narrows_with_more_units(name: AgreementName) -> None:
    few, many = some_ratings(40, seed=1), some_ratings(640, seed=1)
    narrow, wide = (agreement_limits(name, given) for given in (many, few))
    assert narrow.low < AGREEMENTS[name].estimate(many).value < narrow.high
    assert (narrow.high - narrow.low) == pytest.approx((wide.high - wide.low) / 4, rel=0.5)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "ratings", [np.array([[1.0, _], [_, 2.0]]), np.array([[1.0], [2.0]]), np.empty((0, 3))]
)
def test_what_is_undefined_has_a_reason_and_no_interval(name: AgreementName, ratings: Floats) -> None:
    assert AGREEMENTS[name].estimate(ratings).reason
    assert agreement_limits(name, ratings).absence == "undefined"


@pytest.mark.parametrize("name", [name for name in NAMES if name != "percent_agreement"])
def test_one_category_is_no_evidence_of_agreement(name: AgreementName) -> None:
    same = np.full((5, 3), 2.0)
    assert AGREEMENTS[name].estimate(same).reason
    assert agreement_limits(name, same).absence == "undefined"


@pytest.mark.parametrize("name", NAMES)
def test_measurements_get_a_number_or_a_reason_never_a_crash(name: AgreementName) -> None:
    measured = np.random.default_rng(0).random((400, 1)) + np.random.default_rng(1).random((400, 3))
    found = AGREEMENTS[name].estimate(measured)
    categorical = "kappa" in name or name == "percent_agreement"
    assert (found.reason is not None and "measurements" in found.reason) == categorical
    assert (agreement_limits(name, measured).absence == "undefined") == categorical


# Facts of the papers' own data, recomputed by others before us: ../shared/facts.md, section 3.
@pytest.mark.parametrize(
    ("level", "criterion", "fleiss", "items"),
    [
        ("turn", "Interesting", 0.153, None),
        ("turn", "Overall", 0.087, None),
        ("dialogue", "Coherent", 0.244, None),
        ("dialogue", "Error recovery", 0.105, 50),
    ],
)
def test_reproduces_fleiss_of_fed(
    shared_data: Path, level: str, criterion: str, fleiss: float, items: int | None
) -> None:
    ratings = _fed(shared_data, level, criterion)
    whole = ratings[~np.isnan(ratings).any(axis=1)]
    found = AGREEMENTS["fleiss_kappa"].estimate(whole)
    assert found.value == pytest.approx(fleiss, abs=5e-4)
    assert items is None or found.n == items


@pytest.mark.parametrize(("level", "alpha"), [("turn", 0.327), ("dialogue", 0.368)])
def test_reproduces_interval_alpha_of_fed(shared_data: Path, level: str, alpha: float) -> None:
    found = AGREEMENTS["alpha_interval"].estimate(_fed(shared_data, level, "Overall"))
    assert found.value == pytest.approx(alpha, abs=5e-4)


def test_reproduces_interval_alpha_of_grade(shared_data: Path) -> None:
    rows = json.loads((shared_data / "grade" / "human_score" / "human_judgement.json").read_text())
    by_system: dict[tuple[str, str], list[list[float]]] = {}
    for row in rows:
        by_system.setdefault((row["Dataset"], row["DialogModel"]), []).append(json.loads(row["HumanScores"]))
    alphas = [AGREEMENTS["alpha_interval"].estimate(_padded(scores)).value for scores in by_system.values()]
    assert min(alphas) == pytest.approx(0.058, abs=5e-4)
    assert max(alphas) == pytest.approx(0.164, abs=5e-4)


def _fed(shared_data: Path, level: str, criterion: str) -> Floats:
    rows = json.loads((shared_data / "fed" / "fed_data.json").read_text())
    chosen = [row["annotations"][criterion] for row in rows if ("response" in row) == (level == "turn")]
    return _padded([[value if isinstance(value, int) else _ for value in values] for values in chosen])


def _padded(rows: list[list[float]]) -> Floats:
    width = max(map(len, rows))
    return np.array([[*row, *[_] * (width - len(row))] for row in rows], dtype=np.float64)


def _percent(units: Floats, weights: Floats) -> list[float]:
    estimate = AGREEMENTS["percent_agreement"].estimate
    return [estimate(np.repeat(units, row.astype(int), axis=0)).value for row in weights]
