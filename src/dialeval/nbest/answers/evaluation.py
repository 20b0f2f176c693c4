"""Agreement of answer labels with people's: accuracy, F1, calibration, and the threshold of ambiguity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from dialeval.core import Floats, Integers
from dialeval.nbest.answers.labels import LABELS
from dialeval.nbest.document import Label
from dialeval.stats import Estimate, proportion

_AMBIGUOUS: Final = LABELS.index("ambiguous")
_BINS: Final = 10


@dataclass(frozen=True, slots=True)
class Measured:
    """Labels compared with people's."""

    accuracy: Estimate
    macro_f1: float
    """Mean over the labels that people gave."""
    recall: Mapping[str, float]
    """Of each label that people gave."""
    precision: Mapping[str, float]
    calibration_error: float
    """Mean distance of confidence from accuracy over ten bins of confidence."""


def softmax(logits: Floats) -> Floats:
    """Probabilities from logits, row by row."""
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    out: Floats = shifted / shifted.sum(axis=1, keepdims=True)
    return out


def decide(probabilities: Floats, threshold: float) -> Integers:
    """The label of each row: ambiguous from the threshold on, else the likelier of yes and no."""
    sides = probabilities[:, :_AMBIGUOUS].argmax(axis=1)
    return np.where(probabilities[:, _AMBIGUOUS] >= threshold, _AMBIGUOUS, sides)


def best_threshold(logits: Floats, labels: Sequence[Label]) -> float:
    """The threshold of ambiguity with the best macro F1 on these answers; the highest of several."""
    probabilities, wanted = softmax(logits), codes(labels)
    grid = np.round(np.arange(0.05, 0.96, 0.01), 2)
    scores = [_macro_f1(decide(probabilities, float(threshold)), wanted) for threshold in grid]
    best = max(scores)
    return float(max(threshold for threshold, score in zip(grid, scores, strict=True) if score == best))


def codes(labels: Sequence[Label]) -> Integers:
    """The place of each label in ``LABELS``."""
    return np.array([LABELS.index(label) for label in labels], dtype=np.int64)


def measure(logits: Floats, labels: Sequence[Label], threshold: float) -> Measured:
    """The classifier's labels compared with people's."""
    probabilities = softmax(logits)
    given = decide(probabilities, threshold)
    return measure_labels(given, codes(labels), probabilities[np.arange(len(given)), given])


def measure_labels(given: Integers, wanted: Integers, confidence: Floats | None = None) -> Measured:
    """Labels compared with people's; calibration is NaN where there is no confidence."""
    right = int((given == wanted).sum())
    present = [code for code in range(len(LABELS)) if (wanted == code).any()]
    return Measured(
        accuracy=proportion(right, len(wanted)),
        macro_f1=_macro_f1(given, wanted),
        recall={LABELS[code]: float((given[wanted == code] == code).mean()) for code in present},
        precision={
            LABELS[code]: float((wanted[given == code] == code).mean())
            for code in range(len(LABELS))
            if (given == code).any()
        },
        calibration_error=float("nan") if confidence is None else _calibration(confidence, given == wanted),
    )


def _macro_f1(given: Integers, wanted: Integers) -> float:
    scores = []
    for code in range(len(LABELS)):
        if (wanted == code).any():
            both = int(((given == code) & (wanted == code)).sum())
            scores.append(2 * both / (int((given == code).sum()) + int((wanted == code).sum())))
    return float(np.mean(scores))


def _calibration(confidence: Floats, right: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
    bins = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
    gaps = [
        abs(float(confidence[bins == number].mean()) - float(right[bins == number].mean()))
        * (bins == number).sum()
        for number in range(_BINS)
        if (bins == number).any()
    ]
    return float(sum(gaps) / len(confidence))
