"""Combinations of measures: averages by hand, fits against scikit-learn, and no look at what is held out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge

from dialeval.core import Signature
from dialeval.errors import UnknownName, Unsuitable
from dialeval.meta.combinations import linear_combination, zscore_average
from dialeval.ratings.joined import Joined
from dialeval.stats.correlation.coefficients import pearson, spearman

NONE = math.nan


def made(make_joined, *, systems: int = 2, items: int = 30, noise: float = 0.5, seed: int = 0) -> Joined:
    """Ratings that rest on two of three measures, in one part of three and two of three."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.normal(size=(3, systems, items)) * np.array([1, 10, 3])[:, None, None]
    human = 3 + 2 * a - 0.1 * b + rng.normal(scale=noise, size=a.shape)
    return make_joined(human[None], {"a": a, "b": b, "c": c})


def test_zscore_average_by_hand(make_joined) -> None:
    # a: mean 2, sd sqrt(2/3); b: mean 20, sd sqrt(200/3): both give -1.2247, 0, 1.2247.
    joined = make_joined([[[1, 2, 3]]], {"a": [[1, 2, 3]], "b": [[10, 20, 30]], "c": [[3, 2, 1]]})
    step = math.sqrt(1.5)
    np.testing.assert_allclose(zscore_average(joined, ["a", "b"]).values, [[-step, 0, step]])
    np.testing.assert_allclose(zscore_average(joined, ["a", "c"]).values, [[0, 0, 0]])
    turned = zscore_average(joined, ["a", "c"], lower_is_better=["c"], name="both")
    np.testing.assert_allclose(turned.values, [[-step, 0, step]])
    assert turned.name == "both"
    assert Signature.parse(turned.rater).parameters == (("measures", "a, c"), ("lower_is_better", "c"))


def test_zscores_are_over_the_answers_that_all_measures_have(make_joined) -> None:
    joined = make_joined([[[1, 2, 3, 4]]], {"a": [[1, 2, 3, 100]], "b": [[1, 2, 3, NONE]]})
    step = math.sqrt(1.5)
    np.testing.assert_allclose(zscore_average(joined).values, [[-step, 0, step, NONE]])


def test_a_constant_measure_adds_nothing(make_joined) -> None:
    joined = make_joined([[[1, 2, 3]]], {"a": [[1, 2, 3]], "flat": [[0.1, 0.1, 0.1]]})
    np.testing.assert_allclose(zscore_average(joined).values, [[-math.sqrt(1.5) / 2, 0, math.sqrt(1.5) / 2]])
    found = linear_combination(joined, folds=3, ridge=0)
    assert found.weights[1].weight == 0


@pytest.mark.parametrize("ridge", [0.0, 0.1, 2.0])
def test_each_fold_is_predicted_by_a_fit_to_the_others(make_joined, ridge: float) -> None:
    joined = made(make_joined)
    found = linear_combination(joined, folds=4, seed=3, ridge=ridge)
    cube = np.stack([measure.values for measure in joined.measures], axis=-1)
    human, weights = joined.human.values, []
    for fold in range(4):
        out = np.broadcast_to(found.fold == fold, human.shape)
        mean, spread = cube[~out].mean(axis=0), cube[~out].std(axis=0)
        line = Ridge(alpha=ridge * (~out).sum()) if ridge else LinearRegression()
        line.fit((cube[~out] - mean) / spread, human[~out])
        expected = line.predict((cube[out] - mean) / spread) - human[~out].mean() + human.mean()
        np.testing.assert_allclose(found.measure.values[out], expected)
        weights.append(line.coef_)
    np.testing.assert_allclose([one.weight for one in found.weights], np.mean(weights, axis=0), atol=1e-9)
    np.testing.assert_allclose([one.least for one in found.weights], np.min(weights, axis=0), atol=1e-9)
    assert found.pearson == pearson(human.ravel(), found.measure.values.ravel())
    assert found.spearman == spearman(human.ravel(), found.measure.values.ravel())


