"""Calibration and measurement of a detector's scores."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.consistency.detecting.detector import Calibration, margins_of
from dialeval.consistency.learning.calibrating import (
    Compared,
    auc,
    calibrate,
    calibrate_whole,
    calibrate_worst,
    measure,
)
from dialeval.errors import Unsuitable


def test_auc_by_hand_and_against_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    scores, truth = np.array([0.1, 0.4, 0.4, 0.8]), np.array([0, 0, 1, 1])
    assert auc(scores, truth) == pytest.approx(3.5 / 4)
    draw = np.random.default_rng(0)
    scores, truth = draw.integers(0, 9, 200).astype(float), draw.integers(0, 2, 200)
    assert auc(scores, truth) == pytest.approx(metrics.roc_auc_score(truth, scores))
    assert np.isnan(auc(scores, np.ones(200)))


def test_margins_are_log_odds_against_the_other_classes():
    logits = np.log([[0.7, 0.2, 0.1], [0.25, 0.25, 0.5]])
    assert margins_of(logits) == pytest.approx(np.log([0.7 / 0.3, 0.25 / 0.75]))
    assert np.isfinite(margins_of(np.array([[1000.0, -1000.0, -1000.0]]))).all()


def test_calibration_recovers_what_distorted_the_log_odds():
    draw = np.random.default_rng(1)
    true = draw.normal(0, 2, 40_000)
    truth = draw.random(40_000) < 1 / (1 + np.exp(-true))
    found = calibrate((true - 1) / 3, truth.tolist())
    assert found.slope == pytest.approx(3, rel=0.05)
    assert found.offset == pytest.approx(1, abs=0.06)
    assert (found.threshold, found.band) == (0.5, (0.4, 0.6))


def test_calibration_weighs_both_classes_alike():
    draw = np.random.default_rng(2)
    margins = np.concatenate([draw.normal(1, 1, 300), draw.normal(-1, 1, 9_000)])
    found = calibrate(margins, [True] * 300 + [False] * 9_000)
    assert found.offset == pytest.approx(0, abs=0.15)


def test_one_class_cannot_calibrate():
    with pytest.raises(Unsuitable, match="0 contradictions"):
        calibrate(np.zeros(3), [False] * 3)


@pytest.mark.parametrize(
    ("probability", "verdict"),
    [
        (0.0, "none"),
        (0.39, "none"),
        (0.4, "ambiguous"),
        (0.59, "ambiguous"),
        (0.6, "contradiction"),
        (1.0, "contradiction"),
    ],
)
def test_verdicts(probability, verdict):
    assert Calibration(1, 0, 0.5, (0.4, 0.6)).verdict(probability) == verdict


def test_what_is_measured_by_hand():
    found = measure(
        np.array([0.9, 0.8, 0.45, 0.2]), [True, False, True, False], Calibration(1, 0, 0.5, (0.4, 0.6))
    )
    assert found.accuracy.value == 0.5
    assert found.auc.value == pytest.approx(3 / 4)
    assert found.brier == pytest.approx((0.01 + 0.64 + 0.55**2 + 0.04) / 4)
    assert (found.ambiguous, found.accuracy_outside) == (1, pytest.approx(2 / 3))
    assert found.accuracy.low < 0.5 < found.accuracy.high


def test_the_highest_of_many_pairs_counts_for_less():
    draw = np.random.default_rng(0)
    compared = []
    for number in range(3000):
        pairs, contradicts = int(draw.integers(1, 30)), number % 2 == 0
        margins = draw.normal(-2.0, 1.0, pairs)
        if contradicts:
            margins[0] += 3.0
        compared.append(Compared(float(1 / (1 + np.exp(-margins.max()))), pairs, contradicts))
    nothing = [Compared(0.0, 1, contradicts=False)] * 50
    calibration = calibrate_worst(Calibration(1, 0, 0.5, (0.4, 0.6)), [*compared, *nothing])
    assert calibration == calibrate_worst(Calibration(1, 0, 0.5, (0.4, 0.6)), compared)
    assert calibration.worst(0.0, 1) == 0.0
    assert calibration.worst_pairs > 0.3
    assert calibration.worst(0.5, 30) < calibration.worst(0.5, 2)
    for low, high in ((1, 5), (20, 30)):
        group = [each for each in compared if low <= each.pairs < high]
        said = [calibration.worst(each.probability, each.pairs) for each in group]
        assert abs(np.mean(said) - np.mean([each.contradicts for each in group])) < 0.06


def test_without_its_numbers_the_highest_probability_stands():
    calibration = Calibration(1, 0, 0.5, (0.4, 0.6))
    assert calibration.worst(0.73, 40) == pytest.approx(0.73)


def test_dialogues_of_one_kind_cannot_calibrate():
    with pytest.raises(Unsuitable, match="both kinds"):
        calibrate_worst(Calibration(), [Compared(0.5, 3, True)])


def test_whole_dialogues_have_a_calibration_of_their_own_where_it_was_fitted():
    seen = [
        Compared(p, 4, contradicts)
        for p, contradicts in ((0.9, True), (0.8, False), (0.7, True), (0.2, False))
    ]
    only_turns = calibrate_worst(Calibration(), seen)
    assert only_turns.worst(0.9, 4, whole=True) == only_turns.worst(0.9, 4)
    plain = [
        Compared(p, 4, contradicts)
        for p, contradicts in ((0.99, True), (0.9, False), (0.95, True), (0.8, False))
    ]
    both = calibrate_whole(only_turns, plain)
    assert both.worst(0.9, 4) == only_turns.worst(0.9, 4) > 0.5
    assert both.worst(0.9, 4, whole=True) < 0.5 < both.worst(0.99, 4, whole=True)


def test_at_most_one_in_ten_consistent_dialogues_is_called_contradictory():
    draw = np.random.default_rng(5)
    shares = 1 / (1 + np.exp(-np.concatenate([draw.normal(0.5, 1, 300), draw.normal(0, 1, 300)])))
    seen = [Compared(float(share), 3, place < 300) for place, share in enumerate(shares)]
    found = calibrate_whole(Calibration(1, 0, 0.5, (0.4, 0.6)), seen)
    verdicts = [found.verdict(found.worst(each.probability, 3, whole=True)) for each in seen]
    assert 0.08 <= np.mean([verdict == "contradiction" for verdict in verdicts[300:]]) <= 0.1


def test_several_contradictions_of_a_dialogue_count_more_than_one_if_their_odds_are_joined():
    several, one, none = [0.9] * 5 + [0.1] * 5, [0.9] + [0.1] * 9, [0.1] * 10
    fitted = Calibration(1, 0, 0.5, (0.4, 0.6), whole_slope=1.0, whole_pairs=0.5, whole_power=1.5)
    said = [fitted.of_turns(turns, 40, whole=True) for turns in (several, one, none)]
    assert said[0] > said[1] + 0.2 > said[2] + 0.4
    by_hand = (5 * 9**1.5 + 5 * (1 / 9) ** 1.5) ** (1 / 1.5)
    assert said[0] == pytest.approx(by_hand / (by_hand + 40**0.5), abs=1e-6)
    highest = fitted._replace(whole_power=0.0)
    assert highest.of_turns(several, 40, whole=True) == highest.of_turns(one, 40, whole=True)
    assert fitted.of_turns(several, 40, whole=False) == fitted.worst(0.9, 40)
