"""Calibration of a detector on labelled pairs, and its accuracy, AUC and calibration error with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.stats import rankdata

from dialeval.consistency.detecting.detector import POWER, Calibration
from dialeval.consistency.document import Measured
from dialeval.core import Floats
from dialeval.errors import Unsuitable
from dialeval.stats import Estimate, proportion

DOUBT: Final = 0.4
"""Pairs whose calibrated probability is within [0.4, 0.6) are ambiguous: either verdict would be wrong that often."""
ALARMS: Final = 0.1
"""The share of consistent dialogues that may be called contradictory where whole dialogues are calibrated."""
_MARGIN: Final = 1e-9
_BINS: Final = 10


def calibrate(margins: Floats, contradicts: Sequence[bool]) -> Calibration:
    """Slope and offset of Platt (1999) with his smoothed targets, classes weighted to be equally frequent.

    Then 0.5 is the threshold at equal costs and equal shares, and the band is 0.4 up to 0.6.
    """
    truth = np.asarray(contradicts, dtype=bool)
    yes, no = int(truth.sum()), int((~truth).sum())
    if not yes or not no:
        raise Unsuitable(
            f"{yes} contradictions and {no} other pairs; both are required to calibrate. Give more."
        )
    slope, offset = _logistic(np.stack([margins, np.ones(len(truth))]), truth)
    return Calibration(slope, offset, 0.5, (DOUBT, 1 - DOUBT))


def _logistic(
    features: Floats, truth: np.ndarray, bounds: Sequence[tuple[float | None, float | None]] | None = None
) -> list[float]:
    """Weights of a logistic regression, features in rows: targets smoothed as Platt does, classes weighted equally."""
    yes, no = int(truth.sum()), int((~truth).sum())
    target = np.where(truth, (yes + 1) / (yes + 2), 1 / (no + 2))
    weight = np.where(truth, 0.5 / yes, 0.5 / no)

    def cost(given: Floats) -> tuple[float, Floats]:
        logits = given @ features
        value = float((weight * (np.logaddexp(0, logits) - target * logits)).sum())
        return value, features @ (weight * (1 / (1 + np.exp(-logits)) - target))

    start = np.zeros(len(features))
    start[0] = 1.0
    found = minimize(cost, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return [float(weight) for weight in found.x]


class Compared(NamedTuple):
    """What a detector saw in one dialogue."""

    probability: float
    """The highest of its pairs, or the joined odds of all its turns."""
    pairs: int
    contradicts: bool
    """What people say of the dialogue."""


def calibrate_worst(calibration: Calibration, compared: Sequence[Compared]) -> Calibration:
    """The calibration with the numbers that make the highest probability of a turn's pairs that of the turn."""
    slope, offset, pairs = _of_highest(compared)
    return calibration._replace(worst_slope=slope, worst_offset=offset, worst_pairs=pairs)


def calibrate_whole(calibration: Calibration, compared: Sequence[Compared]) -> Calibration:
    """The same of all pairs of a dialogue, lowered until few of those without a contradiction are said to have one."""
    slope, offset, pairs = _of_highest(compared)
    fitted = calibration._replace(
        whole_slope=slope, whole_offset=offset, whole_pairs=pairs, whole_power=POWER
    )
    plain = [
        fitted.worst(each.probability, each.pairs, whole=True) for each in compared if not each.contradicts
    ]
    alarm = float(np.quantile(plain, 1 - ALARMS, method="higher"))
    excess = _logit(alarm) - _logit(calibration.band[1]) if alarm else 0.0
    return fitted._replace(whole_offset=offset - max(excess + _MARGIN, 0.0))


def _logit(probability: float) -> float:
    return math.log(probability / (1 - probability))


def _of_highest(compared: Sequence[Compared]) -> list[float]:
    """Slope, offset, and what each e-fold number of pairs lowers.

    A logistic regression on the log-odds of the highest probability and the logarithm of the number of pairs, classes
    weighted to be equally frequent; more pairs never count for a contradiction. Dialogues with a probability of 0, in
    which nothing could contradict anything, teach nothing.
    """
    compared = [each for each in compared if each.probability]
    truth = np.array([each.contradicts for each in compared])
    if truth.all() or not truth.any():
        raise Unsuitable(
            f"{int(truth.sum())} dialogues with a contradiction among {len(truth)}; both kinds are required. Give more."
        )
    highest = np.clip([each.probability for each in compared], 1e-12, 1 - 1e-12)
    features = np.stack(
        [np.log(highest / (1 - highest)), np.ones(len(truth)), -np.log([each.pairs for each in compared])]
    )
    return _logistic(features, truth, [(0.0, None), (None, None), (0.0, None)])


def measure(
    probabilities: Floats, contradicts: Sequence[bool], calibration: Calibration, *, seed: int = 0
) -> Measured:
    """Accuracy at the threshold with an exact interval, AUC with a bootstrap interval, and calibration."""
    truth = np.asarray(contradicts, dtype=bool)
    said = probabilities >= calibration.threshold
    right = int((said == truth).sum())
    outside = (probabilities < calibration.band[0]) | (probabilities >= calibration.band[1])
    bounds = _auc_interval(probabilities, truth, seed)
    return Measured(
        contradictions=int(truth.sum()),
        accuracy=proportion(right, len(truth)),
        auc=Estimate.of(auc(probabilities, truth), *bounds, len(truth)),
        brier=float(((probabilities - truth) ** 2).mean()),
        calibration_error=_calibration_error(probabilities, truth),
        ambiguous=int((~outside).sum()),
        accuracy_outside=float((said == truth)[outside].mean()) if outside.any() else None,
    )


def auc(scores: Floats, truth: Floats) -> float:
    """Share of pairs of a true and a false one that the scores order rightly, ties counting half; NaN of one class."""
    positive = truth.astype(bool)
    yes, no = int(positive.sum()), int((~positive).sum())
    if not yes or not no:
        return float("nan")
    ranks = rankdata(scores)
    return float((ranks[positive].sum() - yes * (yes + 1) / 2) / (yes * no))


def _auc_interval(scores: Floats, truth: Floats, seed: int, trials: int = 1000) -> tuple[float, float]:
    if truth.all() or not truth.any():
        return math.nan, math.nan
    draw = np.random.default_rng(seed)
    rows = draw.integers(0, len(truth), (trials, len(truth)))
    values = np.array([auc(scores[row], truth[row]) for row in rows])
    low, high = np.nanquantile(values, (0.025, 0.975))
    return float(low), float(high)


def _calibration_error(probabilities: Floats, truth: Floats) -> float:
    order = np.argsort(probabilities, kind="stable")
    parts = [part for part in np.array_split(order, _BINS) if len(part)]
    gaps = [len(part) * abs(float(probabilities[part].mean() - truth[part].mean())) for part in parts]
    return sum(gaps) / len(truth)