def test_an_item_is_never_in_training_and_test_for_any_system(make_joined) -> None:
    """Moving one item's ratings may not move that item's own predictions, whichever system gave them."""
    rng = np.random.default_rng(2)
    scores = {name: rng.normal(size=(3, 20)) for name in "ab"}
    human = rng.normal(size=(1, 3, 20))
    before = linear_combination(make_joined(human, scores), folds=5)
    human[0, :, 7] += [50, -80, 60]
    after = linear_combination(make_joined(human, scores), folds=5)
    together = before.fold == before.fold[7]
    change = after.measure.values - before.measure.values
    # Its fold moves by the common mean alone, and the other folds move by more.
    np.testing.assert_allclose(change[:, together], 30 / 60)
    assert np.ptp(change[:, ~together]) > 0.1


def test_noise_fitted_to_noise_does_not_look_good(make_joined) -> None:
    """A leak detector: thirty measures of nothing fit sixty ratings in sample, and know nothing held out."""
    held_out, in_sample = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        scores, human = rng.normal(size=(30, 1, 60)), rng.normal(size=(1, 1, 60))
        joined = make_joined(human, {f"noise{at}": one for at, one in enumerate(scores)})
        held_out.append(linear_combination(joined, seed=seed, ridge=0.001).pearson.value)
        x = scores[:, 0].T
        fitted = LinearRegression().fit(x, human[0, 0])
        in_sample.append(np.corrcoef(fitted.predict(x), human[0, 0])[0, 1])
    assert np.mean(in_sample) > 0.6
    assert abs(np.mean(held_out)) < 0.1


def test_standardising_sees_only_the_training_folds(make_joined) -> None:
    """One held-out item with a wild score must not change what is predicted for the items of its own fold."""
    rng = np.random.default_rng(4)
    a, human = rng.normal(size=(1, 20)), rng.normal(size=(1, 1, 20))
    before = linear_combination(make_joined(human, {"a": a}), folds=4)
    a = a.copy()
    a[0, 3] = 1e4
    after = linear_combination(make_joined(human, {"a": a}), folds=4)
    fellows = (before.fold == before.fold[3]) & (np.arange(20) != 3)
    np.testing.assert_allclose(after.measure.values[0, fellows], before.measure.values[0, fellows])


def test_a_constant_prediction_does_not_disagree_with_people(make_joined) -> None:
    """Training means would be lowest where held-out ratings are highest, a correlation of -1 made of nothing."""
    rng = np.random.default_rng(1)
    joined = make_joined(rng.normal(size=(1, 1, 12)), {"flat": np.ones((1, 12))})
    found = linear_combination(joined, folds=12)
    assert np.ptp(found.measure.values) == 0
    assert (
        found.pearson.reason
        == f"all values of the second variable are equal ({found.measure.values[0, 0]:g})"
    )


def test_new_systems_are_predicted_by_fits_that_never_saw_them(make_joined) -> None:
    rng = np.random.default_rng(3)
    scores = {name: rng.normal(size=(3, 20)) for name in "ab"}
    human = rng.normal(size=(1, 3, 20))
    before = linear_combination(make_joined(human, scores), new_systems=True, folds=4)
    human[0, 1] *= -7
    after = linear_combination(make_joined(human, scores), new_systems=True, folds=4)
    change = after.measure.values - before.measure.values
    np.testing.assert_allclose(change[1], change[1, 0])
    assert np.ptp(change[0]) > 0.1
    assert "held_out=items and systems" in str(before.signature)
    with pytest.raises(Unsuitable, match="two systems"):
        linear_combination(make_joined(human[:, :1], {"a": scores["a"][:1]}), new_systems=True)


def test_items_without_ratings_get_the_mean_of_all_folds(make_joined) -> None:
    rng = np.random.default_rng(5)
    a, human = rng.normal(size=(1, 12)), np.full((1, 1, 12), NONE)
    human[0, 0, :8] = rng.normal(size=8)
    found = linear_combination(make_joined(human, {"a": a}), folds=4, ridge=0)
    values = []
    for fold in range(4):
        seen = (found.fold != fold) & (found.fold >= 0)
        slope = np.polyfit(a[0, seen], human[0, 0, seen], 1)[0]
        values.append(np.nanmean(human) + slope * (a[0, 8:] - a[0, seen].mean()))
    np.testing.assert_array_equal(found.fold[8:], -1)
    np.testing.assert_allclose(found.measure.values[0, 8:], np.mean(values, axis=0))
    assert found.pearson.n == 8


def test_answers_that_a_measure_lacks_are_left_out_and_counted(make_joined) -> None:
    joined = make_joined([[[1, 2, 3, 4, 5]]], {"a": [[1, 2, 3, 4, 6]], "b": [[1, NONE, 2, 5, 7]]})
    found = linear_combination(joined, folds=2)
    assert (found.left_out, found.pearson.n) == (1, 4)
    np.testing.assert_array_equal(np.isnan(found.measure.values), [[False, True, False, False, False]])


def test_in_sample_is_refused(make_joined) -> None:
    joined = made(make_joined, items=5)
    with pytest.raises(Unsuitable, match="folds=1, expected at least 2"):
        linear_combination(joined, folds=1)
    with pytest.raises(Unsuitable, match=r"5 items .* each of 6 folds"):
        linear_combination(joined, folds=6)
    with pytest.raises(Unsuitable, match="ridge=-1"):
        linear_combination(joined, folds=2, ridge=-1)


def test_names_are_checked(make_joined) -> None:
    joined = made(make_joined)
    with pytest.raises(UnknownName, match="There are a, b, c"):
        linear_combination(joined, ["a", "bb"])
    with pytest.raises(Unsuitable, match="named twice"):
        zscore_average(joined, ["a", "a"])
    with pytest.raises(Unsuitable, match="not among the measures"):
        zscore_average(joined, ["a"], lower_is_better=["b"])
    with pytest.raises(Unsuitable, match="no measure to combine"):
        linear_combination(joined, [])


def test_the_same_seed_gives_the_same_folds_and_the_signature_says_which(make_joined) -> None:
    joined = made(make_joined)
    one, two, other = (linear_combination(joined, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.measure.values, two.measure.values)
    assert not np.array_equal(one.fold, other.fold)
    assert Signature.parse(str(one.signature)) == one.signature
    assert "|folds=10|held_out=items|seed=1|" in one.measure.rater
    assert joined.plus(one.measure).measure_named("linear_combination") is one.measure


def test_collinear_measures_have_an_answer(make_joined) -> None:
    joined = made(make_joined)
    twice = joined.plus(zscore_average(joined, ["a"], name="again"))
    once, both = (linear_combination(j, n, ridge=0) for j, n in ((joined, ["a"]), (twice, ["a", "again"])))
    np.testing.assert_allclose(once.measure.values, both.measure.values)


def test_on_usr_the_combination_beats_each_measure_and_a_new_system_costs_some(usr: Joined) -> None:
    human = usr.human.values.ravel()
    best = max(spearman(human, measure.values.ravel()).value for measure in usr.measures)
    found = linear_combination(usr)
    assert best == pytest.approx(0.542, abs=5e-4)
    assert found.spearman.value == pytest.approx(0.608, abs=0.015)
    assert best < linear_combination(usr, new_systems=True).spearman.value < found.spearman.value


def test_on_grade_scores_that_know_nothing_stay_worthless_together(convai2: Joined) -> None:
    assert linear_combination(convai2).spearman.value < 0.05


def test_on_fed_eight_scores_together_are_no_better_than_the_best(fed_turns: Joined) -> None:
    known = ~np.isnan(fed_turns.human.values)
    human = fed_turns.human.values[known]
    best = max(abs(spearman(human, measure.values[known]).value) for measure in fed_turns.measures)
    assert linear_combination(fed_turns).spearman.value < best


def test_a_missing_score_is_filled_by_the_mean_of_those_fitted_to(make_joined) -> None:
    joined = made(make_joined)
    scores = {measure.name: measure.values.copy() for measure in joined.measures}
    scores["b"][0, 3] = scores["c"][1, 7] = NONE
    holed = make_joined(joined.human.values[None], scores)
    found = linear_combination(holed, folds=4, seed=3, ridge=0, fill=True)
    assert not np.isnan(found.measure.values).any()
    assert found.pearson.n == joined.human.values.size
    cube = np.stack([scores[name] for name in "abc"], axis=-1)
    seen = np.broadcast_to(found.fold != found.fold[3], joined.human.values.shape)
    centre = np.nanmean(cube[seen], axis=0)
    filled = np.where(np.isnan(cube), centre, cube)
    fit = LinearRegression().fit(filled[seen], joined.human.values[seen])
    moved = fit.predict(filled[0, 3][None])[0] - joined.human.values[seen].mean() + joined.human.values.mean()
    assert found.measure.values[0, 3] == pytest.approx(moved)
    assert "absent=filled with the mean" in str(found.signature)
